import { listFoldedEmails } from '../../domain/address.ts';
import type { JsonObject } from '../../domain/json.ts';
import { parseStored } from '../../store/documents.ts';
import type { GroupRow } from '../../store/groups.ts';
import type { UserRow } from '../../store/users.ts';

/**
 * What a person or group is to the bridge before it changes the service.
 * - `adopt`: it matches an account or group that exists, which is taken over
 * - `linked`: it belongs to one that the bridge made or took over before
 * - `create`: it matches none, and would be made
 * - `inactive`: it matches none, and would be made once it is active
 * - `remove`: its provider deleted it
 * - `disputed`: it matches several, or waits for an operator; its provider is answered 409
 * - `privileged`: it exists and is never taken over by itself; its provider is answered 409 or 403
 */
export const FIRST_RUN_OUTCOMES = [
  'adopt',
  'linked',
  'create',
  'inactive',
  'remove',
  'disputed',
  'privileged',
] as const;

/** One of them. */
export type FirstRunOutcome = (typeof FIRST_RUN_OUTCOMES)[number];

/** One person or group before the bridge is live. Names are personal. */
export interface FirstRunItem {
  readonly type: 'user' | 'group';
  /** The SCIM id; null where nobody has one yet. */
  readonly id: string | null;
  readonly name: string;
  readonly outcome: FirstRunOutcome;
  /** The id of the account or group in the service. */
  readonly upstreamId: string | null;
  /** Why it is disputed or privileged. */
  readonly reason: string | null;
}

/** The account or group of the service that somebody who has none yet would get. */
export interface Match {
  readonly upstreamId: string;
}

/** The names by which somebody without an account is looked for. */
export function listNames(row: UserRow): string[] {
  return [row.user_name_folded, ...listFoldedEmails(parseStored<JsonObject>(row.attributes))];
}

/** What becomes of one person; undefined: nobody asked for them, and nothing stands in the way. */
export function judgeUser(
  row: UserRow,
  { match, privilege }: { match: Match | undefined; privilege: string | undefined },
): FirstRunItem | undefined {
  const known = row.upstream_id === null ? null : String(row.upstream_id);
  const item = { type: 'user', id: row.id, name: row.user_name } as const;
  return judge(item, row, { known, match, privilege, isActive: row.active === 1 });
}

/** The same of a group. */
export function judgeGroup(
  row: GroupRow,
  { match, privilege }: { match: Match | undefined; privilege: string | undefined },
): FirstRunItem | undefined {
  const id = row.upstream_uid ?? row.upstream_rest_id ?? row.upstream_scim_id;
  const known = id === null ? null : String(id);
  const item = { type: 'group', id: row.id, name: row.display_name } as const;
  return judge(item, row, { known, match, privilege, isActive: true });
}

interface Facts {
  /** Its id in the service. */
  readonly known: string | null;
  readonly match: Match | undefined;
  readonly privilege: string | undefined;
  readonly isActive: boolean;
}

function judge(
  item: Pick<FirstRunItem, 'type' | 'id' | 'name'>,
  row: UserRow | GroupRow,
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
