import { isJsonObject, toResourceKey } from '../../domain/values.ts';
import { findCalled } from '../../store/resources/find.ts';
import type { Db } from '../../store/store.ts';
import { UpstreamError } from '../../upstream/errors.ts';
import type { Operation } from '../../upstream/operations/operation.ts';
import type { CallOptions } from '../../upstream/transport.ts';
import type { ReconcileDeps } from '../deps.ts';
import { markToLook } from '../differences.ts';

type OperatorDeps = Pick<ReconcileDeps, 'store' | 'upstream' | 'clock' | 'events'>;

/** Calls that an operator asks for. Whom one changes is looked at afterwards, so that the next write meets what is there. */
export function createOperatorCalls({
  store,
  upstream,
  clock,
  events,
}: OperatorDeps): (operation: Operation, args: unknown, options: CallOptions) => Promise<unknown> {
  async function lookAgain(operation: string, changed: Changed): Promise<void> {
    try {
      await store.write((tx) => markChanged(tx, changed, clock.now()));
      store.bell.ring('due');
    } catch (error) {
      // The call itself is done, and must not look as if it had failed.
      events.failed({ type: 'operator', id: operation, error });
    }
  }

  return async (operation, args, options) => {
    const changed = findChanged(operation.id, args);
    let isSent = true;
    try {
      return await upstream.call(operation, args, { ...options, class: 'pass' });
    } catch (error) {
      // A refused call may have done a part, and a lost one everything.
      isSent = error instanceof UpstreamError && error.outcome !== 'not-sent';
      throw error;
    } finally {
      if (changed !== undefined && isSent) await lookAgain(operation.id, changed);
    }
  };
}

/** User or group that a call changes, in the id by which the call names it. */
interface Changed {
  readonly type: 'user' | 'group';
  readonly upstreamId: string;
}

/** Operations that change one user, or one group, which their path names. */
const OF_USERS = /^(scim|users|companyUsers)\.(updateUser|removeVirtualUser)$/;
const OF_GROUPS =
  /^(scim\.updateGroup|groups\.(update|remove)Group|group(Users|Admins|Entities)\.(add|update|remove)\w+)$/;

/** Finds the user or group that a call changes; undefined: none that the bridge keeps, or a new one. */
function findChanged(operation: string, args: unknown): Changed | undefined {
  const path = isJsonObject(args) ? args.path : undefined;
  if (!isJsonObject(path)) return undefined;
  if (OF_USERS.test(operation)) {
    return { type: 'user', upstreamId: String(path.user_id ?? path.id) };
  }
  if (!OF_GROUPS.test(operation)) return undefined;
  const upstreamId = String(path.group_id ?? path.group_uid ?? path.uid);
  return { type: 'group', upstreamId };
}

/** Finds the one user or group that a call changes, by its SCIM id; undefined: none that is known, or several. */
export async function findSubject(
  db: Db,
  operation: string,
  args: unknown,
): Promise<string | undefined> {
  const changed = findChanged(operation, args);
  if (changed === undefined) return undefined;
  const { type, upstreamId } = changed;
  const [id, ...others] = (await findCalled(db, new Set([upstreamId])))[type].get(upstreamId) ?? [];
  return others.length === 0 ? id : undefined;
}

async function markChanged(tx: Db, { type, upstreamId }: Changed, now: number): Promise<void> {
  const named = await findCalled(tx, new Set([upstreamId]));
  const found = new Set(named[type].get(upstreamId)).intersection(named.managed);
  const keys = [...found].map((id) => toResourceKey({ type, id }));
  await markToLook(tx, keys, now);
}
