// Builds the client as a package of its own into dist/client-package: the same sources, and what a package needs.
import { execFileSync } from 'node:child_process';
import { copyFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { operationGroups } from '../src/upstream/operations/all.ts';
import { toOpenApiText } from './client/to-open-api.ts';
import { toOperationsPage } from './client/to-page.ts';

const root = join(import.meta.dirname, '..');
const folder = join(root, 'dist/client-package');
const { version, license, engines, dependencies } = z
  .object({
    version: z.string(),
    license: z.string(),
    engines: z.record(z.string(), z.string()),
    dependencies: z.object({ undici: z.string() }),
  })
  .parse(JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')));

const description = {
  name: '@scim-bridge/client',
  version,
  description:
    'A typed client of a card-based work-management service: every operation, paced and repeated with care',
  license,
  type: 'module',
  sideEffects: false,
  engines,
  exports: {
    '.': { types: './dist/client.d.ts', default: './dist/client.js' },
    './mock': { types: './dist/client-mock.d.ts', default: './dist/client-mock.js' },
    './package.json': './package.json',
  },
  files: ['dist', 'client-operations.md', 'openapi.json'],
  dependencies: { undici: dependencies.undici },
};

rmSync(folder, { recursive: true, force: true });
mkdirSync(folder, { recursive: true });
execFileSync(join(root, 'node_modules/.bin/tsc'), ['-p', 'tsconfig.client.json'], {
  cwd: root,
  stdio: 'inherit',
});
writeFileSync(join(folder, 'package.json'), `${JSON.stringify(description, null, 2)}\n`);
copyFileSync(join(root, 'LICENSE'), join(folder, 'LICENSE'));
copyFileSync(join(root, 'docs/client.md'), join(folder, 'README.md'));
writeFileSync(join(folder, 'client-operations.md'), toOperationsPage(operationGroups));
writeFileSync(join(folder, 'openapi.json'), toOpenApiText(operationGroups, version));
