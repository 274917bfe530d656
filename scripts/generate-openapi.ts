// Writes the operations of the service as OpenAPI. A test fails when it is stale.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { readPackageVersion } from '../src/app/package-version.ts';
import { operationGroups } from '../src/upstream/operations/all.ts';
import { toOpenApiText } from './openapi/to-document.ts';

const root = join(import.meta.dirname, '..');
const version = readPackageVersion();
writeFileSync(join(root, 'docs/openapi.json'), toOpenApiText(operationGroups, version));
