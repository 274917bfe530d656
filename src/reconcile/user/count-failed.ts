import { normaliseName } from '../../domain/name.ts';
import type { Pending } from '../../domain/pending.ts';
import { addFailed } from '../../domain/stuck.ts';
import type { UserField } from '../../domain/user.ts';
import { parseStored, parseStuck, toStuckColumns } from '../../store/engine/columns.ts';
import type { UserRow } from '../../store/users/users.ts';
import { failedDelayMs } from '../backoff.ts';
import { toPlannable } from './load.ts';
import type { UserOutcome, UserStep } from './outcome.ts';
import { listStillPlanned } from './refuse.ts';

/**
 * Counts an attempt at the failed fields. A field that failed by its own fault rests by itself, and the others go on
 * after the look. While the service may be out, the whole user waits, and begins with the other fields.
 */
export function countFailed(
  row: UserRow,
  { planned, isOwn, attemptsMax, now, random }: UserStep,
  outcome: Extract<UserOutcome, { kind: 'later' | 'unknown' }>,
): UserRow {
  const parts = outcome.kind === 'unknown' ? (outcome.parts ?? []) : [];
  const fields = listStillPlanned(row, planned, parts);
  if (fields.length === 0) return row;
  const stuck = addFailed(
    parseStuck<UserField>(row),
    parseStored<Pending<UserField>>(row.pending),
    {
      fields,
      problem: outcome.problem,
      isOwn,
      toRetryAt: (attempts) => (isOwn ? now + failedDelayMs(attempts, attemptsMax, random) : now),
      held: planned.observed ? { name: normaliseName(planned.observed.fullName) } : {},
    },
  );
  const changed = { ...row, ...toStuckColumns(stuck) };
  if (!isOwn) return changed;
  const goesOn = Object.keys(toPlannable(changed, now).pending).length > 0;
  const times = fields.map((field) => stuck[field]?.retryAt ?? now);
  return { ...changed, due_at: goesOn ? now : Math.min(row.due_at ?? now, ...times) };
}
