import { isDeepStrictEqual } from 'node:util';
import { listFoldedEmails } from '../../domain/address.ts';
import { defer, withEarlierRefusals } from '../../domain/failure.ts';
import type { JsonObject } from '../../domain/json.ts';
import { listTakenFromUser } from '../../domain/protection.ts';
import { toDesiredUser, type UserField, type UserState } from '../../domain/user.ts';
import { isRuled } from '../../rules/rule-user.ts';
import { parseCells, parseStored } from '../../store/engine/columns.ts';
import type { UserUndo } from '../../store/resources/undo.ts';
import type { Db } from '../../store/store.ts';
import { replaceUserEmails } from '../../store/users/emails.ts';
import type { UserRow } from '../../store/users/users.ts';
import { stuckDelayMs } from '../backoff.ts';
import type { Problem } from '../outcome.ts';
import type { AfterRefusal, Undone } from '../recorded.ts';
import { isTakenBack } from '../take-back.ts';
import type { UserStep } from './outcome.ts';
import { revertUser } from './undo.ts';

/** Refusal of a step, and the writes that can still be told of it. */
interface UserRefusal extends Pick<UserStep, 'undos' | 'now' | 'random'> {
  /** Fields that still are as planned. */
  readonly fields: readonly UserField[];
  readonly problem: Problem;
}

/**
 * Takes back writes that were not answered yet. An acknowledged field stays wanted and rests by itself, so that nothing
 * else of the user waits for it; so does the rest of a write that takes access away, which is never refused for its rest.
 */
export function refuse(row: UserRow, refusal: UserRefusal): AfterRefusal<UserRow> {
  const { fields, problem, now, random } = refusal;
  const undone: Undone[] = [];
  const reverted = new Set<UserField>();
  let draft = row;
  // Compared with the state at the refusal: an older write that waits again, because a later one was undone, was
  // not refused.
  const asked = parseCells<UserField>(row);
  for (const { version, undo } of refusal.undos) {
    // A field asked for by a rule belongs to no write.
    const mine = fields.filter(
      (field) => asked[field]?.pending === version && !isRuled(draft, field),
    );
    if (mine.length === 0 || takesElse(undo, mine)) continue;
    undone.push({ version, problem: withEarlierRefusals(problem, asked, mine) });
    if (undo.before === undefined && mine.includes('account')) {
      return { row: draft, undone, isNotCreated: true };
    }
    draft = revertUser(draft, { undo, fields: mine, isLast: row.version === version, now });
    for (const field of mine) reverted.add(field);
  }
  // Nothing is wanted any more of a write that was taken back as a whole.
  const acknowledged = isTakenBack(row, draft)
    ? []
    : fields.filter((field) => !reverted.has(field));
  const deferral = { problem, now, retryAt: now + stuckDelayMs(random) };
  const next = defer(parseCells<UserField>(draft), { ...deferral, fields: acknowledged });
  const attempts = draft.attempts + (acknowledged.length > 0 ? 1 : 0);
  return { row: { ...draft, cells: JSON.stringify(next), attempts }, undone, isNotCreated: false };
}

/** True when a write takes access away and the service refused something else of it: the removal stays acknowledged. */
function takesElse({ before, after }: UserUndo, refused: readonly UserField[]): boolean {
  const fields = ['active', 'temporarilyInactive'] as const;
  const taken = listTakenFromUser({
    before: before && toDesiredUser(before.attributes, before.deleted),
    after: toDesiredUser(parseStored<JsonObject>(after), false),
    observed: undefined,
    isInService: false,
    fields,
  });
  return taken.length > 0 && !taken.some((field) => refused.includes(field));
}

/**
 * Lists the fields that still are as planned: a field that a later write has changed was not refused, because the
 * service was never asked for the new value.
 */
export function listStillPlanned(
  row: UserRow,
  planned: UserState,
  parts: readonly UserField[],
): UserField[] {
  const cells = parseCells<UserField>(row);
  return parts.filter((field) => cells[field]?.pending === planned.cells[field]?.pending);
}

/** Saves the shown addresses, by which filters find a user. */
export async function saveEmails(tx: Db, before: UserRow, after: UserRow): Promise<void> {
  if (after.attributes === before.attributes) return;
  const [was, is] = [before, after].map((row) =>
    listFoldedEmails(parseStored<JsonObject>(row.attributes)),
  );
  if (is && !isDeepStrictEqual(was, is)) await replaceUserEmails(tx, after.id, is);
}
