// Writes the types of all calls, which are not in git: `tsc` needs them, and nothing that runs does.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { operationGroups } from '../src/upstream/operations/all.ts';
import { toArgumentsModule, toTypesModule } from './client/to-module.ts';

write('upstream/operations/arguments.ts', toArgumentsModule(operationGroups));
write('client/operations.ts', toTypesModule(operationGroups));

/** A file that is new to nobody is not read again by an editor or a compiler that watches. */
function write(path: string, text: string): void {
  const file = join(import.meta.dirname, '../src', path);
  if (!existsSync(file) || readFileSync(file, 'utf8') !== text) writeFileSync(file, text);
}
