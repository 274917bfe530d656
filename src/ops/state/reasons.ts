import type { AccessFacts } from '../../access/overview.ts';
import { toHarmWords } from '../../domain/harm.ts';
import { isOfRecovery, type PlanOrigin } from '../../domain/plan.ts';
import { toCount } from '../../domain/text.ts';
import type { RecoveryState } from '../../reconcile/repair/recovery-state.ts';
import type { SectionStates } from '../../reconcile/sections.ts';
import type { Remark } from '../../store/audit/requests.ts';
import type { WaitingPlan } from '../../store/plans/plans.ts';
import { toMoment } from '../http/view.ts';
import type { OpsJson } from '../schemas/schemas.ts';
import {
  type HealthSources,
  type ReadinessFacts,
  readFacts,
  type WaitingWork,
  type WritesFacts,
} from './readiness-facts.ts';
import { getSectionRights, toRefusalRemedy } from './section-rights.ts';

/** Remedy of each reason; one that depends on the facts is given with the reason. */
const REMEDIES = {
  'store-unusable':
    'Bring the database or the disk back; docs/runbook.md#error-codes explains the code.',
  'first-read':
    'Wait. When it does not move, see the reasons beside this one, or `scim-bridge check`.',
  draining: 'Wait for its successor; requests go to another replica meanwhile.',
  'store-read-only':
    'Make room on the disk, or bring it back; everything goes on by itself then. docs/runbook.md#error-codes explains the code.',
  'store-not-durable': 'Set `fsync = on` in postgresql.conf and reload the server.',
  'no-leader': 'Wait some seconds: another process takes over. When it lasts, see its log.',
  'observe-mode':
    '`scim-bridge plan show --first-run` tells what would be done; `MODE=live` and a restart make it a plan to approve.',
  'writes-paused':
    '`scim-bridge resume`, when it is time; `scim-bridge status` has the reason that was given.',
  recovery: 'Wait until the whole service was read; docs/recovery.md tells what comes then.',
  'credentials-refused':
    'Set a new token as `upstream.token`: one in a file is read again by itself, else restart. `scim-bridge check` proves it.',
  'service-down':
    'Wait when the service is down; otherwise check network, `upstream.url` and proxy.',
  redirected:
    'Set `upstream.url` to the address that answers itself, with https and the right host: `scim-bridge check` says where calls are sent.',
  paused:
    'Nothing when it is rare; otherwise lower `upstream.requestsPerSecond`, or find who else uses the token.',
  'section-closed':
    'See the log for what could not be read, and `scim-bridge check`. It is asked again every five minutes.',
  'no-seat':
    'Buy seats, or deactivate in the provider whom nobody needs any more: who waits gets each free one. `scim-bridge retry` tries at once.',
  stuck:
    'The words of the service (`scim-bridge status`) say what to correct, in the provider or in the service; then `scim-bridge retry`.',
  failing:
    '`scim-bridge status` says which and why. Wait when the service is at fault: everything is tried again by itself, and at once when it answers again.',
  behind:
    'Nothing while the backlog shrinks; otherwise see the other reasons, or raise `upstream.requestsPerSecond` where the service allows it.',
  disputed:
    '`scim-bridge status` lists them: make the names differ in the service or in the provider, or allow taking over (`users.adopt`, `groups.adopt`).',
  'audit-behind':
    'Wait when the service is at fault: it is tried again by itself, and nothing is left out.',
  'leavers-late':
    '`scim-bridge leavers --status waits` says who and why; see the other reasons, or take the access away in the service.',
  'left-out':
    'Find them with `scim-bridge why` (`part-left-out`), and correct in the provider what is refused.',
  'name-recycled':
    'Find them with `scim-bridge why` (`name-recycled`), and see in the service what the account still has of before.',
  'provider-harm':
    'See in the provider whether it is meant. `scim-bridge pause` stops all changes; more than `limits.provider` waits in a plan.',
  'provider-silent':
    'See whether provisioning is on in the provider, and whether its token and address are right.',
  'no-credential':
    '`scim-bridge token create <name>`, or `client create`, and give it to the provider.',
  'credential-expires':
    '`scim-bridge token list` and `client list` say which. Make the next one, give it to whoever uses it, then revoke this one.',
  'authentication-failing':
    '`scim-bridge status` says from where. Give the provider a valid token, or keep the stranger out in front of the bridge.',
} as const;

/** Stable words for what is not as it should be. */
export type ReasonCode = keyof typeof REMEDIES | 'plan-held' | 'starting';

/** All of them. */
export const REASON_CODES: readonly string[] = [...Object.keys(REMEDIES), 'plan-held', 'starting'];

/** One thing that is not as it should be. The texts hold neither secrets nor names. */
export interface Reason {
  readonly code: ReasonCode;
  readonly detail: string;
  readonly remedy: string;
}

type UsualCode = keyof typeof REMEDIES;

function toReason(code: UsualCode, detail: string, remedy: string = REMEDIES[code]): Reason {
  return { code, detail, remedy };
}

/** A change that has failed for this long is reported, in milliseconds. */
const FAILING_AFTER_MS = 60_000;
/** The audit log is read every few seconds; a failure for this long is reported. */
const AUDIT_BEHIND_AFTER_MS = 5 * 60_000;
/** A change that has waited this long is reported; shorter waits are ordinary backoff. */
const BEHIND_AFTER_MS = 15 * 60_000;
/** Failed attempts within ten minutes that are reported: more than a typing error, or a provider that tries again. */
const FAILED_MAX = 50;

type Stored = Extract<ReadinessFacts['store'], { kind: 'ok' }>;

/** Reasons why requests cannot be served. */
function* listBlocking({ store, draining }: ReadinessFacts): Generator<Reason> {
  if (store.kind === 'problem') {
    yield toReason('store-unusable', `The store cannot be used (${store.code}).`);
  } else if (store.firstRead.kind === 'running') {
    const { step, count, total } = store.firstRead;
    const progress = `${step}, ${count}${total === undefined ? '' : ` of ${total}`} so far`;
    yield toReason('first-read', `The first read of the service is not finished: ${progress}.`);
  }
  if (draining) {
    yield toReason('draining', 'The process is stopping and finishes what it has begun.');
  }
}

/** Everything else that an operator should know. Writes are accepted all the same. */
function* listDegrading(facts: ReadinessFacts): Generator<Reason> {
  const { store, leader, upstream, writes, nowMs } = facts;
  // Without its store no process leads.
  if (leader?.isAlive !== true && store.kind === 'ok') {
    yield toReason('no-leader', 'No process brings changes to the service now.');
  }
  yield* listUpstream(upstream);
  if (store.kind === 'problem') return;
  yield* listStore(store);
  yield* listWrites(writes, store.backlog);
  yield* listRecovery(store.recovery, store.waitingPlans);
  yield* listClosed(store.sections);
  yield* listWaiting(store.backlog, { nowMs, isSending: isSending(writes) });
  yield* listAudit(store, nowMs);
  yield* listPeople(store);
  yield* listWaitingPlans(store.waitingPlans);
  yield* listProviders(store.providers);
  yield* listAccess(store.access);
}

function* listUpstream({
  credentials,
  service,
  redirectedSinceMs,
  pausedForMs,
}: ReadinessFacts['upstream']): Generator<Reason> {
  const kept = 'writes are kept for later';
  if (credentials.kind === 'shut') {
    const since = toMoment(credentials.sinceMs);
    yield toReason('credentials-refused', `The service refuses the token since ${since}; ${kept}.`);
  }
  if (service.kind === 'shut') {
    const since = toMoment(service.sinceMs);
    yield toReason('service-down', `The service fails or does not answer since ${since}; ${kept}.`);
  }
  if (redirectedSinceMs !== undefined) {
    yield toReason(
      'redirected',
      `The service sends calls elsewhere (3xx) since ${toMoment(redirectedSinceMs)}: they are not followed, because the token belongs to it alone; ${kept}.`,
    );
  }
  if (pausedForMs > 0) {
    const left = toCount(Math.ceil(pausedForMs / 1_000), 'more second');
    yield toReason('paused', `The service asks for a pause of all calls, for ${left}; ${kept}.`);
  }
}

/** Reads are answered all the same. A standby that is behind is an operator's choice, and reported at the start alone. */
function* listStore({ writeTrouble, weaknesses }: Stored): Generator<Reason> {
  if (writeTrouble !== undefined) {
    const { code, sinceMs } = writeTrouble;
    yield toReason(
      'store-read-only',
      `The store takes no writes since ${toMoment(sinceMs)} (${code}): they are answered with 503, reads go on.`,
      code === 'store-replaced'
        ? 'Put the file back that was there, and everything goes on by itself. To use another one, stop the bridge first.'
        : undefined,
    );
  }
  if (weaknesses.includes('not-flushed')) {
    yield toReason(
      'store-not-durable',
      'PostgreSQL runs with fsync off: a crash of its host may lose what was acknowledged.',
    );
  }
}

/** True when changes are brought to the service at all. */
function isSending({ mode, pause }: WritesFacts): boolean {
  return mode === 'live' && pause === undefined;
}

function* listWrites({ mode, pause }: WritesFacts, { changes }: WaitingWork): Generator<Reason> {
  const accepted = `${toSubjects(changes)} accepted, not applied`;
  if (mode === 'observe') {
    const detail = `The bridge only observes and changes nothing in the service: ${accepted}.`;
    yield toReason('observe-mode', detail);
  }
  if (pause !== undefined) {
    const since = toMoment(pause.since);
    const detail = `An operator paused all changes of the service at ${since}: ${accepted}.`;
    yield toReason('writes-paused', detail);
  }
}

/** New writes of providers are brought to the service meanwhile; older changes are held. */
function* listRecovery(
  state: RecoveryState | undefined,
  plans: readonly WaitingPlan[],
): Generator<Reason> {
  if (state === undefined) return;
  const plan = plans.find(({ source }) => isOfRecovery(source));
  const isFirstRun = state.phase !== 'requested' && state.reason.code === 'first-run';
  const why = isFirstRun
    ? 'What was accepted while the bridge observed is held'
    : 'The store is older than what was done';
  const waiting = plan
    ? ` A plan of ${toCount(plan.waiting, 'change')} waits for an operator.`
    : '';
  yield toReason(
    'recovery',
    `${why}: since ${toMoment(state.since)} only new writes are brought to the service.${waiting}`,
    plan && toDecision(plan.id, 'recovery'),
  );
}

function toDecision(id: string, page: string): string {
  return `\`scim-bridge plan show ${id}\`, then \`approve\` or \`discard\`; docs/${page}.md tells what they do.`;
}

/** Without the words of the service: they may hold names, and this is open to everybody. */
function* listClosed(sections: SectionStates): Generator<Reason> {
  for (const [section, { problem, at }] of Object.entries(sections)) {
    if (problem === null) continue;
    const rights = getSectionRights(section);
    const status = problem.status === undefined ? '' : ` with ${problem.status}`;
    const isShown = ['unreadable', 'incomplete', 'blind'].includes(problem.code);
    const refuses = isShown ? `does not show readably (${problem.code})` : 'refuses';
    yield toReason(
      'section-closed',
      `The service ${refuses} ${rights.title}${status} since ${toMoment(at)}: ${rights.without}.`,
      isShown ? undefined : toRefusalRemedy(rights, problem.status),
    );
  }
}

function* listWaiting(
  backlog: WaitingWork,
  { nowMs, isSending }: { nowMs: number; isSending: boolean },
): Generator<Reason> {
  const { due, stuck, failing, failingSince, disputed, oldestSince } = backlog;
  const { noSeat, noSeatSince } = backlog;
  if (noSeatSince !== undefined) {
    const who = toCount(noSeat, 'person waits', 'people wait');
    yield toReason(
      'no-seat',
      `${who} for a free seat of the service since ${toMoment(noSeatSince)}: it refuses additions for lack of them.`,
    );
  }
  if (stuck > 0) {
    const detail = `${toSubjects(stuck)} acknowledged, then refused or not done by the service.`;
    yield toReason('stuck', detail);
  }
  if (nowMs - (failingSince ?? nowMs) >= FAILING_AFTER_MS) {
    yield toReason(
      'failing',
      `${toSubjects(failing)} tried again and again without success for more than a minute.`,
    );
  }
  const waitedMs = nowMs - (oldestSince ?? nowMs);
  if (isSending && waitedMs >= BEHIND_AFTER_MS) {
    const waited = toCount(Math.floor(waitedMs / 60_000), 'minute');
    yield toReason('behind', `${toSubjects(due)} waiting, the oldest for ${waited}.`);
  }
  if (disputed > 0) {
    const names = toCount(disputed, 'name fits', 'names fit');
    yield toReason(
      'disputed',
      `${names} more than one account or group, or waits for an operator's decision; its provider is answered 409.`,
    );
  }
}

/** A closed section is reported by itself. */
function* listAudit({ auditFailure, sections }: Stored, nowMs: number): Generator<Reason> {
  if (auditFailure === undefined || sections.audit?.problem) return;
  const { since, code } = auditFailure;
  if (nowMs - since < AUDIT_BEHIND_AFTER_MS) return;
  yield toReason(
    'audit-behind',
    `The audit log cannot be read since ${toMoment(since)} (${code}): what others change in the service is seen later.`,
  );
}

/** Leavers who are not out, and requests of the last day that did less or more than they say. */
function* listPeople({ lateLeavers, leftOut, recycled }: Stored): Generator<Reason> {
  const [oldest] = lateLeavers.some;
  if (oldest !== undefined) {
    const who = toCount(lateLeavers.count, 'person who left', 'people who left');
    const since = toMoment(oldest.leftAt);
    yield toReason(
      'leavers-late',
      `${who} were not seen to be out after five minutes, the first since ${since}.`,
    );
  }
  const toWords = ({ requests, since, last }: Remark) =>
    `${toCount(requests, 'request')}, from ${toMoment(since)} to ${toMoment(last)},`;
  if (leftOut) {
    yield toReason(
      'left-out',
      `${toWords(leftOut)} took access away and came with parts that are refused: these were left out.`,
    );
  }
  if (recycled) {
    yield toReason(
      'name-recycled',
      `${toWords(recycled)} gave the account of a deleted person to one with another externalId, without its licences.`,
    );
  }
}

/** Changes of a plan, for one and for many, and why they wait for an operator. */
const WAITING: Readonly<
  Partial<Record<PlanOrigin, readonly [one: string, many: string, why: string]>>
> = {
  provider: [
    'removal by identity providers',
    'removals by identity providers',
    'more were asked for than limits.provider allows in 24 hours',
  ],
  handover: ['handover', 'handovers', 'an operator is to approve each'],
};
const REPAIRS = ['repair', 'repairs', 'it would take away more than the limits allow'] as const;

/** Plans beside the one of recovery: nothing of them is done before an operator decides. */
function* listWaitingPlans(plans: readonly WaitingPlan[]): Generator<Reason> {
  for (const { id, source, created_at, waiting } of plans) {
    if (isOfRecovery(source)) continue;
    const [one, many, why] = WAITING[source] ?? REPAIRS;
    yield {
      code: 'plan-held',
      detail: `A plan of ${toCount(waiting, one, many)} waits for an operator since ${toMoment(created_at)}, because ${why}.`,
      remedy: toDecision(id, source === 'handover' ? 'go-live' : 'drift'),
    };
  }
}

/** Unusual behaviour of providers. It may be meant, so removals alone are held, above `limits.provider`. */
function* listProviders({ silentSince, exceeded }: Stored['providers']): Generator<Reason> {
  if (exceeded.length > 0) {
    const counts = exceeded.map(({ harm, count }) => toHarmWords(harm, count)).join(', ');
    yield toReason(
      'provider-harm',
      `Identity providers took away more than the limits of repairs within 24 hours: ${counts}.`,
    );
  }
  if (silentSince !== undefined) {
    const since = toMoment(silentSince);
    yield toReason(
      'provider-silent',
      `No identity provider has asked for anything since ${since}.`,
    );
  }
}

/** Credentials that are missing, expire or are refused. */
function* listAccess({ hasProvider, expiring, failedAttempts }: AccessFacts): Generator<Reason> {
  if (!hasProvider) {
    const detail = 'No provider has a valid credential, so none can send anything.';
    yield toReason('no-credential', detail);
  }
  const expiresAt = expiring[0]?.expiresAt ?? null;
  if (expiresAt !== null) {
    const what = toCount(expiring.length, 'token or secret', 'tokens or secrets');
    yield toReason(
      'credential-expires',
      `${what} will expire within 30 days, or did; the first at ${toMoment(expiresAt)}.`,
    );
  }
  if (failedAttempts >= FAILED_MAX) {
    const requests = toCount(failedAttempts, 'request');
    const detail = `${requests} had no valid credential within ten minutes.`;
    yield toReason('authentication-failing', detail);
  }
}

/** A number of people and groups, as the beginning of a sentence. */
function toSubjects(count: number): string {
  return toCount(count, 'person or group is', 'people and groups are');
}

/** `unavailable` is answered with 503, the others with 200. */
export interface Readiness {
  readonly status: 'ok' | 'degraded' | 'unavailable';
  readonly reasons: readonly Reason[];
  readonly leader: OpsJson<'Status'>['leader'];
}

/** Reads if the bridge can serve now. Never rejects for the store. */
export async function readReadiness(sources: HealthSources): Promise<Readiness> {
  return toReadiness(await readFacts(sources));
}

/**
 * Finds out if the bridge can serve, and what is wrong. An outage of the service is no reason to refuse: that is when accepting
 * writes matters. Only an unusable store, an unfinished first read and draining are.
 */
export function toReadiness(facts: ReadinessFacts): Readiness {
  const blocking = [...listBlocking(facts)];
  const reasons = [...blocking, ...listDegrading(facts)];
  const { leader } = facts;
  const status = blocking.length > 0 ? 'unavailable' : reasons.length > 0 ? 'degraded' : 'ok';
  if (leader?.isAlive !== true) return { status, reasons, leader: null };
  const { isSelf, epoch, since } = leader;
  return { status, reasons, leader: { isSelf, epoch, since: toMoment(since) } };
}
