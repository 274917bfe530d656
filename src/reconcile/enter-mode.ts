import type { Clock } from '../domain/clock.ts';
import { BridgeError } from '../domain/errors.ts';
import { countDueChanges } from '../store/due.ts';
import type { Store } from '../store/store.ts';
import { lockObserving, saveObserving } from './state.ts';

/** Changes that are counted for the message; more are as good as this many. */
const COUNT_MAX = 100_000;

/** Whether the bridge changes the service, or only observes it. */
export type Mode = 'live' | 'observe';

/** How this process is to treat the service. */
export interface ModeChoice {
  readonly mode: Mode;
  /** A store that was live and has changes on their way: `refuse` does not start, `hold` keeps them for the next plan. */
  readonly whenWorkIsDue: 'refuse' | 'hold';
}

/**
 * Has the store remember that it is used to observe, so that what waits then does not rush out once it is live.
 * @throws BridgeError `work-due` when acknowledged changes would be left undone without anybody having said so
 */
export async function enterMode(
  { store, clock }: { store: Store; clock: Clock },
  { mode, whenWorkIsDue }: ModeChoice,
): Promise<void> {
  if (mode === 'live') return; // What was observed before is recovery's to hold.
  await store.write(async (tx) => {
    if (await lockObserving(tx)) return;
    const due = await countDueChanges(tx, Number.MAX_SAFE_INTEGER, COUNT_MAX);
    if (due > 0 && whenWorkIsDue === 'refuse') throw toWorkDue(due);
    await saveObserving(tx, clock.now());
  });
}

function toWorkDue(due: number): BridgeError {
  const what = due === 1 ? '1 acknowledged change is' : `${due} acknowledged changes are`;
  return new BridgeError(
    'work-due',
    `${what} not in the service yet, and MODE=observe would leave that so: start with MODE=live until nothing waits, ` +
      'or set OBSERVE_WHEN_WORK_IS_DUE=hold, and it becomes part of the plan of the next MODE=live',
  );
}
