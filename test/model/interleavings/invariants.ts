import { hasWaiting } from '../../../src/store/engine/columns.ts';
import type { GroupRow, UserRow } from '../../../src/store/resources/rows.ts';
import { checkGroup } from './check-group.ts';
import { checkUser } from './check-user.ts';
import type { Play } from './play.ts';
import { readSnapshot, type Snapshot } from './snapshot.ts';

/** What has to hold of every schedule in the end, whatever was asked. @returns what does not */
export async function checkInvariants(play: Play): Promise<string[]> {
  const snapshot = await readSnapshot(play.world.store);
  return [
    ...play.failures.map((failure) => `our own error: ${describeError(failure)}`),
    ...checkAnswers(play),
    ...[...snapshot.users, ...snapshot.groups].flatMap(checkRest),
    ...snapshot.users.flatMap((row) => checkUser(play, row)),
    ...snapshot.groups.flatMap((row) => checkGroup(play, row, snapshot)),
    ...checkAccounts(play, snapshot),
    ...checkGroups(play, snapshot),
  ];
}

function describeError(error: unknown): string {
  return error instanceof Error
    ? `${error.message} ${describeError(error.cause)}`
    : String(error ?? '');
}

function checkAnswers({ sent, company }: Play): string[] {
  // 503 is said of what could not be looked at, and then nothing is stored.
  const odd = sent.filter(
    ({ status, stored, request }) =>
      ((status ?? 0) >= 500 && (status !== 503 || stored !== undefined)) ||
      (status === 400 && stored !== undefined && !company.mayRefuse(JSON.stringify(request.body))),
  );
  return odd.map(({ status, detail }) => `a request was answered ${status}: ${detail}`);
}

/** Nothing is on its way, and whatever still waits is visibly stuck. */
function checkRest(row: UserRow | GroupRow): string[] {
  const waits = hasWaiting(row);
  const isGone = row.deleted_at !== null && row.due_at === null;
  const problems = [
    row.unsure_until !== null && !isGone && 'a call may still take effect',
    waits && row.stuck_at === null && `${row.cells} waits and is not stuck`,
    waits && row.due_at === null && `${row.cells} waits and is never due`,
    row.stuck_at !== null && row.last_error === null && 'is stuck and nobody knows why',
    row.must_look !== 0 && !isGone && 'was never looked at',
  ];
  return problems.flatMap((problem) => (problem === false ? [] : [`${row.id}: ${problem}`]));
}

/** Every account belongs to one person: nobody is there twice, and none is nobody's. */
function checkAccounts({ company }: Play, { users }: Snapshot): string[] {
  const accounts = company.service.users().filter(({ id }) => id !== company.service.owner.id);
  return accounts.flatMap((account) => {
    const rows = users.filter(({ upstream_id }) => upstream_id === account.id);
    const live = rows.filter(({ deleted_at }) => deleted_at === null);
    if (live.length > 1) return [`account ${account.email} belongs to ${live.length} users`];
    return rows.length === 0 && account.active ? [`account ${account.email} is nobody's`] : [];
  });
}

function checkGroups({ company }: Play, { groups }: Snapshot): string[] {
  return company.service.groups().flatMap((group) => {
    const rows = groups.filter(({ upstream_id }) => upstream_id === group.id);
    const live = rows.filter(({ deleted_at }) => deleted_at === null);
    if (live.length > 1) return [`group ${group.name} belongs to ${live.length} groups`];
    return rows.length === 0 ? [`group ${group.name} is nobody's`] : [];
  });
}
