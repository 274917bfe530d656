import { groupId, userId } from '../domain/ids.ts';
import type { OwnChange } from '../domain/own-call.ts';
import type { Db } from '../store/database.ts';
import { findNamed } from '../store/find-named.ts';
import { type GroupRow, lockGroup, updateGroup } from '../store/groups.ts';
import { insertOwnCall } from '../store/own-calls.ts';
import { lockUser, type UserRow, updateUser } from '../store/users.ts';
import { UpstreamError } from '../upstream/errors.ts';
import type { Operation } from '../upstream/operations/operation.ts';
import type { CallOptions, Sending } from '../upstream/transport.ts';
import type { ReconcileDeps } from './deps.ts';
import { toLookAgainColumns } from './first-read/fate.ts';
import { toOperatorChanges } from './ledger/to-operator-changes.ts';
import { findOwnChanges } from './ledger/to-own-changes.ts';
import { toDoubtedColumns } from './retry-columns.ts';

/** What is needed beside the way to the service. */
type OperatorDeps = Pick<ReconcileDeps, 'store' | 'upstream' | 'clock' | 'events'>;

/**
 * Calls that an operator asks for, in the budget of the bridge. Whom such a call changes is looked at afterwards, so
 * that the next write of a provider meets what the service holds by then. What is wanted stays as it was.
 */
export function createOperatorCalls(
  { store, upstream, clock, events }: OperatorDeps,
  wake: () => void,
): (operation: Operation, args: unknown, options: CallOptions) => Promise<unknown> {
  async function lookAgain(operation: Operation, args: unknown): Promise<void> {
    const changes = operation.method === 'GET' ? undefined : findOwnChanges(operation.id, args);
    if (changes === undefined) return;
    try {
      await store.write((tx) => markToLook(tx, changes, clock.now()));
      wake();
    } catch (error) {
      // The call itself is done, and must not look as if it had failed.
      events.failed({ type: 'operator', id: operation.id, error });
    }
  }

  /** Before it leaves, by what it names: nobody knows what an operation in general changes. */
  async function writeDown({ operation: { id, method }, args }: Sending): Promise<void> {
    if (method === 'GET') return;
    const changes = toOperatorChanges(args);
    const call = { at: clock.now(), operation: id, key: undefined, changes };
    await store.write((tx) => insertOwnCall(tx, call));
  }

  return async (operation, args, given) => {
    const options: CallOptions = { ...given, class: 'pass', beforeSend: writeDown };
    try {
      const result = await upstream.callChecked(operation, args, options);
      await lookAgain(operation, args);
      return result;
    } catch (error) {
      // A refused call may have done a part, and a lost one everything.
      if (error instanceof UpstreamError && error.outcome !== 'not-sent')
        await lookAgain(operation, args);
      throw error;
    }
  };
}

/** What a deleted person or group of ours has become in the service is nobody's wish any more. */
async function markToLook(tx: Db, changes: readonly OwnChange[], now: number): Promise<void> {
  const named = await findNamed(tx, listIds(changes));
  for (const id of listFound(named.user, changes, 'user')) {
    const row = await lockUser(tx, userId(id));
    if (row?.deleted_at === null) await updateUser(tx, row.id, toLookColumns(row, now));
  }
  for (const id of listFound(named.group, changes, 'group')) {
    const row = await lockGroup(tx, groupId(id));
    if (row?.deleted_at === null) await updateGroup(tx, row.id, toLookColumns(row, now));
  }
}

function listIds(changes: readonly OwnChange[]): Set<string> {
  return new Set(changes.flatMap(({ upstreamId }) => upstreamId ?? []));
}

/** Those of ours that the changes name; a number may be a person's and a group's. */
function listFound(
  found: ReadonlyMap<string, ReadonlySet<string>>,
  changes: readonly OwnChange[],
  type: 'user' | 'group',
): Set<string> {
  const ofType = changes.filter(({ kind }) => kind.startsWith('user.') === (type === 'user'));
  return new Set([...listIds(ofType)].flatMap((id) => [...(found.get(id) ?? [])]));
}

function toLookColumns(row: UserRow | GroupRow, now: number) {
  const { must_look } = toDoubtedColumns(row, now);
  return { ...toLookAgainColumns(row, now), must_look };
}
