import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { serve } from '../../src/main.ts';
import { loadSettings } from '../../src/settings/load.ts';

/** Serves a bridge whose last step of the start, telling where it listens, holds the event loop for this long. */
const BLOCKED_MS = 2_000;

const { env } = process;
const loaded = loadSettings({ env, readFile: (path) => readFileSync(path, 'utf8') });
process.exitCode = await serve(loaded, {
  env,
  write(text) {
    process.stdout.write(text);
    for (const until = performance.now() + BLOCKED_MS; performance.now() < until; );
  },
  untilStopped: async () => {
    await once(process, 'SIGTERM');
    return 'SIGTERM';
  },
});
