import { existsSync, renameSync, rmSync } from 'node:fs';

/**
 * Builds beside `place`, and puts there what is whole, unless `isWanted` says no by then: two who build at the same time
 * would empty each other's folder.
 */
export async function buildBeside(place, config, isWanted = () => true) {
  // Loaded only here: it takes longer than to find out that nothing is to be built.
  const { build } = await import('vite');
  const made = `${place}-${process.pid}`;
  await build({ ...config, build: { ...config.build, outDir: made } });
  if (isWanted()) {
    const old = `${made}-old`;
    if (existsSync(place)) renameSync(place, old);
    renameSync(made, place);
    rmSync(old, { recursive: true, force: true });
  }
  rmSync(made, { recursive: true, force: true });
}
