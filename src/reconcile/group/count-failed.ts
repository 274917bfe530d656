import type { GroupField } from '../../domain/group.ts';
import { normaliseName } from '../../domain/name.ts';
import type { Pending } from '../../domain/pending.ts';
import { addFailed } from '../../domain/stuck.ts';
import type { Db } from '../../store/database.ts';
import { parseStored } from '../../store/documents.ts';
import type { GroupRow } from '../../store/groups.ts';
import { failLinks } from '../../store/link-work.ts';
import { parseStuck } from '../../store/stuck.ts';
import { failedDelayMs } from '../backoff.ts';
import { listGroupLinks, toTriable } from './load.ts';
import type { GroupOutcome } from './outcome.ts';
import type { GroupStep } from './record.ts';
import { groupRefusedLinks } from './refused-links.ts';
import { listStillPlanned } from './still-planned.ts';

/** Counts the attempt at what failed by its own fault. It rests by itself; what else waits goes on after the look. */
export async function countFailed(
  tx: Db,
  row: GroupRow,
  step: GroupStep,
  outcome: Extract<GroupOutcome, { kind: 'later' | 'unknown' }>,
): Promise<GroupRow> {
  const { planned, isOwn, attemptsMax, now, random } = step;
  const counted = outcome.kind === 'unknown' && isOwn ? (outcome.parts ?? []) : [];
  const parts = await listStillPlanned(tx, row, { planned, parts: counted });
  if (parts.length === 0) return row;
  const { problem } = outcome;
  const times: number[] = [];
  const toRetryAt = (attempts: number) => {
    const retryAt = now + failedDelayMs(attempts, attemptsMax, random);
    times.push(retryAt);
    return retryAt;
  };
  const fields = parts.flatMap((part) => (part.kind === 'field' ? [part.field] : []));
  const held = planned.observed ? { displayName: normaliseName(planned.observed.displayName) } : {};
  const failed = { fields, problem, toRetryAt, held };
  const pending = parseStored<Pending<GroupField>>(row.pending);
  const stuck = addFailed(parseStuck<GroupField>(row), pending, failed);
  for (const { table, changes } of groupRefusedLinks(parts)) {
    await failLinks(tx, table, row.id, { changes, problem, toRetryAt });
  }
  const changed = { ...row, stuck: JSON.stringify(stuck) };
  const due_at = (await goesOn(tx, changed, step)) ? now : Math.min(row.due_at ?? now, ...times);
  return { ...changed, due_at };
}

/** Whether something else of the group can be tried now. */
async function goesOn(tx: Db, row: GroupRow, step: GroupStep): Promise<boolean> {
  const links = await listGroupLinks(tx, row.id, step);
  const { pending, members, admins } = toTriable(row, links, step.now);
  return Object.keys(pending).length + members.length + admins.length > 0;
}
