import { listHarms } from '../domain/change.ts';
import type { GroupState } from '../domain/group.ts';
import type { ResourceKey } from '../domain/ids.ts';
import type { UserState } from '../domain/user.ts';
import type { GroupAction, UserAction } from '../plan/actions.ts';
import { hasWaiting } from '../store/engine/columns.ts';
import type { GroupRow } from '../store/groups/groups.ts';
import { NO_CALL_ROW } from '../store/in-flight.ts';
import { NO_LINKS, type WaitingLinks } from '../store/links/waiting.ts';
import type { ResourceRow } from '../store/resources/rows.ts';
import type { Db } from '../store/store.ts';
import type { UserRow } from '../store/users/users.ts';
import type { CallClass } from '../upstream/transport.ts';
import type { ReconcileDeps } from './deps.ts';
import type { KindTypes, ResourceKind } from './resource-kind.ts';
import {
  type ChangingCall,
  type FirstStep,
  type StepCallOptions,
  writeCall,
} from './send-guard.ts';

/** Resource as a write is about to leave it; of a group with all changes of its lists that wait. */
export type WrittenResource =
  | { readonly type: 'user'; readonly row: UserRow }
  | { readonly type: 'group'; readonly row: GroupRow; readonly links: WaitingLinks };

/** First step of a write to a user or group. */
export type AnyFirstStep =
  | (FirstStep<UserState, UserAction, UserRow> & { readonly type: 'user' })
  | (FirstStep<GroupState, GroupAction, GroupRow> & { readonly type: 'group' });

/** A row before and after a write, as far as it matters for beginning at once. */
type Resting = Pick<
  ResourceRow,
  'origin' | 'due_at' | 'must_look' | 'in_flight' | 'lost_looks' | 'cells'
>;

/** True when nothing waited for a managed resource before the write. */
export function isAtRest(row: Resting): boolean {
  const { origin, due_at, must_look, in_flight, lost_looks } = row;
  const isIdle = due_at === null && in_flight === 0 && lost_looks === 0 && !hasWaiting(row);
  return origin !== null && isIdle && must_look === 0;
}

/** Source of the plan of a first step, under the lock of its resource. */
interface Beginning<Row> {
  readonly key: ResourceKey;
  readonly row: Row;
  /** All waiting changes of its lists, of a group. */
  readonly links?: WaitingLinks;
}

/**
 * Plans the first step of a write in its transaction, and writes its call into the ledger, so that a call which can leave
 * at once needs no transaction of its own. The caller stores the columns with the write. undefined: the step begins with
 * a look, waits for its turn, or needs to be judged by limits first.
 * @throws BridgeError `not-leading`: the transaction must not end
 */
export async function beginStep<T extends KindTypes>(
  tx: Db,
  deps: ReconcileDeps,
  kind: ResourceKind<T>,
  { key, row, links = NO_LINKS }: Beginning<T['row']>,
): Promise<FirstStep<T['state'], T['action'], T['row']> | undefined> {
  const state = kind.toState(row, links);
  const action = kind.planNext(state);
  if (action === undefined || state.mustLook) return undefined;
  const call = await foresee(deps, kind, { state, action });
  if (call === undefined || call.operation.method === 'GET') return undefined;
  if (deps.upstream.queueAheadMs(call.callClass) > 0) return undefined;
  if (!deps.harmRoom.take(listHarms(call.changes))) return undefined;
  const written = await writeCall(tx, deps, { key, call, lead: deps.store.lead });
  const create = kind.toSentCreate(action);
  const creates = create === undefined ? state.sentCreates : [...state.sentCreates, create];
  const columns = {
    in_flight: written[0]?.id ?? NO_CALL_ROW,
    steps: row.steps + 1,
    sent_creates: JSON.stringify(creates),
  };
  const atMs = performance.now();
  return { state, action, call, written, columns, row: { ...row, ...columns }, atMs, by: deps };
}

interface ForeseenCall extends ChangingCall {
  readonly callClass: CallClass;
}

/**
 * Finds the call with which a step begins, by taking the step without a way to the service. undefined: it ends, or
 * learns something of the service, before any call.
 */
async function foresee<T extends KindTypes>(
  deps: ReconcileDeps,
  kind: ResourceKind<T>,
  { state, action }: { readonly state: T['state']; readonly action: T['action'] },
): Promise<ForeseenCall | undefined> {
  return new Promise((resolve, reject) => {
    // Nothing answers, so nothing comes after the first call.
    const silence = new Promise<never>(() => undefined);
    const call: ReconcileDeps['upstream']['callChecked'] = (
      operation,
      args,
      { class: callClass = 'pass', changes = [] }: StepCallOptions = {},
    ) => {
      resolve({ operation, args, callClass, changes });
      return silence;
    };
    const learn = () => {
      resolve(undefined);
      return silence;
    };
    const upstream = { ...deps.upstream, call, callChecked: call };
    const quirks = { ...deps.quirks, learn };
    kind.apply({ ...deps, upstream, quirks }, state, action).then(() => resolve(undefined), reject);
  });
}
