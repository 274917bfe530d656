import { type DriftKind, isUnmanagedKind } from '../../domain/drift.ts';
import { type DriftRow, listComparedSince } from '../../store/drifts.ts';
import { type EventView, listEventsAbout, listNameKeys } from '../../store/logs.ts';
import type { ResourceRow } from '../../store/resources/rows.ts';
import type { Db } from '../../store/store.ts';
import { listWhere } from '../../store/tables.ts';
import { CLOCKS_MS } from './events.ts';

/** Newest events of each user or group that are searched. */
const EVENTS_MAX = 500;

/** A difference, and when it was first seen (epoch milliseconds). */
type SeenDrift = Pick<
  DriftRow,
  'kind' | 'resource_type' | 'resource_id' | 'member_id' | 'first_seen_at'
>;

/** Finds for each difference the newest event that may have made it since the last sweep without it; none of our own. */
export async function findDriftAuthors(
  db: Db,
  drifts: readonly SeenDrift[],
): Promise<(EventView | undefined)[]> {
  if (drifts.length === 0) return [];
  const times = drifts.map(({ first_seen_at }) => first_seen_at);
  const comparedAt = await listComparedSince(db, Math.max(...times));
  const unmanaged = drifts.filter(({ kind }) => isUnmanagedKind(kind));
  const id = unmanaged.map(({ resource_id }) => resource_id);
  const rows = await listWhere<'resources', ResourceRow>(db, 'resources', { id });
  const keys = new Map<string, string[]>(rows.map((row) => [row.id, listNameKeys(row)]));
  const searches = drifts.map((drift) => {
    const { kind, resource_id, member_id, first_seen_at: before } = drift;
    const from = comparedAt({ before, admins: /^(admin|entity)\./.test(kind) }) - CLOCKS_MS;
    const subjects = [resource_id, member_id, ...(keys.get(resource_id) ?? [])];
    return { drift, from, subjects: subjects.filter((subject) => subject !== '') };
  });
  const all = new Set(searches.flatMap(({ subjects }) => subjects));
  const bySubject = await listEventsAbout(db, [...all], {
    from: Math.min(...searches.map(({ from }) => from)),
    until: Math.max(...times) + CLOCKS_MS,
    limit: EVENTS_MAX,
  });
  return searches.map(({ drift, from, subjects }) => {
    const { kind, first_seen_at: seenAt } = drift;
    const events = subjects
      .flatMap((subject) => bySubject.get(subject) ?? [])
      .filter((event) => event.at >= from && isAbout(event, drift))
      .sort((a, b) => b.at - a.at);
    const choose = (until: number) =>
      findCause(
        kind,
        events.filter(({ at }) => at <= until),
      );
    // The clock of the service may be ahead, so a later event may be the cause, where none before is.
    return choose(seenAt) ?? choose(seenAt + CLOCKS_MS);
  });
}

/** About a user in a list an event has to name the group, and that user if it names people at all. */
function isAbout({ named }: EventView, { resource_id, member_id }: SeenDrift): boolean {
  if (member_id === '') return true;
  const users = named.filter(({ resource_type }) => resource_type === 'user');
  const isOfMember = users.length === 0 || users.some(({ subject }) => subject === member_id);
  return isOfMember && named.some(({ subject }) => subject === resource_id);
}

/** Actions that make a difference of each kind, by the documents. One that stands nowhere may have done anything. */
const ACTIONS: Readonly<Record<DriftKind, readonly string[]>> = {
  'user.missing': ['depersonalization', 'delete', 'deactivate'],
  'user.deactivated': ['deactivate', 'depersonalization', 'delete'],
  'user.activated': ['activate', 'invite', 'create'],
  'user.renamed': [],
  'user.access': ['change_apps_permissions'],
  'user.unmanaged': ['invite', 'create'],
  'group.missing': ['delete', 'group_deactivate'],
  'group.renamed': [],
  'group.permissions': ['grant_access', 'revoke_access'],
  'group.unmanaged': ['create', 'group_activate'],
  'member.added': ['add_user', 'admin_add_user'],
  'member.removed': ['delete_user', 'admin_delete_user'],
  'admin.added': ['add_admin'],
  'admin.removed': ['delete_admin'],
  'entity.added': ['grant_access'],
  'entity.removed': ['revoke_access'],
  'entity.changed': ['grant_access', 'revoke_access'],
};
const LISTED: ReadonlySet<string> = new Set(Object.values(ACTIONS).flat());

/** An action that the documents explain is surer than a newer one that may have done anything. Our own is no cause. */
function findCause(kind: DriftKind, events: readonly EventView[]): EventView | undefined {
  const isVague = (action: string) => !LISTED.has(action) && !isIrrelevant(action);
  const sure = events.find(({ action }) => ACTIONS[kind].includes(action));
  const cause = sure ?? events.find(({ action }) => isVague(action));
  return cause?.origin === 'ours' ? undefined : cause;
}

/** True when an action changes the admins of a group. */
export function isOfAdmins(action: string): boolean {
  return [...ACTIONS['admin.added'], ...ACTIONS['admin.removed']].includes(action);
}

/** True when an action changes the members or admins of a group, and not the user whom its event names. */
export function isOfList(action: string): boolean {
  const ofMembers = [...ACTIONS['member.added'], ...ACTIONS['member.removed']];
  return ofMembers.includes(action) || isOfAdmins(action);
}

const IRRELEVANT: ReadonlySet<string> = new Set(
  `start stop request_auth_pin change_password set_sd_password change_temporary_sd_password
  invite_fail publish_document publish_document_group publish_card unpublish_document
  unpublish_document_group unpublish_card share_entity unshare_entity public_link extend_trial`.split(
    /\s+/,
  ),
);
/** A sign-in or a session, in any spelling: `sign_in_fail`, `userLoggedIn`, `session.created`. */
const SIGN_IN =
  /sign(ed)?[^a-z]?(in|out)|log(ged)?[^a-z]?(in|out|on|off)(?![a-z])|session|authenticat/i;

/** True when an action changes nothing that the bridge keeps, whomever its event names. */
export function isIrrelevant(action: string): boolean {
  return IRRELEVANT.has(action) || (SIGN_IN.test(action) && !LISTED.has(action));
}
