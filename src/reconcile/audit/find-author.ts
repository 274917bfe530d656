import { type DriftKind, isUnmanagedKind } from '../../domain/drift.ts';
import { type EventView, listEventsAbout, listNameKeys } from '../../store/audit/events.ts';
import { type DriftRow, listComparedSince } from '../../store/drifts.ts';
import type { Db } from '../../store/store.ts';
import { CLOCKS_MS } from './events.ts';

/** Newest events of each user or group that are searched. */
const EVENTS_MAX = 500;

/** A difference, and when it was first seen (epoch milliseconds). */
type SeenDrift = Pick<
  DriftRow,
  'kind' | 'resource_type' | 'resource_id' | 'member_id' | 'first_seen_at'
>;

/**
 * Finds the events whose authors made differences, in their order, from the audit log as far as it was read. It is asked again each time,
 * because an event may be read after its difference is seen. The author is that of the newest event that may have made the
 * difference since the last sweep without it. Undefined where that is our own account, or where the difference was ended
 * since. The number of statements does not grow with the drifts.
 */
export async function findDriftAuthors(
  db: Db,
  drifts: readonly SeenDrift[],
): Promise<(EventView | undefined)[]> {
  if (drifts.length === 0) return [];
  const times = drifts.map(({ first_seen_at }) => first_seen_at);
  const comparedAt = await listComparedSince(db, Math.max(...times));
  const toFrom = ({ kind, first_seen_at }: SeenDrift) =>
    comparedAt({ before: first_seen_at, admins: /^(admin|entity)\./.test(kind) }) - CLOCKS_MS;
  const keys = await listNameKeys(
    db,
    drifts.filter(({ kind }) => isUnmanagedKind(kind)),
  );
  const toSubjects = ({ resource_id, member_id }: SeenDrift) => [
    resource_id,
    ...(member_id === '' ? [] : [member_id]),
    ...(keys.get(resource_id) ?? []),
  ];
  const bySubject = await listEventsAbout(db, {
    subjects: [...new Set(drifts.flatMap(toSubjects))],
    from: Math.min(...drifts.map(toFrom)),
    until: Math.max(...times) + CLOCKS_MS,
    limit: EVENTS_MAX,
  });
  return drifts.map((drift) => {
    const from = toFrom(drift);
    const events = toSubjects(drift)
      .flatMap((subject) => bySubject.get(subject) ?? [])
      .filter((event) => event.at >= from && isAbout(event, drift))
      .sort((a, b) => b.at - a.at);
    // The clock of the service may be ahead, so a later event may be the cause, where none before is.
    const until = (at: number) => events.filter((event) => event.at <= at);
    const { kind, first_seen_at: seenAt } = drift;
    return chooseEvent(until(seenAt), kind) ?? chooseEvent(until(seenAt + CLOCKS_MS), kind);
  });
}

/** About a user in a list an event has to name the group, and that user if it names people at all. */
function isAbout({ named }: EventView, { resource_id, member_id }: SeenDrift): boolean {
  if (member_id === '') return true;
  const users = named.filter(({ type }) => type === 'user');
  const isOfMember = users.length === 0 || users.some(({ id }) => id === member_id);
  return isOfMember && named.some(({ id }) => id === resource_id);
}

/**
 * Chooses the event that made a difference; the newest is first. One whose action the documents explain is surer than a
 * newer one that may have done anything.
 */
function chooseEvent(events: readonly EventView[], kind: DriftKind): EventView | undefined {
  const cause =
    events.find(({ action }) => makes(action, kind)) ??
    events.find(({ action }) => isVague(action));
  return cause?.origin === 'ours' ? undefined : cause;
}

/**
 * Actions of the service's documents that bring a difference of each kind about. They have none for a new name, and an
 * action that stands nowhere here may have done anything.
 */
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

/** True when the documents say that this action makes a difference of this kind. */
function makes(action: string, kind: DriftKind): boolean {
  return ACTIONS[kind].includes(action);
}

/** True when nobody knows what an action does. */
function isVague(action: string): boolean {
  return !LISTED.has(action) && !isIrrelevant(action);
}

/** True when an action changes the members or admins of a group, and not the user whom its event names. */
export function isOfList(action: string): boolean {
  return makes(action, 'member.added') || makes(action, 'member.removed') || isOfAdmins(action);
}

/** True when an action changes the admins of a group. */
export function isOfAdmins(action: string): boolean {
  return makes(action, 'admin.added') || makes(action, 'admin.removed');
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
