import { setTimeout as sleep } from 'node:timers/promises';
import { isPassing } from '../app/ops-client.ts';
import type { CliContext } from './context.ts';

/** Time for which a bridge that does not answer is waited for, in milliseconds. */
const GONE_MAX_MS = 5 * 60_000;
const AGAIN_MS = 1_000;

/**
 * Asks the bridge, and asks again while it does not answer because it restarts. To be used for what may be asked twice.
 * @throws OpsError when it stays away for five minutes, or refuses
 */
export async function outlast<T>(
  { writeError }: Pick<CliContext, 'writeError'>,
  ask: () => Promise<T>,
): Promise<T> {
  const deadline = Date.now() + GONE_MAX_MS;
  for (let isTold = false; ; isTold = true) {
    try {
      return await ask();
    } catch (error) {
      if (!isPassing(error) || Date.now() > deadline) throw error;
      if (!isTold) writeError('The bridge does not answer now; it is asked again.\n');
      await sleep(AGAIN_MS);
    }
  }
}
