import { addPending, type Pending, settlePending } from '../../domain/pending.ts';
import { listUserDifferences, type UserField } from '../../domain/user.ts';
import { parseStored } from '../../store/engine/columns.ts';
import { toUserState, type UserRow } from '../../store/users/users.ts';
import { isRenamedSince } from './find-created.ts';
import type { UserKnown } from './outcome.ts';
import type { UserStep } from './step.ts';

/** What waits after a step: a new account owes every difference from what was asked, an old one only what waited before. */
export function toPendingAfter(
  row: UserRow,
  { planned, policy }: Pick<UserStep, 'planned' | 'policy'>,
  known: UserKnown,
): Pending<UserField> {
  const pending = settlePending(
    parseStored<Pending<UserField>>(row.pending),
    planned.pending,
    known.settled ?? [],
  );
  if (known.upstreamId === undefined || known.observed === undefined) return pending;
  const { desired } = toUserState(row);
  const owed = listUserDifferences(
    desired,
    known.observed,
    known.echoes ?? {},
    policy.deactivation,
  );
  // The address stays as the service made it of what was sent; another one that is wanted by now is tried.
  const isRenamed = !known.adopted && isRenamedSince(desired, parseStored(row.sent_creates));
  const isOwed = (field: UserField) => field !== 'address' || isRenamed;
  // The write that claimed the account last is the one that is answered for all of it.
  const claimed = parseStored<Pending<UserField>>(row.pending).account;
  const version = claimed ?? planned.pending.account ?? row.version;
  return addPending(
    pending,
    owed.filter((field) => field === 'active' || (row.deleted_at === null && isOwed(field))),
    version,
  );
}
