import { listFoldedEmails } from '../../domain/address.ts';
import { isWaiting } from '../../domain/cell.ts';
import { type ChangeKind, type FieldChange, listFieldChanges } from '../../domain/change.ts';
import { findWantedRoles, listEntityFields } from '../../domain/entity.ts';
import { listGroupDifferences, toGroupValues } from '../../domain/group.ts';
import type { JsonObject } from '../../domain/json.ts';
import {
  type Deactivation,
  listUserDifferences,
  type ObservedUser,
  toUserValues,
  type UserField,
} from '../../domain/user.ts';
import { parseStored } from '../../store/engine/columns.ts';
import type { WaitingCount } from '../../store/resources/lists.ts';
import type { GroupRow, ResourceRow, UserRow } from '../../store/resources/rows.ts';
import { toGroupState, toUserState } from '../../store/resources/state.ts';
import type { FirstRunItem, FirstRunOutcome } from '../schemas/recovery.ts';

/** The account or group of the service that a user or group without one would get. */
export interface Match {
  readonly upstreamId: string;
  /** Of an account: it was seen to take a seat. */
  readonly takesSeat?: boolean;
  readonly observed?: ObservedUser | undefined;
}

/** Changes of one kind that wait, of an entry of the list. */
export type FirstRunChange = FirstRunItem['changes'][number];

/** Lists the changes of an account that a user has, or would take over: each field that waits and differs. */
export function listUserChanges(
  row: UserRow,
  match: Match | undefined,
  deactivation: Deactivation,
): FirstRunChange[] {
  const { desired, observed = match?.observed, cells } = toUserState(row);
  if (row.origin === null || observed === undefined) return [];
  const isAsked = (field: UserField) => isWaiting(cells.account) || isWaiting(cells[field]);
  const fields = listUserDifferences(desired, observed, cells, deactivation).filter(isAsked);
  return listFieldChanges(fields, toUserValues(desired, observed, deactivation)).map(withCount);
}

/** Lists the changes of a group in the same way, and counts those of its lists and entities. */
export function listGroupChanges(
  row: GroupRow,
  waiting: readonly WaitingCount[],
): FirstRunChange[] {
  const { desired, observed, cells } = toGroupState(row);
  if (row.origin === null) return [];
  const fields = observed
    ? listGroupDifferences(desired, observed, cells).filter((field) => isWaiting(cells[field]))
    : [];
  const own = observed ? listFieldChanges(fields, toGroupValues(desired, observed)) : [];
  const entities = listEntityFields(cells).filter((field) => isWaiting(cells[field]));
  const byKind = Map.groupBy(
    entities,
    (field): ChangeKind =>
      findWantedRoles(cells[field]) === '' ? 'entity.remove' : 'entity.change',
  );
  const counted = [...byKind].map(([kind, some]) => ({ kind, count: some.length }));
  const none = { desired: null, observed: null };
  const unnamed = [...waiting, ...counted].map(({ kind, count }): FirstRunChange => {
    return { ...none, kind, count: Number(count) };
  });
  return [...own.map(withCount), ...unnamed];
}

function withCount(change: FieldChange): FirstRunChange {
  return { ...change, count: 1 };
}

/** The names by which a user without an account is looked for. */
export function listNames(row: UserRow): string[] {
  return [row.name_folded, ...listFoldedEmails(parseStored<JsonObject>(row.attributes))];
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

/** An entry of the list without its changes. */
type Classified = Omit<FirstRunItem, 'changes'>;

/** Classifies a user or group; undefined: no provider asked for it, and nothing stands in the way. */
export function classify(
  row: ResourceRow,
  { match, privilege }: { match: Match | undefined; privilege: string | undefined },
): Classified | undefined {
  const known = row.upstream_uid ?? row.upstream_id ?? row.upstream_scim_id;
  const upstreamId = known === null ? (match?.upstreamId ?? null) : String(known);
  const to = (outcome: FirstRunOutcome, reason: string | null = null) => ({
    type: row.type,
    id: row.id,
    name: row.name,
    outcome,
    upstreamId,
    reason,
  });
  if (row.origin === null) return privilege === undefined ? undefined : to('privileged', privilege);
  if (row.deleted_at !== null) return row.due_at === null ? undefined : to('remove');
  if (known !== null) return to(row.origin === 'adopted' ? 'adopt' : 'linked');
  if (match !== undefined) return to('adopt');
  return to(row.active === 1 ? 'create' : 'inactive');
}
