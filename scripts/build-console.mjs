// Builds the pages of the console, unless nothing that they are made of has changed since: `npm start` need not wait.
import { existsSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { buildBeside } from './build-beside.mjs';

const root = join(import.meta.dirname, '..');
const place = join(root, 'dist/console/ui');
const built = join(place, 'index.html');

if (!isCurrent()) {
  // Also where tests ask for it: what is built depends on this.
  process.env.NODE_ENV = 'production';
  const config = { configFile: join(root, 'ui/vite.config.ts'), logLevel: 'warn' };
  // Nothing is taken from whoever has begun to serve what another one built meanwhile.
  await buildBeside(place, config, () => !isCurrent());
}

function isCurrent() {
  if (!existsSync(built)) return false;
  const builtMs = statSync(built).mtimeMs;
  return listSources().every((path) => statSync(path).mtimeMs < builtMs);
}

function listSources() {
  const folders = ['ui', 'src/domain', 'src/ops/lists'].map((name) => join(root, name));
  const options = { recursive: true, withFileTypes: true };
  const entries = folders.flatMap((folder) => readdirSync(folder, options));
  const files = entries.filter((entry) => entry.isFile());
  const paths = files.map(({ parentPath, name }) => join(parentPath, name));
  return [join(root, 'package-lock.json'), ...paths];
}
