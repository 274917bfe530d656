import type { SandboxUser } from '../../../src/sandbox/model.ts';
import { parseStored } from '../../../src/store/engine/columns.ts';
import type { UserRow } from '../../../src/store/resources/rows.ts';
import type { Play } from './play.ts';
import { readName, readPending } from './snapshot.ts';

/** What is stored as observed is what the service holds, and what is wanted too, unless it still waits. */
export function checkUser({ company }: Play, row: UserRow): string[] {
  const account = row.upstream_id === null ? undefined : company.service.findUser(row.upstream_id);
  const problems = account === undefined ? checkUnlinked(row) : checkLinked(row, account);
  return problems.map((problem) => `${row.id}: ${problem}`);
}

function checkUnlinked(row: UserRow): string[] {
  if (row.upstream_id !== null) return ['its account is not there'];
  const isWanted = row.deleted_at === null && row.active === 1 && row.origin !== null;
  const waits = readPending(row).account !== undefined;
  return isWanted && !waits ? ['is wanted and has no account'] : [];
}

function checkLinked(row: UserRow, account: SandboxUser): string[] {
  const observed = parseStored<{ fullName: string; active: boolean }>(row.observed ?? '{}');
  const waits = readPending(row);
  const wanted = toWanted(row);
  const isOurs = row.origin !== null;
  const problems = [
    observed.fullName !== account.fullName && `${observed.fullName} is not what the service holds`,
    observed.active !== account.active && `active=${observed.active} is not what it holds`,
    isOurs &&
      waits.active === undefined &&
      wanted.active !== account.active &&
      `active is not ${wanted.active}`,
    isOurs &&
      waits.name === undefined &&
      wanted.name !== undefined &&
      wanted.name !== account.fullName &&
      `${account.fullName} is not ${wanted.name}`,
  ];
  return problems.filter((problem) => problem !== false);
}

/** Of somebody who was deleted only access is wanted: none. */
function toWanted(row: UserRow): { active: boolean; name: string | undefined } {
  if (row.deleted_at !== null) return { active: false, name: undefined };
  return { active: row.active === 1, name: readName(row) };
}
