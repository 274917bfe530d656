import type { Recorded } from './recorded.ts';
import type { HeldWaiters, Waiter } from './waiters.ts';

/**
 * Records a result while the deadlines of those who wait for it are held, so that nobody is told
 * "accepted" for a write that is being taken back at this moment.
 */
export async function recordHeld<State, Undo>(
  held: HeldWaiters<Undo>,
  record: (undos: readonly Waiter<Undo>[]) => Promise<Recorded<State>>,
): Promise<Recorded<State>> {
  try {
    const recorded = await record(held.waiters);
    held.letGo(recorded.undone);
    return recorded;
  } catch (error) {
    held.letGo([]);
    throw error;
  }
}
