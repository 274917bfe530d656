// Builds the pages of the console, unless nothing that they are made of has changed since: `npm start` need not wait.
import { existsSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';

const root = join(import.meta.dirname, '..');
const built = join(root, 'dist/console/ui/index.html');

if (!isCurrent()) {
  // Also where tests ask for it: what is built depends on this.
  process.env.NODE_ENV = 'production';
  // Loaded only here: it takes longer than the rest of this script.
  const { build } = await import('vite');
  await build({ configFile: join(root, 'ui/vite.config.ts'), logLevel: 'warn' });
}

function isCurrent() {
  if (!existsSync(built)) return false;
  const builtMs = statSync(built).mtimeMs;
  return listSources().every((path) => statSync(path).mtimeMs < builtMs);
}

function listSources() {
  const entries = readdirSync(join(root, 'ui'), { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile());
  return [
    join(root, 'package-lock.json'),
    ...files.map(({ parentPath, name }) => join(parentPath, name)),
  ];
}
