import type { SandboxGroup } from '../../../src/sandbox/model.ts';
import { hasWaiting } from '../../../src/store/engine/columns.ts';
import type { GroupRow } from '../../../src/store/resources/rows.ts';
import type { Play } from './play.ts';
import type { Snapshot } from './snapshot.ts';

/** A managed group is there with its name and its people; a deleted one is gone. @returns what does not hold */
export function checkGroup(play: Play, row: GroupRow, snapshot: Snapshot): string[] {
  const { service } = play.company;
  const group = row.upstream_id === null ? undefined : service.findGroup(row.upstream_id);
  const problems =
    group === undefined ? checkMissing(row) : checkPresent(play, { row, group, snapshot });
  return problems.map((problem) => `${row.id}: ${problem}`);
}

function checkMissing(row: GroupRow): string[] {
  if (row.deleted_at !== null || row.origin === null) return [];
  if (row.upstream_id !== null) return ['the group is not in the service'];
  return !hasWaiting(row) ? ['is wanted and not there'] : [];
}

interface Present {
  readonly row: GroupRow;
  readonly group: SandboxGroup;
  readonly snapshot: Snapshot;
}

function checkPresent(play: Play, { row, group, snapshot }: Present): string[] {
  if (row.origin === null) return [];
  if (row.deleted_at !== null) return row.origin === 'created' ? ['is deleted and there'] : [];
  const isRenamed = !hasWaiting(row) && group.name !== row.name;
  return [
    ...(isRenamed ? [`is called ${group.name} in the service`] : []),
    ...checkMembers(play, { row, group, snapshot }),
  ];
}

function checkMembers({ company }: Play, { row, group, snapshot }: Present): string[] {
  const there = company.service.state.usersOf('member', group.id);
  const accounts = new Map(snapshot.users.map(({ seq, upstream_id }) => [seq, upstream_id]));
  const known = new Set<number>();
  const problems = snapshot.members.flatMap((link) => {
    const account = accounts.get(link.target);
    if (link.group_id !== row.seq || typeof account !== 'number') return [];
    known.add(account);
    const { target, desired, observed, pending, retry_at } = link;
    const isThere = there.has(account);
    const isOtherwise = desired !== null && (desired === 1) !== isThere;
    const found = [
      (observed === 1) !== isThere && `member ${target} observed=${observed} is ${isThere}`,
      pending !== null && retry_at === null && `member ${target} waits and is not stuck`,
      pending === null && isOtherwise && `member ${target} desired=${desired} is ${isThere}`,
    ];
    return found.filter((problem) => problem !== false);
  });
  const strangers = [...there].filter((account) => !known.has(account));
  return [...problems, ...strangers.map((account) => `nobody knows of member ${account}`)];
}
