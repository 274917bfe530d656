import type { Cells, Failure } from '../domain/cell.ts';
import type {
  ChangeClass,
  ChangeKind,
  Detector,
  DriftKind,
  DriftStatus,
  HarmKind,
} from '../domain/change.ts';
import type { Profile, Purpose } from '../domain/credential.ts';
import type { SeenEntities } from '../domain/entity.ts';
import type { Field, ObservedGroup, ObservedUser, SentCreate } from '../domain/kinds.ts';
import type { LinkList } from '../domain/link.ts';
import type { ActionStatus, PlanCounts, PlanOrigin, PlanStatus } from '../domain/plan.ts';
import type { Staged } from '../domain/provider.ts';
import type { GroupId, JsonObject, JsonValue, Refusal, UserId } from '../domain/values.ts';
import type { Exchange, WrittenPath } from '../domain/write.ts';
import { big, clusteredTable, int, json, serial, table, text } from './engine/table.ts';

/** Way in which a resource became managed; null in the tables: it is only observed. */
export type Origin = 'created' | 'adopted';

/** The urgency of due work, smallest first: removal of access, changes a provider asked for, looks. */
export type DueClass = 0 | 1 | 2;

type ResourceType = 'user' | 'group';

/** Condition of a request with a repair that operators are shown. */
export const HAS_REMARK = `(written like '%"part-left-out"%' or written like '%"name-recycled"%')`;

/** Columns of what is desired and what the service holds: see `Difference`. */
const DIFFERENCE = {
  resource_type: text<ResourceType>(),
  resource_id: text(),
  member_id: text(),
  desired: json<JsonValue>().orNull(),
  observed: json<JsonValue>().orNull(),
};

/** The whole store, each table behind those that it refers to. Times are epoch milliseconds, flags 0 or 1. */
export const TABLES = {
  /** Users and groups. Columns that only one type has are null or 0 for the other. */
  resources: table({
    seq: serial(), // Order of creation: lists are sorted by it and cursors point at it.
    type: text<ResourceType>(),
    id: text<UserId | GroupId>().rule('unique'),
    name: text(), // The userName or displayName as shown.
    name_folded: text(),
    origin: text<Origin>().orNull(),
    provider: text().default('default'), // Manages it; `external_id` means something to that one alone.
    staged: text<Staged>().orNull(), // Why the service gets nothing of it; null: it does.
    external_id: text().orNull(),
    upstream_id: big().orNull(), // The numeric id in the service, once known. At most one live row of its type holds it.
    upstream_scim_id: text().orNull(), // Further ids by which the service knows a group.
    upstream_uid: text().orNull(),
    attributes: json<JsonObject>(), // SCIM attributes as shown: desired when managed, derived from what was observed when not.
    observed: json<ObservedUser | ObservedGroup>().orNull(), // Last observation, with its time and the call that made it; null: never seen.
    cells: json<Cells<Field>>().default('{}'), // State of each owned field.
    // Not 0: a look is needed first. Each request for one raises it, and a look answers those that were made before it left.
    must_look: int().default(0),
    version: big().default(1), // The ETag. Raised by every change a reader can see.
    created_at: big(),
    modified_at: big(),
    due_at: big().orNull(),
    due_class: int<DueClass>().default(1),
    attempts: int().default(0), // Failures in a row of what waits; a look that works in between ends none.
    failing_since: big().orNull(), // Time since which pending changes fail; null: none does.
    asked_kind: text<ChangeClass>().orNull(), // Most urgent change of a provider that waits; null: none does.
    asked_at: big().orNull(), // When it was accepted, by the clock of the store.
    asked_version: big().orNull(), // Version of its write.
    asked_trace: text().orNull(), // Trace of its request, as W3C Trace Context writes it.
    last_error: json<Refusal>().orNull(), // Error of the last attempt: code and the service's words.
    stuck_at: big().orNull(), // Time since which the service refuses an acknowledged change; null: it refuses none.
    sent_creates: json<readonly SentCreate[]>().default('[]'), // Creates that left, with an unknown outcome.
    // Until then a call without a known outcome may still take effect; the look after it ends the doubt. null: none may.
    unsure_until: big().orNull(),
    deleted_at: big().orNull(), // Deleted through SCIM, or accepted as gone: in no answer from then on.
    display_folded: text().orNull(), // Folded displayName of a user.
    address_folded: text().orNull(), // The address that an account is made with. No other managed user may have it.
    active: int().default(1), // 0: a user who is not to work.
    observed_user_name_folded: text().orNull(), // Users are correlated on the observed userName and address only.
    observed_email_folded: text().orNull(),
    owner: int().default(0), // 1: the service says the account is an owner.
    takes_seat: int().default(0), // 1: the account was last seen to take one of the seats of the service.
    seat_since: big().orNull(), // Time since which an addition waits for a free seat; null: none does.
    left_at: big().orNull(), // When the last removal of the user's access was accepted.
    out_at: big().orNull(), // Time of the observation after it that showed the user to be out.
    erased_at: big().orNull(), // When all personal data was erased: later observations are stored without it too.
    admins_read_at: big().orNull(), // Time of the last read of the admin list; null: never.
    entities: json<SeenEntities>().orNull(), // The entities as listed last; null: they were not, or may have changed since.
    admins_asked: int().default(0), // 1: a provider wrote the list of admins, so rules leave it alone.
    inner_groups: json<readonly GroupId[]>().default('[]'), // Ids of the groups that a provider made members.
  }).keys({
    // No index begins with the type: without statistics SQLite would take it for the best one everywhere.
    upstream:
      'unique index (upstream_id, type) where deleted_at is null and upstream_id is not null',
    account: 'index (upstream_id, type, deleted_at, seq) where upstream_id is not null',
    scim_id:
      'unique index (upstream_scim_id) where deleted_at is null and upstream_scim_id is not null',
    by_scim_id: 'index (upstream_scim_id) where upstream_scim_id is not null',
    uid: 'unique index (upstream_uid) where deleted_at is null and upstream_uid is not null',
    by_uid: 'index (upstream_uid) where upstream_uid is not null',
    managed_name:
      'unique index (name_folded, type) where deleted_at is null and origin is not null',
    users: "index (seq, deleted_at) where type = 'user' and deleted_at is null",
    groups: "index (seq, deleted_at) where type = 'group'",
    name: 'index (name_folded)',
    external: 'index (external_id) where external_id is not null',
    provider: "index (provider) where provider <> 'default'",
    display: 'index (display_folded) where display_folded is not null',
    address: 'index (address_folded) where address_folded is not null',
    observed_name: 'index (observed_user_name_folded) where observed_user_name_folded is not null',
    observed_email: 'index (observed_email_folded) where observed_email_folded is not null',
    modified: 'index (modified_at, seq)',
    inactive: 'index (seq) where active = 0',
    nesting: "index (seq) where inner_groups <> '[]'",
    lost: "index (seq) where sent_creates <> '[]'",
    stuck: 'index (stuck_at) where stuck_at is not null',
    seats: 'index (upstream_id) where takes_seat = 1',
    owners: 'index (seq) where owner = 1',
    left: 'index (left_at, seq) where left_at is not null',
    seat_wait: 'index (due_at, seq) where seat_since is not null',
    asked: 'index (asked_kind, asked_at) where asked_kind is not null',
    tombstones: 'index (deleted_at, seq) where deleted_at is not null',
    staged: 'index (provider, type, seq) where staged is not null',
    due: 'index (due_class, due_at, stuck_at, attempts, failing_since, seat_since) where due_at is not null',
  }),

  /** Names beside those in the row: an e-mail address, for filters, or a former name, for protection. */
  names: table({
    resource: text<UserId | GroupId>().rule(
      'references resources (id) on delete cascade on update cascade',
    ),
    name: text(), // Folded.
    former: int().default(0), // 1: the user or group does not carry it any more.
  }).keys({
    pk: 'primary key (name, resource)',
    resource: 'index (resource)',
    former: 'index (resource) where former = 1',
  }),

  /** One user in one list of a group, by their numbers: see `Link`. In the order of groups, so that a list is read in one place. */
  links: clusteredTable({
    group_id: big().rule('references resources (seq) on delete cascade'),
    list: text<LinkList>(),
    target: big().rule('references resources (seq) on delete cascade'),
    desired: int().orNull(),
    observed: int().orNull(),
    pending: big().orNull(),
    put_in: int().default(0),
    by_rule: int().default(0),
    failure: json<Failure>().orNull(), // Of what waits. What follows stands in it, for the indexes.
    retry_at: big().orNull(), // null: now, also after a failure.
    attempts: int().default(0),
    stuck_at: big().orNull(),
    sent: big().orNull(),
  }).keys({
    pk: 'primary key (group_id, list, target)',
    target: 'index (target, list, group_id, desired, observed, by_rule)',
    pending: 'index (group_id, pending) where pending is not null',
    admins: "index (group_id, desired) where list = 'admin'",
    stuck: 'index (stuck_at) where stuck_at is not null',
    sent: 'index (group_id, sent) where sent is not null',
  }),

  /** State that all processes share: learned quirks, refused sections, cursors, its identity. */
  state: table({
    name: text().rule('primary key'),
    value: text(),
    updated_at: big(),
  }),

  /** Writes that could not be matched to one account; never guessed, listed for an operator. */
  disputes: table({
    seq: serial(),
    resource_type: text<ResourceType>(),
    name_folded: text(),
    reason: text(),
    first_seen_at: big(),
    last_seen_at: big(),
    count: int(),
  }).keys({ name: 'unique index (resource_type, name_folded)' }),

  /** The ledger of our own mutating calls: one row a change, written before the call leaves. */
  own_calls: table({
    id: serial(),
    at: big(),
    operation: text(),
    kind: text<ChangeKind>(),
    resource_type: text<ResourceType>(),
    resource_id: text(),
    upstream_id: text().orNull(), // The account or group in the id that the call names; null at a creation.
    member_id: text().orNull(),
    // `unknown`: it may have changed something; null: the call is on its way, or the outcome is lost.
    outcome: text<'done' | 'refused' | 'unknown' | 'not-sent'>().orNull(),
    error: text().orNull(), // Code of the error.
    // 1: a plan asked for it, which has limits of its own, or it follows from a deletion, which counts by itself.
    is_repair: int().default(0),
  }).keys({
    at: 'index (at)',
    resource: 'index (resource_id, at)',
    member: 'index (member_id, at) where member_id is not null',
    kind: 'index (kind, at, is_repair, outcome, resource_id, upstream_id, member_id)',
  }),

  /** Condition and one receiver: see `Condition`. */
  notices: table({
    receiver: text(),
    key: text(),
    // The message that the condition began waits or has arrived (`active`); `once`: its end waits, or what has none.
    phase: text<'began' | 'active' | 'once'>(),
    id: text(), // Id of the message, the same at each attempt.
    type: text(),
    body: text(), // As it is sent.
    ended: text().orNull(), // Notice for when it ends; null: none.
    since: big(), // Time of the phase.
    attempts: int(), // Attempts that were begun.
    due_at: big(), // Time of the next attempt.
    error: text().orNull(), // Why the last attempt failed; null: there was none.
  }).keys({ pk: 'primary key (receiver, key)' }),

  /** Difference found in the service: see `Difference`. */
  drifts: table({
    seq: serial(), // Order of finding: lists are sorted by it and cursors point at it.
    id: text().rule('unique'),
    kind: text<DriftKind>(),
    change: text<ChangeKind>().orNull(), // Repairs it; null: nothing is done about what is unmanaged.
    ...DIFFERENCE,
    status: text<DriftStatus>(),
    first_seen_at: big(),
    last_seen_at: big(),
    detector: text<Detector>(),
    plan_id: text().orNull(), // The plan that repairs it, or that waits for an operator to do so.
    ended_at: big().orNull(), // Time at which it was repaired, accepted or found to be gone.
    ignored_until: big().orNull(), // An operator wants it left alone, with the reason and the operator.
    note: text().orNull(),
    noted_by: text().orNull(),
  }).keys({
    status: 'index (status, kind, seq)',
    found: 'index (status, seq)',
    active:
      "unique index (resource_id, kind, member_id) where status in ('open', 'repairing', 'contested', 'ignored')",
    resource: 'index (resource_id, member_id, status)',
    member: "index (member_id) where member_id <> ''",
  }),

  /** One complete comparison of the service with the store. At most one is `running`. */
  sweeps: table({
    seq: serial(),
    id: text().rule('unique'),
    status: text<'running' | 'complete' | 'incomplete' | 'held'>(),
    reads_admins: int(), // 1: this one reads the admin lists too.
    dry_run: int(), // 1: nothing follows from what it finds.
    started_at: big(),
    ended_at: big().orNull(),
    calls: int(),
    counts: json<JsonObject>(), // the counts of `Comparison`.
    reasons: json<readonly string[]>(), // Why something was not concluded, in sentences.
    plan_id: text().orNull(), // The plan that was made of what it found.
  }).keys({ running: "unique index (status) where status = 'running'" }),

  /** Plan of changes that bring the service back to what is desired: see `PlanStatus`. */
  plans: table({
    seq: serial(),
    id: text().rule('unique'),
    hash: text(), // Over the actions and what they presuppose: what is approved is exactly this.
    status: text<PlanStatus>(),
    source: text<PlanOrigin>(),
    reason: text().orNull(), // Why it waits, or why nothing of it is done.
    counts: json<PlanCounts>(), // Numbers of actions of each kind, and of each kind of harm.
    automatic: int(), // 1: made without an operator, so its harm counts for the limits.
    undoes: text().orNull(), // The plan that this one undoes.
    created_at: big(),
    decided_at: big().orNull(),
    ended_at: big().orNull(),
    decided_by: text().orNull(), // Name of the operator's credential; null: no operator decided, or it is not known.
  }).keys({ status: 'index (status, seq)' }),

  /** One action of a plan: see `PlanAction`. */
  plan_actions: table({
    id: serial(),
    plan_id: text(),
    kind: text<ChangeKind>(),
    ...DIFFERENCE,
    harm: text<HarmKind>().orNull(),
    status: text<ActionStatus>(),
    planned_at: big(),
    released_at: big().orNull(),
  }).keys({
    plan: 'index (plan_id, status, id)',
    resource: 'index (resource_id, member_id)',
    member: "index (member_id) where member_id <> ''",
  }),

  /** One event of the service's audit log. */
  audit_events: table({
    id: text().rule('primary key'),
    created_at: big(), // By the clock of the service.
    action: text(),
    message: text().orNull(),
    author_id: big().orNull(),
    author_username: text().orNull(),
    author_address: text().orNull(),
    // By its author: the account behind our own token, another one, or the event or the service does not tell.
    origin: text<'ours' | 'foreign' | 'unknown'>(),
  }).keys({ created_at: 'index (created_at)' }),

  /** User or group that an event of the audit log names; where it named none that was known, a text of it. */
  audit_event_subjects: table({
    event_id: text().rule('references audit_events (id) on delete cascade'),
    // The SCIM id, or a text in the form of `toNameKey`: the id or name of a user or group that may be known later.
    subject: text(),
    resource_type: text<ResourceType>().orNull(), // null: it is a text.
    at: big(), // Time of the event, as near to our own clock as is known.
    look_at: big().orNull(), // When it is to be looked at because of the event; null: it is not.
  }).keys({
    key: 'primary key (event_id, subject)',
    at: 'index (subject, at)',
    look: 'index (look_at) where look_at is not null',
  }),

  /** One request of a provider, or one operation of a bulk request, without anything that is personal. */
  requests: table({
    seq: serial(),
    entry: text().orNull().rule('unique'), // Tells requests apart; null: a further operation of a bulk request.
    at: big(), // Time of arrival.
    request_id: text(),
    method: text(),
    route: text(), // Its pattern, `/Users/{id}`; none: nothing is served there.
    resource_type: text<ResourceType>().orNull(),
    resource_id: text().orNull(),
    written: json<readonly WrittenPath[]>(),
    status: int(), // 0: something was changed, and there was no answer yet.
    scim_type: text().orNull(), // The error keyword of a refusal.
    refusal: text().orNull(), // Its words, as in the answer, but those of the service.
    duration_ms: int(),
    client: text().orNull(), // The name by which the provider's client introduces itself.
    credential: text().default(''), // `settings-1`, `token-…`, `client-…`.
    exchange: json<Exchange>().orNull(), // null: its provider was not traced.
  }).keys({
    resource: 'index (resource_id, seq) where resource_id is not null',
    refused: 'index (status, seq) where status >= 400',
    credential: 'index (credential, resource_type, seq)',
    at: 'index (at)',
    remarked: `index (at) where ${HAS_REMARK}`,
  }),

  /** Decision of an operator, or outage of the service. */
  acts: table({
    id: serial(),
    entry: text().orNull().rule('unique'), // Tells requests apart; null: an outage, or a further subject of one request.
    at: big(),
    kind: text<'operator' | 'outage'>(),
    act: text(), // Words of the act, or what did not work: `service`, `credentials`.
    operator: text(), // Name of the credential; empty for an outage.
    target: text(), // Id of the user, group, drift, plan, token or client that it was about; empty: there is none.
    ended_at: big().orNull(), // End of an outage; null: it goes on.
    credential: text().default(''), // Id of the credential; empty for an outage.
    address: text().default(''), // Address of the client.
    request_id: text().default(''),
    method: text().default(''),
    route: text().default(''), // Pattern of the route.
    status: int().orNull(), // Status of the answer; null: an outage, or there was no answer yet.
    state_before: text().orNull(), // State that the act changed; null: it is not known.
    state_after: text().orNull(),
    everyone: int().default(0), // 1: it concerns all users and groups.
  }).keys({
    target: 'index (target, at)',
    everyone: 'index (at) where everyone = 1',
    at: 'index (at)',
  }),

  /** An identity provider with limits. The default one has no row. */
  providers: table({
    seq: serial(),
    name: text().rule('unique'),
    terms: text().default('{}'), // What was chosen of `ProviderTerms`.
    created_at: big(),
    created_by: text(), // The id of the credential that made it.
  }),

  /** A named token, an OAuth client, one of its secrets, an access token that it got, or an operator at the console. */
  credentials: table({
    seq: serial(),
    kind: text<'token' | 'client' | 'secret' | 'access' | 'session'>(),
    id: text(), // Id, as it stands in the presented text.
    name: text(), // Of tokens and clients unique among those that are not revoked; of the others that of their owner.
    purpose: text<Purpose>(),
    profile: text<Profile>(),
    provider: text().default('default'), // Presents it; means nothing where it does not open SCIM.
    digest: text(), // Digest of the secret (SHA-256, hex); empty: a client.
    owner: text().orNull(), // The client of a secret or an access token; the credential that opened a session.
    // Of a client its `Trust`; of an access token the secret that it was got with; of a session its token of the settings.
    proof: text().orNull(),
    networks: json<readonly string[]>().orNull(), // Of an access token those of its client; null: it comes from everywhere.
    created_at: big(),
    created_by: text(), // The id of the credential that made it; `command`: a command that had the store for itself.
    expires_at: big().orNull(), // null: never.
    last_used_at: big().orNull(), // Time of the last use, stored at most once a minute.
    revoked_at: big().orNull(),
  }).keys({
    id: 'unique index (kind, id)',
    name: "unique index (kind, name) where revoked_at is null and kind in ('token', 'client')",
    kind: 'index (kind, seq)',
    owner: 'index (owner) where owner is not null',
    expiry: 'index (expires_at)',
  }),

  used_assertions: table({
    digest: text().rule('primary key'), // SHA-256 of its issuer and of what tells it from others.
    client_id: text(),
    expires_at: big(), // Time from which on it is refused for its age.
  }).keys({ expiry: 'index (expires_at)', client: 'index (client_id, expires_at)' }),

  /** An id by which an earlier SCIM server knew a user or group, by which the bridge answers too. */
  former_ids: table({
    seq: serial(), // Order of coming.
    resource_type: text<ResourceType>(),
    former_id: text(),
    resource_id: text(),
    provider: text(), // The provider that sends this id.
    created_at: big(),
  }).keys({
    unique: 'unique index (resource_type, former_id)',
    resource: 'index (resource_type, resource_id)',
  }),

  /** The process that brings changes to the service: one row, on PostgreSQL. Times are those of the server's clock. */
  leader: table({
    id: int<1>().rule('primary key check (id = 1)'),
    owner: text(),
    epoch: big(), // Raised with each takeover; what an earlier leader would still store is refused by it.
    since: big(),
    expires_at: big(), // From then on another process may take over, unless it is renewed.
    quiet_at: big(), // By then every call of the leader has ended, also when it is not heard of any more.
    news: text().orNull(), // News for the other processes; null: it has sent none yet.
  }),

  /** What a process asks of the leader: a call to the service, or the outcome of a write that a request waits for. */
  errands: table({
    id: text().rule('primary key'),
    task: text(), // The call, or the undo of the write.
    until: big(), // When nobody waits for the answer any more, by the server's clock.
    resource_id: text().orNull(), // Written user or group; null: a call is asked for.
    version: big().orNull(), // Version of the write.
    epoch: big().orNull(), // The epoch of the leader that has begun the call; null: none has.
    // Result of the call, or why the service refused the write, which was taken back; null: neither.
    answer: text().orNull(),
  }).keys({ resource: 'index (resource_id) where resource_id is not null' }),
};

export type Schema = typeof TABLES;

/** Columns of JSON, by their names: of the same name none is another text. */
export const JSON_COLUMNS: ReadonlySet<string> = new Set(
  Object.values(TABLES).flatMap(({ json: names }) => names),
);
