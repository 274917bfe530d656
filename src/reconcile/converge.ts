import { BridgeError } from '../domain/errors.ts';
import { keyText, type ResourceKey } from '../domain/ids.ts';
import type { Db } from '../store/database.ts';
import { claimLane, type Lease } from '../store/lanes.ts';
import type { ReconcileDeps } from './deps.ts';
import type { Outcome } from './outcome.ts';
import { GONE, type Progress, type Recorded } from './recorded.ts';

/** How long a lane is held at most before it must be taken again, in milliseconds. */
export const LEASE_MS = 120_000;
/** Steps of one run. More look like a plan that never ends: the run fails as a bug, and the next one goes on. */
const STEPS_MAX = 200;

/** What the loop needs to know of one type of resource. */
export interface Convergeable<
  State,
  Action extends { readonly kind: string; readonly reason: string },
  Known,
  Part,
> {
  /** What a step that was not needed teaches: nothing. */
  readonly noNews: Known;
  load(db: Db, id: string): Promise<State | undefined>;
  /** The next step, undefined when there is nothing to do. */
  planNext(state: State): Action | undefined;
  apply(state: State, action: Action): Promise<Outcome<Known, Part>>;
  /** Records in its own transaction, undoing what was refused and nobody was answered for. */
  record(state: State, lease: Lease, outcome: Outcome<Known, Part>): Promise<Recorded<State>>;
}

/** How a run ended. */
export interface Run extends Progress {
  /** When what failed is tried again (epoch milliseconds). */
  readonly retryAt?: number;
}

/**
 * Brings one resource nearer to what is desired, step by step, until nothing is left to do or a step
 * has to wait. Reads all state itself, so it does not matter who woke it or how often; a second run
 * makes no call. The caller holds the lane.
 */
export async function converge<State, Action extends { kind: string; reason: string }, Known, Part>(
  deps: ReconcileDeps,
  kind: Convergeable<State, Action, Known, Part>,
  { key, lease, onWoken }: { key: ResourceKey; lease: Lease; onWoken: () => void },
): Promise<Run> {
  const loaded: State | undefined = await kind.load(deps.store.read, key.id);
  if (loaded === undefined) return GONE;
  let state: State = loaded;
  for (let step = 0; step < STEPS_MAX; step += 1) {
    const action = kind.planNext(state);
    const outcome: Outcome<Known, Part> = action
      ? await kind.apply(state, action)
      : { kind: 'done', known: kind.noNews };
    const recorded: Recorded<State> = await kind.record(state, lease, outcome);
    if (action) report(deps, key, action.kind, outcome.kind);
    if (recorded.woken.length > 0) onWoken();
    if (recorded.finished) return recorded;
    state = recorded.state;
  }
  throw new BridgeError('bug', `${keyText(key)} did not converge within ${STEPS_MAX} steps`);
}

/** Takes the lane of a resource, or undefined when another run holds it. */
export async function takeLane(deps: ReconcileDeps, key: ResourceKey): Promise<Lease | undefined> {
  const claim = { owner: deps.owner, now: deps.clock.now(), leaseMs: LEASE_MS };
  return deps.store.write((tx) => claimLane(tx, key, claim));
}

function report(
  { events }: ReconcileDeps,
  { type, id }: ResourceKey,
  action: string,
  outcome: Outcome<unknown, unknown>['kind'],
): void {
  events.converged({ type, id, action, outcome });
}
