import { listFoldedEmails } from '../../domain/address.ts';
import type { JsonObject } from '../../domain/json.ts';
import { parseStored } from '../../store/engine/columns.ts';
import type { GroupRow } from '../../store/groups/groups.ts';
import type { ResourceRow } from '../../store/resources/rows.ts';
import type { UserRow } from '../../store/users/users.ts';
import type { FirstRunItem, FirstRunOutcome } from '../schemas/recovery.ts';

/** The account or group of the service that a user or group without one would get. */
export interface Match {
  readonly upstreamId: string;
  /** Of an account: it was seen to take a seat. */
  readonly takesSeat?: boolean;
}

/** The names by which a user without an account is looked for. */
export function listNames(row: UserRow): string[] {
  return [row.user_name_folded, ...listFoldedEmails(parseStored<JsonObject>(row.attributes))];
}

/** Classifies one user; undefined: no provider asked for it, and nothing stands in the way. */
export function classifyUser(
  row: UserRow,
  { match, privilege }: { match: Match | undefined; privilege: string | undefined },
): FirstRunItem | undefined {
  const known = row.upstream_id === null ? null : String(row.upstream_id);
  const item = { type: 'user', id: row.id, name: row.user_name } as const;
  return classify(item, row, { known, match, privilege, isActive: row.active === 1 });
}

/** Classifies one group in the same way. */
export function classifyGroup(
  row: GroupRow,
  { match, privilege }: { match: Match | undefined; privilege: string | undefined },
): FirstRunItem | undefined {
  const id = row.upstream_uid ?? row.upstream_rest_id ?? row.upstream_scim_id;
  const known = id === null ? null : String(id);
  const item = { type: 'group', id: row.id, name: row.display_name } as const;
  return classify(item, row, { known, match, privilege, isActive: true });
}

/** Finds out if a user needs a seat of the service, or frees one; undefined: neither. */
export function findSeatChange(
  row: Pick<UserRow, 'active' | 'upstream_id' | 'takes_seat'>,
  { match, outcome }: { match: Match | undefined; outcome: FirstRunOutcome },
): 'needs' | 'frees' | undefined {
  if (outcome === 'privileged') return undefined;
  const takes = row.upstream_id === null ? match?.takesSeat === true : row.takes_seat === 1;
  const isWanted = row.active === 1 && outcome !== 'remove';
  if (takes === isWanted) return undefined;
  return isWanted ? 'needs' : 'frees';
}

interface Facts {
  /** Its id in the service. */
  readonly known: string | null;
  readonly match: Match | undefined;
  readonly privilege: string | undefined;
  readonly isActive: boolean;
}

function classify(
  item: Pick<FirstRunItem, 'type' | 'id' | 'name'>,
  row: ResourceRow,
  { known, match, privilege, isActive }: Facts,
): FirstRunItem | undefined {
  const upstreamId = known ?? match?.upstreamId ?? null;
  const to = (outcome: FirstRunOutcome, reason: string | null = null) => ({
    ...item,
    outcome,
    upstreamId,
    reason,
  });
  if (row.origin === null) return privilege === undefined ? undefined : to('privileged', privilege);
  if (row.deleted_at !== null) return row.due_at === null ? undefined : to('remove');
  if (known !== null) return to(row.origin === 'adopted' ? 'adopt' : 'linked');
  if (match !== undefined) return to('adopt');
  return to(isActive ? 'create' : 'inactive');
}
