import type { Clock } from '../../domain/clock.ts';
import type { GroupState } from '../../domain/group.ts';
import type { Recorded } from '../recorded.ts';

/** How long one wait for more is, in milliseconds. */
const PAUSE_MS = 25;
/** Waits at most: a quarter of a second in all. */
const PAUSES_MAX = 10;

/** What gathering needs to know. */
interface Gathering {
  readonly clock: Clock;
  readonly membersPerCall: number;
  /** The state that the step before was planned from. */
  readonly planned: GroupState;
  readonly recorded: Recorded<GroupState>;
  /** Reads the group again; undefined: it is gone. */
  readonly load: () => Promise<GroupState | undefined>;
}

/**
 * Providers send many changes of one group as many requests at the same time. When some came while a call
 * was on its way, more are about to: as long as they come, and for a quarter of a second at most, they are
 * waited for, so that they go in one call.
 */
export async function gather(gathering: Gathering): Promise<Recorded<GroupState>> {
  const { clock, membersPerCall, planned, recorded, load } = gathering;
  if (recorded.finished || recorded.state.version === planned.version) return recorded;
  let state = recorded.state;
  for (let pauses = 0; pauses < PAUSES_MAX; pauses += 1) {
    const { length } = state.members;
    if (state.mustLook || length === 0 || length >= membersPerCall) break;
    await clock.sleep(PAUSE_MS);
    const next = await load();
    if (next === undefined || next.version === state.version) break;
    state = next;
  }
  return { ...recorded, state };
}
