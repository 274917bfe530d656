// Builds the pages of the console, unless nothing that they are made of has changed since: `npm start` need not wait.
import { existsSync, readdirSync, renameSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';

const root = join(import.meta.dirname, '..');
const place = join(root, 'dist/console/ui');
const built = join(place, 'index.html');

if (!isCurrent()) {
  // Also where tests ask for it: what is built depends on this.
  process.env.NODE_ENV = 'production';
  // Loaded only here: it takes longer than the rest of this script.
  const { build } = await import('vite');
  // Beside its place: two who build at the same time would empty each other's.
  const made = `${place}-${process.pid}`;
  const configFile = join(root, 'ui/vite.config.ts');
  await build({ configFile, logLevel: 'warn', build: { outDir: made } });
  putInPlace(made);
}

/** Nothing is taken from whoever has begun to serve what another one built meanwhile. */
function putInPlace(made) {
  if (!isCurrent()) {
    const old = `${made}-old`;
    if (existsSync(place)) renameSync(place, old);
    renameSync(made, place);
    rmSync(old, { recursive: true, force: true });
  }
  rmSync(made, { recursive: true, force: true });
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
