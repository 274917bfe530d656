import type { DriftKind } from '../../domain/change.ts';
import { isUnmanagedKind } from '../../domain/change.ts';
import { findJson, foldCase } from '../../domain/values.ts';
import type { DriftRow } from '../../store/drifts.ts';
import { CONCLUDED } from '../../store/drifts.ts';
import type { EventView } from '../../store/logs.ts';
import { listCreations, listEventsAbout, listNameKeys } from '../../store/logs.ts';
import { listCalled, listCalledNames } from '../../store/resources/find.ts';
import type { ResourceRow } from '../../store/resources/rows.ts';
import type { Db } from '../../store/store.ts';
import { createShared, listWhere } from '../../store/tables.ts';
import type { AuditEvent } from '../../upstream/shapes/audit-event.ts';
import type { ReconcileDeps } from '../deps.ts';
import { findOwnAccount } from '../sections.ts';

/** Uncertainty of the difference between the clocks of the bridge and of the service, in milliseconds. */
export const CLOCKS_MS = 3 * 60_000;

/** Limits of the search through `details`, whose shape the service chooses. */
const DEPTH_MAX = 10;
const NAMES_MAX = 200;
const LENGTH_MAX = 256;
const MESSAGE_MAX = 2_000;
/** Length to which texts of an event are kept. */
const TEXT_LENGTH_MAX = 4_096;

type Subject = 'user' | 'group';

/** An event, with what it names. */
type NamedEvent = Awaited<ReturnType<typeof nameNewEvents>>[number];
/** The same, with who made it. */
export type JudgedEvent = Awaited<ReturnType<typeof findOrigins>>[number];

/** Finds whom events name that are not stored yet, the oldest first. Any text may be an id or a name: no key is documented. */
export async function nameNewEvents(deps: ReconcileDeps, events: readonly AuditEvent[]) {
  const db = deps.store.read;
  const aheadMs = deps.upstream.aheadMs();
  // A service that was set up anew gives its ids again.
  const toId = ({ id, createdAt }: AuditEvent) => `${toText(id)} ${createdAt.getTime()}`;
  const byId = new Map(events.map((audit) => [toId(audit), audit]));
  const stored = await listWhere(db, 'audit_events', { id: [...byId.keys()] });
  for (const { id } of stored) byId.delete(id);
  const listed = [...byId].map(([id, audit]) => ({ id, audit, names: listNames(audit) }));
  const texts = new Set(listed.flatMap(({ names }) => [...names.keys()]));
  const called = (await listCalled(db, texts)).flatMap((row) =>
    listCalledNames(row).map((name) => ({ name, row })),
  );
  const byName = Map.groupBy(called, ({ name }) => name);
  const named = listed.map((event) => {
    const meant = [...event.names].flatMap(([text, types]) => {
      const found = byName.get(text) ?? byName.get(foldCase(text)) ?? [];
      return found.filter(({ row }) => types.has(row.type)).map(({ row }) => row);
    });
    /** The users and groups that it names, also those that are unmanaged or deleted; once each. */
    const rows = [...new Map(meant.map((row) => [row.id, row])).values()];
    /** Epoch milliseconds, by our own clock. */
    const at = event.audit.createdAt.getTime() - aheadMs;
    return { ...event, at, rows };
  });
  return named.sort((a, b) => a.at - b.at);
}

/** Text without NUL, which PostgreSQL cannot store. */
export const toText = (text: string) => text.replaceAll('\0', '').slice(0, TEXT_LENGTH_MAX);

/** Finds addresses, uids, numbers, and quoted text. */
const NAMES_IN_TEXT =
  /[^\s"'«»“”<>()[\]{},;:@]+@[^\s"'«»“”<>()[\]{},;:@]*[\p{L}\p{N}]|\b[\da-f]{8}-[\da-f-]{27}\b|"[^"]+"|'[^']+'|«[^»]+»|“[^”]+”|\b\d+\b/giu;
const QUOTES = /^["'«“]|["'»”]$/g;

/** Lists the texts of an event that may be an id or a name, each with the types that it may identify. */
function listNames({ category, details, message = '' }: AuditEvent) {
  const names = new Map<string, ReadonlySet<Subject>>();
  function add(text: string, path: readonly string[]): void {
    // No name in the store has a NUL, and PostgreSQL cannot be asked for one.
    if (text === '' || text.length > LENGTH_MAX || text.includes('\0')) return;
    names.set(text, (names.get(text) ?? new Set()).union(toSubjects(text, path)));
  }
  for (const [text, path] of listTexts(details, [category]).take(NAMES_MAX)) add(text, path);
  add(message, [category]);
  for (const [name] of message.slice(0, MESSAGE_MAX).matchAll(NAMES_IN_TEXT)) {
    const text = name.replaceAll(QUOTES, '');
    // A number that the details have as well is what its key there says.
    if (!names.has(text)) add(text, [category]);
  }
  return names;
}

/** Lists the texts and numbers of a JSON value, those of JSON within a text too, each with the keys that lead to it. */
function* listTexts(
  value: unknown,
  path: readonly string[],
): Generator<readonly [text: string, path: readonly string[]]> {
  const inner = typeof value === 'string' ? findJson(value) : value;
  if (path.length > DEPTH_MAX) return;
  if (typeof inner === 'object' && inner !== null) {
    const type = 'type' in inner && typeof inner.type === 'string' ? [inner.type] : [];
    for (const [key, one] of Object.entries(inner)) yield* listTexts(one, [...path, ...type, key]);
  } else if (typeof value === 'string' || typeof value === 'number') yield [String(value), path];
}

/** A user and a group may have the same number: the nearest key that says `user` or `group` decides. */
function toSubjects(text: string, path: readonly string[]): Set<Subject> {
  const keys = /^\d+$/.test(text) ? path.toReversed() : [];
  for (const key of keys) {
    const isOfGroup = /group|team/i.test(key);
    const isOfUser = /user|member|person|account|admin/i.test(key);
    if (isOfGroup && isOfUser) break;
    if (isOfGroup || isOfUser) return new Set([isOfGroup ? 'group' : 'user']);
  }
  return new Set(['user', 'group']);
}

/** A sign-in or a session, in any spelling (`sign_in_fail`, `userLoggedIn`), a password, or a document that is shared. */
const IRRELEVANT =
  /sign(ed)?[^a-z]?(in|out)|log(ged)?[^a-z]?(in|out|on|off)(?![a-z])|session|authenticat|password|publish|^(un)?share|^(start|stop|request_auth_pin|invite_fail|public_link|extend_trial)$/i;

/** True when an action changes nothing that the bridge keeps, whomever its event names. */
export const isIrrelevant = (action: string) => IRRELEVANT.test(action);

/** Time after a creation within which its event happens, by clocks that may differ, in milliseconds. */
const CREATED_WITHIN_MS = 2 * CLOCKS_MS;

/** Our own account as events have shown it; unknown: none has, or the log shows no ids of authors. */
export const LEARNED = createShared<number>('audit-own-account');

/** Tells by their authors who made events. */
export async function findOrigins(tx: Db, events: readonly NamedEvent[], now: number) {
  const known = await findOwnAccount(tx);
  if (known === undefined) await learnOwnAccount(tx, events, now);
  const own = known ?? (await LEARNED.find(tx));
  return events.map((event) => {
    const { authorId } = event.audit;
    const isUnknown = authorId === undefined || own === undefined;
    const origin = isUnknown ? 'unknown' : authorId === own ? 'ours' : 'foreign';
    return { ...event, origin } as const;
  });
}

/** Learns our own account where the service does not tell it: the author of the first event about what we just created. */
async function learnOwnAccount(tx: Db, events: readonly NamedEvent[], now: number): Promise<void> {
  const ids = new Set(events.flatMap(({ rows }) => rows.map(({ id }) => id)));
  const from = (events[0]?.at ?? 0) - CREATED_WITHIN_MS;
  const creations = await listCreations(tx, { ids: [...ids], from });
  const authors = creations.flatMap(({ resource_id, at }) => {
    const isOfIt = ({ rows }: NamedEvent) => rows.some(({ id }) => id === resource_id);
    const first = events.find((one) => isOfIt(one) && one.at >= at - CLOCKS_MS);
    return first !== undefined && first.at <= at + CREATED_WITHIN_MS
      ? (first.audit.authorId ?? [])
      : [];
  });
  // Nobody else can have changed it before, so the events of one page agree.
  const [author] = authors;
  if (author !== undefined && new Set(authors).size === 1) await LEARNED.save(tx, author, now);
}

/** Newest events of each user or group that are searched for authors, and newest sweeps. */
const SEARCHED_MAX = 500;

/** A difference, and when it was first seen (epoch milliseconds). */
type SeenDrift = Pick<DriftRow, 'kind' | 'resource_id' | 'member_id' | 'first_seen_at'>;

/** Finds for each difference the newest event that may have made it since the last sweep without it; none of our own. */
export async function findDriftAuthors(
  db: Db,
  drifts: readonly SeenDrift[],
): Promise<(EventView | undefined)[]> {
  if (drifts.length === 0) return [];
  const times = drifts.map(({ first_seen_at }) => first_seen_at);
  const over = { status: CONCLUDED, ended_at: { '<': Math.max(...times) } };
  const sweeps = await listWhere(db, 'sweeps', over, { order: 'seq desc', limit: SEARCHED_MAX });
  const unmanaged = drifts.filter(({ kind }) => isUnmanagedKind(kind));
  const id = unmanaged.map(({ resource_id }) => resource_id);
  const rows = await listWhere<'resources', ResourceRow>(db, 'resources', { id });
  const keys = new Map<string, string[]>(rows.map((row) => [row.id, listNameKeys(row)]));
  const searches = drifts.map((drift) => {
    const { kind, resource_id, member_id, first_seen_at } = drift;
    const isOfList = /^(admin|entity)\./.test(kind);
    const compared = sweeps.find(
      ({ ended_at, reads_admins }) =>
        Number(ended_at) < first_seen_at && (reads_admins === 1 || !isOfList),
    );
    const from = (compared?.started_at ?? 0) - CLOCKS_MS;
    const subjects = [resource_id, member_id, ...(keys.get(resource_id) ?? [])];
    return { drift, from, subjects: subjects.filter((subject) => subject !== '') };
  });
  const all = new Set(searches.flatMap(({ subjects }) => subjects));
  const earliest = Math.min(...searches.map(({ from }) => from));
  const until = Math.max(...times) + CLOCKS_MS;
  const period = { from: earliest, until, limit: SEARCHED_MAX };
  const bySubject = await listEventsAbout(db, [...all], period);
  return searches.map(({ drift, from, subjects }) => {
    const events = subjects
      .flatMap((subject) => bySubject.get(subject) ?? [])
      .filter((event) => event.at >= from && mayHaveMade(event, drift))
      .sort((a, b) => b.at - a.at);
    const choose = (until: number) => {
      const before = events.filter(({ at }) => at <= until);
      // An action that the documents explain is surer than a newer one that may have done anything.
      const sure = before.find(({ action }) => ACTIONS[drift.kind].includes(action));
      const cause = sure ?? before.find(({ action }) => !EXPLAINED.has(action));
      return cause?.origin === 'ours' ? undefined : cause;
    };
    // The clock of the service may be ahead, so a later event may be the cause, where none before is.
    return choose(drift.first_seen_at) ?? choose(drift.first_seen_at + CLOCKS_MS);
  });
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
const EXPLAINED: ReadonlySet<string> = new Set(Object.values(ACTIONS).flat());

/** About a user in a list an event has to name the group, and that user if it names people at all. */
function mayHaveMade({ action, named }: EventView, { resource_id, member_id }: SeenDrift): boolean {
  if (isIrrelevant(action)) return false;
  if (member_id === '') return true;
  const users = named.filter(({ resource_type }) => resource_type === 'user');
  const isOfMember = users.length === 0 || users.some(({ subject }) => subject === member_id);
  return isOfMember && named.some(({ subject }) => subject === resource_id);
}
