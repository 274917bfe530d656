import type { Generated } from 'kysely';
import type { ChangeKind } from '../domain/change.ts';
import type { ChangeClass } from '../domain/change-class.ts';
import type { Profile, Purpose } from '../domain/credential.ts';
import type { Detector, DriftKind, DriftStatus } from '../domain/drift.ts';
import type { HarmKind } from '../domain/harm.ts';
import type { GroupId, UserId } from '../domain/ids.ts';
import type { Link, LinkList } from '../domain/link.ts';
import type { ActionStatus, PlanOrigin, PlanStatus } from '../domain/plan.ts';

/** Way in which a resource became managed; null in the tables: it is only observed. */
export type Origin = 'created' | 'adopted';

/** The urgency of due work, smallest first: removal of access, changes a provider asked for, looks. */
export type DueClass = 0 | 1 | 2;

/**
 * A user or group. Times are epoch milliseconds, flags 0 or 1, documents JSON text, on both engines. Columns that only
 * one type has are null or 0 for the other.
 */
export interface ResourcesTable {
  seq: Generated<number>; // Order of creation: lists are sorted by it and cursors point at it.
  type: 'user' | 'group';
  id: UserId | GroupId;
  name: string; // The userName or displayName as shown.
  name_folded: string;
  origin: Origin | null;
  /** The provider that manages it; `external_id` means something to that one alone. */
  provider: Generated<string>;
  external_id: string | null;
  /** The numeric id in the service of an account or group, once known. At most one live row of its type may hold it. */
  upstream_id: number | null;
  upstream_scim_id: string | null; // Further ids by which the service knows a group.
  upstream_uid: string | null;
  /** The SCIM attributes as shown: desired when managed, derived from what was observed when not. */
  attributes: string;
  /** Last observation of the service, with its time and the call that made it; null: never seen. */
  observed: string | null;
  /**
   * State of each owned field (`Cells`): the version that waits, where its value comes from, what came back of it, and
   * how it failed.
   */
  cells: Generated<string>;
  /**
   * Not 0: a look is needed before anything else, because a call is on its way or its outcome is unknown. Each request for
   * a look raises it; a look answers only the requests that were made before it left.
   */
  must_look: Generated<number>;
  version: Generated<number>; // The ETag. Raised by every change a reader can see.
  created_at: number;
  modified_at: number;
  due_at: number | null;
  due_class: Generated<DueClass>;
  /** Failures in a row of what waits; a look that works in between ends none. */
  attempts: Generated<number>;
  failing_since: number | null; // Time since which pending changes fail; null: none does.
  /** Change of a provider that the service does not hold yet, the most urgent: its class; null: none waits. */
  asked_kind: ChangeClass | null;
  asked_at: number | null; // When it was accepted, by the clock of the store (epoch milliseconds).
  asked_version: number | null; // Version of its write.
  /** Trace of its request, as W3C Trace Context writes it; null: it has none. */
  asked_trace: string | null;
  last_error: string | null; // Error of the last attempt: code and the service's words.
  /** Time since which the service refuses an acknowledged change; null: it refuses none. */
  stuck_at: number | null;
  sent_creates: Generated<string>; // Creates that left, with an unknown outcome (`SentCreate[]`).
  /**
   * Until then (epoch milliseconds) a call that left and has no known outcome may still take effect: on the fields and links
   * that are marked as sent, or as one of `sent_creates`. The look after it ends the doubt. null: none may.
   */
  unsure_until: number | null;
  /** Raised when a call that changes it leaves, when a step of its convergence is stored, and when an attempt is asked for. */
  steps: Generated<number>;
  /** Names the transaction in which a request wrote it last, so that a lost answer to a commit can be found out. */
  write_id: string | null;
  /** When it was deleted through SCIM, or it was accepted that the group is gone; such a row is in no answer. */
  deleted_at: number | null;
  display_folded: string | null; // Folded displayName of a user.
  /** The address that an account is made with, folded. Where the user is managed, no other may have it. */
  address_folded: string | null;
  active: Generated<number>; // 0: a user who is not to work.
  /** The observed address and userName, folded: users are correlated on these only. */
  observed_user_name_folded: string | null;
  observed_email_folded: string | null;
  owner: Generated<number>; // 1: the service says the account is an owner.
  /** 1: the account was last seen to take one of the seats of the service. */
  takes_seat: Generated<number>;
  seat_since: number | null; // Time since which an addition waits for a free seat; null: none does.
  /** Time at which the last removal of the user's access was accepted; null: none was. */
  left_at: number | null;
  /** Time of the observation after it that showed the user to be out; null: none has. */
  out_at: number | null;
  /** Time at which all personal data was erased: from then on later observations are stored without it either. */
  erased_at: number | null;
  /** When it is to be compared by itself, because another program may have changed it; null: it is not. */
  look_at: number | null;
  look_since: number | null; // Only what was seen of it since then counts.
  look_source: Detector | null;
  look_admins: Generated<number>; // 1: its admin list is to be read too.
  admins_read_at: number | null; // Time of the last read of the admin list; null: never.
  /** The entities as they were listed last, as JSON text; null: they were not, or may have changed since. */
  entities: string | null;
  /** 1: a provider wrote the list of admins, so rules leave it alone. */
  admins_asked: Generated<number>;
  /** Ids of the groups that a provider made members, as a JSON list. */
  inner_groups: Generated<string>;
}

/** Name of a user or group beside those in its row: an e-mail address, for filters, or a former name, for protection. */
export interface NamesTable {
  resource: UserId | GroupId;
  name: string; // Folded.
  former: Generated<number>; // 1: the user or group does not carry it any more.
}

/** An id by which an earlier SCIM server knew a user or group, by which the bridge answers too. */
export interface FormerIdsTable {
  seq: Generated<number>; // Order of coming.
  resource_type: 'user' | 'group';
  former_id: string;
  resource_id: string;
  provider: string; // The provider that sends this id.
  created_at: number;
}

/** One user in one list of a group, by their numbers (`seq`). */
export interface LinksTable extends Link {
  group_id: number;
  list: LinkList;
  target: number;
}

/** Facts about the service itself: learned quirks, refused sections, cursors, its identity. */
export interface FactsTable {
  name: string;
  value: string;
  updated_at: number;
}

/** Writes that could not be matched to one account; never guessed, listed for an operator. */
export interface DisputesTable {
  seq: Generated<number>;
  resource_type: 'user' | 'group';
  name_folded: string;
  reason: string;
  first_seen_at: number;
  last_seen_at: number;
  count: number;
}

/** Outcome of one of our calls. */
export type CallOutcome =
  | 'done' // The service said yes.
  | 'refused' // It said no, and changed nothing.
  | 'unknown' // The answer was lost or a failure; it may have changed something.
  | 'not-sent'; // It never left.

/** The ledger of our own mutating calls: one row a change, written before the call leaves. */
export interface OwnCallsTable {
  id: Generated<number>;
  at: number;
  operation: string;
  kind: ChangeKind;
  resource_type: 'user' | 'group';
  resource_id: string;
  /** The account or group in the id that the call names; null at a creation. */
  upstream_id: string | null;
  member_id: string | null;
  outcome: Generated<CallOutcome | null>; // null: the call is on its way, or the outcome is lost.
  error: Generated<string | null>; // Code of the error; null: there was none.
  /** 1: a plan asked for it, which has limits of its own, or it follows from a deletion, which counts by itself. */
  is_repair: Generated<number>;
}

/** One event of the service's audit log. */
export interface AuditEventsTable {
  id: string;
  created_at: number; // By the clock of the service.
  action: string;
  message: string | null;
  author_id: number | null;
  author_username: string | null;
  author_address: string | null;
  /**
   * Who made it, by its author:
   * - `ours`: the account behind our own token
   * - `foreign`: another account
   * - `unknown`: the event or the service does not tell
   */
  origin: 'ours' | 'foreign' | 'unknown';
}

/** User or group that an event of the audit log names; where it named none that was known, a text of it. */
export interface AuditEventSubjectsTable {
  event_id: string;
  /** The SCIM id, or a text in the form of `toNameKey`: it may be the id or name of a user or group that is known later. */
  subject: string;
  resource_type: 'user' | 'group' | null; // null: it is a text.
  at: number; // Time of the event, as near to our own clock as is known.
}

/** One request of a provider, or one operation of a bulk request: see `KeptRequest`. */
export interface RequestsTable {
  seq: Generated<number>;
  entry: string | null; // Tells requests apart; null: a further operation of a bulk request.
  at: number;
  request_id: string;
  method: string;
  route: string;
  resource_type: 'user' | 'group' | null;
  resource_id: string | null;
  written: string; // `WrittenPath[]` as JSON text.
  status: number; // 0: something was changed, and there was no answer yet.
  scim_type: string | null;
  refusal: string | null;
  duration_ms: number;
  client: string | null;
  credential: string;
}

/** Difference found in the service: see `Difference`. Documents are JSON text. */
export interface DriftsTable {
  seq: Generated<number>; // Order of finding: lists are sorted by it and cursors point at it.
  id: string;
  kind: DriftKind;
  /** The change that repairs it; null: nothing is done about what is unmanaged. */
  change: ChangeKind | null;
  resource_type: 'user' | 'group';
  resource_id: string;
  member_id: string;
  desired: string;
  observed: string;
  status: DriftStatus;
  first_seen_at: number;
  last_seen_at: number;
  detector: Detector;
  plan_id: string | null; // The plan that repairs it, or that waits for an operator to do so.
  ended_at: number | null; // Time at which it was repaired, accepted or found to be gone.
  /** Time until which an operator wants it left alone, with the reason and the operator. */
  ignored_until: number | null;
  note: string | null;
  noted_by: string | null;
}

/** Plan of changes that bring the service back to what is desired: see `PlanStatus`. */
export interface PlansTable {
  seq: Generated<number>;
  id: string;
  hash: string; // Over the actions and what they presuppose: what is approved is exactly this.
  status: PlanStatus;
  source: PlanOrigin;
  reason: string | null; // Reason why it waits, or why nothing of it is done; null: neither.
  counts: string; // Numbers of actions of each kind, and of each kind of harm, as JSON text.
  automatic: number; // 1: made without an operator, so its harm counts for the limits.
  undoes: string | null; // The plan that this one undoes.
  created_at: number;
  decided_at: number | null;
  /** Name of the operator's credential; null: no operator decided, or it is not known. */
  decided_by: string | null;
  ended_at: number | null;
}

/** One action of a plan: see `PlanAction`. Documents are JSON text. */
export interface PlanActionsTable {
  id: Generated<number>;
  plan_id: string;
  kind: ChangeKind;
  resource_type: 'user' | 'group';
  resource_id: string;
  member_id: string;
  desired: string;
  observed: string;
  harm: HarmKind | null;
  status: ActionStatus;
  planned_at: number; // Time at which it was planned.
  released_at: number | null;
}

/** One complete comparison of the service with the store. At most one is `running`. */
export interface SweepsTable {
  seq: Generated<number>;
  id: string;
  status: 'running' | 'complete' | 'incomplete' | 'held';
  reads_admins: number; // 1: this one reads the admin lists too.
  dry_run: number; // 1: nothing follows from what it finds.
  started_at: number;
  ended_at: number | null;
  calls: number;
  counts: string; // `SweepCounts` as JSON text.
  reasons: string; // Reasons why something was not concluded, as a JSON list of sentences.
  plan_id: string | null; // The plan that was made of what it found.
}

/** An identity provider with limits. The default one has no row. */
export interface ProvidersTable {
  seq: Generated<number>;
  name: string;
  domains: string | null; // Mail domains, as a JSON list; null: any.
  group_names: string | null; // Patterns of names of groups, as a JSON list; null: any.
  may: string; // `Right[]` as JSON text.
  handling: Generated<string>; // What was chosen of `Handling`, as JSON text.
  created_at: number;
  created_by: string; // The id of the credential that made it.
}

/**
 * A credential: a named token, an OAuth client, one of its secrets, an access token that it got, or an operator who is
 * signed in to the console.
 */
export interface CredentialsTable {
  seq: Generated<number>;
  kind: 'token' | 'client' | 'secret' | 'access' | 'session';
  id: string; // Id, as it stands in the presented text.
  /** Of tokens and of clients unique among those that are not revoked; of the others that of their owner. */
  name: string;
  purpose: Purpose;
  profile: Profile;
  /** The provider that presents it; means nothing where it does not open SCIM. */
  provider: Generated<string>;
  digest: string; // Digest of the secret (SHA-256, hex); empty: a client.
  /** The client of a secret or an access token; the credential that opened a session. */
  owner: Generated<string | null>;
  /**
   * Of a client the `Trust` of its assertions as JSON; of an access token the secret that it was got with; of a session
   * what binds it to a token of the settings, which the store does not know.
   */
  proof: Generated<string | null>;
  created_at: number;
  /** The id of the credential that made it; `command`: a command that had the store for itself. */
  created_by: string;
  expires_at: number | null; // null: never.
  last_used_at: Generated<number | null>; // Time of the last use, stored at most once a minute.
  revoked_at: Generated<number | null>;
}

/** Assertion that was taken, so that it is not taken again. */
export interface UsedAssertionsTable {
  digest: string; // SHA-256 of its issuer and of what tells it from others.
  client_id: string;
  expires_at: number; // Time from which on it is refused for its age, epoch milliseconds.
}

/** State of one minute, for charts. Counts are those of the minute or of its end. */
export interface SamplesTable {
  at: number;
  calls: number;
  calls_max: number; // Calls that the service takes in a minute; 0: any number.
  due: number;
  stuck: number;
  drifts: number;
  requests: number;
  refused: number;
  leavers: string; // Times until leavers were out, in milliseconds, as a JSON list.
  seats: Generated<number>; // Accounts that take a seat of the service.
}

/** Decision of an operator, or outage of the service. */
export interface ActsTable {
  id: Generated<number>;
  /** Tells requests apart; null: an outage, or a further subject of one request. */
  entry: string | null;
  at: number;
  kind: 'operator' | 'outage';
  act: string; // Words of the act, or what did not work: `service`, `credentials`.
  operator: string; // Name of the credential; empty for an outage.
  /** Id of the user, group, drift, plan, token or client that it was about; empty: there is none. */
  target: string;
  ended_at: number | null; // End of an outage; null: it goes on.
  credential: Generated<string>; // Id of the credential; empty for an outage.
  address: Generated<string>; // Address of the client.
  request_id: Generated<string>;
  method: Generated<string>;
  route: Generated<string>; // Pattern of the route.
  /** Status of the answer; null: an outage, or something was changed and there was no answer yet. */
  status: number | null;
  state_before: string | null; // State that the act changed, as JSON text; null: it is not known.
  state_after: string | null;
  everyone: Generated<number>; // 1: it concerns all users and groups.
}

/** The process that brings changes to the service: one row, on PostgreSQL. Times are those of the server's clock. */
export interface LeaderTable {
  id: 1;
  owner: string;
  /** Raised with each takeover; what an earlier leader would still store is refused by it. */
  epoch: number;
  since: number;
  expires_at: number; // From then on another process may take over, unless it is renewed.
  /** By then every call of the leader has ended, also when it is not heard of any more. */
  quiet_at: number;
  news: string | null; // News for the other processes, as JSON text; null: it has sent none yet.
}

/** What a process asks of the leader: a call to the service, or the outcome of a write that a request waits for. */
export interface ErrandsTable {
  id: string;
  task: string; // The call, or the undo of the write, as JSON text.
  until: number; // When nobody waits for the answer any more, by the server's clock.
  resource_id: string | null; // Written user or group; null: a call is asked for.
  version: number | null; // Version of the write.
  epoch: number | null; // The epoch of the leader that has begun the call; null: none has.
  /** Result of the call, or why the service refused the write, which was taken back, as JSON text; null: neither. */
  answer: string | null;
}

/** State of one condition for one receiver. */
export type NoticePhase =
  | 'began' // The message that it began waits for delivery.
  | 'active' // The message that it began was delivered.
  | 'ended' // The message that it ended waits for delivery.
  | 'once'; // The message about something that does not end waits for delivery.

/** Condition and one receiver: see `Condition`. */
export interface NoticesTable {
  receiver: string;
  key: string;
  phase: NoticePhase;
  id: string; // Id of the message, the same at each attempt.
  type: string;
  body: string; // As it is sent.
  ended: string | null; // Notice for when it ends, as JSON text; null: none.
  since: number; // Time of the phase (epoch milliseconds).
  attempts: number; // Attempts that were begun.
  due_at: number; // Time of the next attempt.
  error: string | null; // Why the last attempt failed; null: there was none.
}

/** The whole store. */
export interface Schema {
  resources: ResourcesTable;
  names: NamesTable;
  former_ids: FormerIdsTable;
  links: LinksTable;
  facts: FactsTable;
  disputes: DisputesTable;
  own_calls: OwnCallsTable;
  audit_events: AuditEventsTable;
  audit_event_subjects: AuditEventSubjectsTable;
  requests: RequestsTable;
  acts: ActsTable;
  drifts: DriftsTable;
  sweeps: SweepsTable;
  plans: PlansTable;
  plan_actions: PlanActionsTable;
  providers: ProvidersTable;
  credentials: CredentialsTable;
  used_assertions: UsedAssertionsTable;
  samples: SamplesTable;
  leader: LeaderTable;
  errands: ErrandsTable;
  notices: NoticesTable;
}
