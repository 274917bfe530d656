// Writes the types of the client, which are not in git: `tsc` needs them, and nothing that runs does.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { operationGroups } from '../src/upstream/operations/all.ts';
import { toTypesModule } from './client-types/to-module.ts';

const file = join(import.meta.dirname, '../src/client/operations.ts');
const text = toTypesModule(operationGroups);
// A file that is new to nobody is not read again by an editor or a compiler that watches.
if (!existsSync(file) || readFileSync(file, 'utf8') !== text) writeFileSync(file, text);
