import { addPending } from '../../domain/pending.ts';
import type { UserField } from '../../domain/user.ts';
import { moveLinks } from '../../store/links/observations.ts';
import { leaveGroups } from '../../store/links/work.ts';
import type { Db } from '../../store/store.ts';
import {
  listUsersOfAccount,
  toUserState,
  type UserRow,
  updateUser,
} from '../../store/users/users.ts';
import { toDoubtedColumns } from '../retry-columns.ts';

/** The account that a step was about or found, and when it is recorded (epoch milliseconds). */
interface Ended {
  readonly account: number | undefined;
  readonly now: number;
}

/**
 * Gives up the account of a deleted person where somebody else has it by now: the same person, created
 * again while a call for the deleted one was on its way. True: there is nothing left to do for this one.
 */
export async function handOver(tx: Db, row: UserRow, { account, now }: Ended): Promise<boolean> {
  if (row.deleted_at === null || account === undefined) return false;
  const others = await listUsersOfAccount(tx, account);
  if (row.upstream_id === null && others.some((other) => wasThereBefore(other, row))) {
    await leaveGroups(tx, row.id, now);
    return true;
  }
  const [heir] = others.filter(({ id, origin }) => id !== row.id && origin !== null);
  if (heir === undefined) return false;
  await leaveGroups(tx, row.id, now);
  await moveLinks(tx, row.id, heir.id);
  await distrust(tx, heir, now);
  return true;
}

/** What was seen before the lost create was asked for is not what it left. */
function wasThereBefore(other: UserRow, row: UserRow): boolean {
  return other.id !== row.id && other.origin === null && other.created_at < row.created_at;
}

/**
 * What the service was seen to hold of the heir before the call ended may be over, so all that was asked
 * of the person waits again. Whoever runs the heir keeps the lane, because a call of theirs may be on its
 * way, and looks again.
 */
async function distrust(tx: Db, heir: UserRow, now: number): Promise<void> {
  await updateUser(tx, heir.id, {
    ...toDoubtedColumns(heir, now),
    pending: toDoubtedPending(heir),
  });
}

/**
 * Takes an account that a live person was just linked to from the deleted one that still has it. True: a
 * call for the deleted one may be on its way, so what was seen of the account is not to be trusted.
 */
export async function inheritAccount(
  tx: Db,
  row: UserRow,
  { account, now }: Ended,
): Promise<boolean> {
  if (row.deleted_at !== null || account === undefined) return false;
  const others = await listUsersOfAccount(tx, account);
  const buried = others.filter(({ id, deleted_at }) => id !== row.id && deleted_at !== null);
  for (const { id } of buried) {
    await leaveGroups(tx, id, now);
    await moveLinks(tx, id, row.id);
    await updateUser(tx, id, { upstream_id: null, pending: '{}', due_at: null });
  }
  return buried.length > 0;
}

/** What waits of a person when any of it may have been changed behind their back: all that is theirs. */
export function toDoubtedPending(row: UserRow): string {
  const { desired, pending } = toUserState(row);
  const set = SETTABLE.filter((field) => desired[field] !== undefined);
  const doubted = addPending<UserField>({}, ['active', ...set], row.version);
  return JSON.stringify({ ...doubted, ...pending });
}

/** What is theirs only once somebody has set it. */
const SETTABLE = ['name', 'appsPermissions', 'temporarilyInactive'] as const;
