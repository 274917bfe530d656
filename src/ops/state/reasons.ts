import { toHarmWords } from '../../domain/change.ts';
import { toCount } from '../../domain/values.ts';
import type { Remark } from '../../store/logs.ts';
import { toSource } from '../lists/words.ts';
import type { OpsJson } from '../schemas/schemas.ts';
import { toMoment } from '../schemas/schemas.ts';
import type { HealthSources, ReadinessFacts } from './readiness-facts.ts';
import { readFacts } from './readiness-facts.ts';

/** What was found: a sentence, with a remedy of its own where that depends on the facts; nothing of it: all is well. */
type Found = string | false | undefined | readonly (readonly [detail: string, remedy?: string])[];

/** Reasons by their codes, each with its remedy and what it follows from, in the order in which they are listed. */
type Reasons<Facts> = Readonly<
  Record<string, readonly [remedy: string, find: (facts: Facts) => Found]>
>;

type StoreFacts = Extract<ReadinessFacts['store'], { kind: 'ok' }> &
  Pick<ReadinessFacts, 'writes' | 'nowMs'>;

/** A change that has failed for this long is reported, in milliseconds. */
const FAILING_AFTER_MS = 60_000;
/** The audit log is read every few seconds; a failure for this long is reported. */
const AUDIT_BEHIND_AFTER_MS = 5 * 60_000;
/** A change that has waited this long is reported; shorter waits are ordinary backoff. */
const BEHIND_AFTER_MS = 15 * 60_000;
/** Failed attempts within ten minutes that are reported: more than a typing error, or a provider that tries again. */
const FAILED_MAX = 50;

const KEPT = 'writes are kept for later';

/** The reasons for which requests cannot be served; with the others writes are accepted all the same. */
const BLOCKING: readonly string[] = ['store-unusable', 'first-read', 'draining'];

const OF_PROCESS: Reasons<ReadinessFacts> = {
  'store-unusable': [
    'Bring the database or the disk back; docs/runbook.md#error-codes explains the code.',
    ({ store }) => store.kind === 'problem' && `The store cannot be used (${store.code}).`,
  ],
  'first-read': [
    'Wait. When it does not move, see the reasons beside this one, or `scim-bridge check`.',
    ({ store }) => {
      if (store.kind === 'problem' || !store.firstRead) return undefined;
      const { step, read, expected } = store.firstRead;
      const of = expected === null ? '' : ` of ${expected}`;
      return `The first read of the service is not finished: ${step}, ${read}${of} so far.`;
    },
  ],
  draining: [
    'Wait for its successor; requests go to another replica meanwhile.',
    ({ draining }) => draining && 'The process is stopping and finishes what it has begun.',
  ],
  'no-leader': [
    'Wait some seconds: another process takes over. When it lasts, see its log.',
    // Without its store no process leads.
    ({ leader, store }) =>
      leader?.isAlive !== true &&
      store.kind === 'ok' &&
      'No process brings changes to the service now.',
  ],
  'credentials-refused': [
    'Set a new token as `upstream.token`: one in a file is read again by itself, else restart. `scim-bridge check` proves it.',
    ({ upstream: { credentials } }) =>
      credentials.kind === 'shut' &&
      `The service has refused the token since ${toMoment(credentials.sinceMs)}; ${KEPT}.`,
  ],
  'service-down': [
    'Wait when the service is down; otherwise check network, `upstream.url` and proxy.',
    ({ upstream: { service } }) =>
      service.kind === 'shut' &&
      `The service has failed or not answered since ${toMoment(service.sinceMs)}; ${KEPT}.`,
  ],
  redirected: [
    'Set `upstream.url` to the address that answers itself, with https and the right host: `scim-bridge check` says where calls are sent.',
    ({ upstream: { redirectedSinceMs: since } }) =>
      since !== undefined &&
      `The service has redirected calls (3xx) since ${toMoment(since)}: the bridge does not follow, because the token belongs to one host; ${KEPT}.`,
  ],
  paused: [
    'Nothing when it is rare; otherwise lower `upstream.requestsPerSecond`, or find who else uses the token.',
    ({ upstream: { pausedForMs } }) =>
      pausedForMs > 0 &&
      `The service asks for a pause of all calls, for ${toCount(Math.ceil(pausedForMs / 1_000), 'more second')}; ${KEPT}.`,
  ],
};

const OF_STORE: Reasons<StoreFacts> = {
  'store-read-only': [
    'Make room on the disk, or bring it back; everything goes on by itself then. docs/runbook.md#error-codes explains the code.',
    ({ writeTrouble }) => {
      if (writeTrouble === undefined) return undefined;
      const { code, sinceMs } = writeTrouble;
      const detail = `The store has taken no writes since ${toMoment(sinceMs)} (${code}): they are answered with 503, reads go on.`;
      return code === 'store-replaced' ? [[detail, REPLACED]] : detail;
    },
  ],
  'store-not-durable': [
    'Set `fsync = on` in postgresql.conf and reload the server.',
    ({ notFlushed }) =>
      notFlushed &&
      'PostgreSQL runs with fsync off: a crash of its host may lose what was acknowledged.',
  ],
  'observe-mode': [
    '`scim-bridge plan show --first-run` tells what would be done; `MODE=live` and a restart make it a plan to approve.',
    ({ writes, backlog }) =>
      writes.mode === 'observe' &&
      `The bridge only observes and changes nothing in the service: ${toSubjects(backlog.changes)} accepted, not applied.`,
  ],
  'writes-paused': [
    '`scim-bridge resume`, when it is time; `scim-bridge status` has the reason that was given.',
    ({ writes: { pause }, backlog }) =>
      pause &&
      `An operator paused all changes of the service at ${toMoment(pause.since)}: ${toSubjects(backlog.changes)} accepted, not applied.`,
  ],
  // New writes of providers are brought to the service meanwhile; older changes are held.
  recovery: [
    'Wait until the whole service was read; docs/recovery.md tells what comes then.',
    ({ recovery: state, waitingPlans }) => {
      if (state === undefined) return undefined;
      const why =
        state.reason.code === 'first-run'
          ? 'What was accepted while the bridge observed is held'
          : 'The store is older than what was done';
      const detail = `${why}: since ${toMoment(state.since)} only new writes are brought to the service.`;
      const plan = waitingPlans.find(({ id }) => id === state.planId);
      if (plan === undefined) return detail;
      const waits = `A plan of ${toCount(plan.waiting, 'change')} waits for an operator.`;
      return [[`${detail} ${waits}`, toDecision(plan.id, 'recovery')]];
    },
  ],
  // Without the words of the service: they may hold names, and this is open to everybody.
  'section-closed': [
    'See the log for what could not be read, and `scim-bridge check`. It is asked again every five minutes.',
    ({ sections }) =>
      Object.entries(sections).flatMap(([section, { problem, at }]) => {
        if (problem === null) return [];
        const rights = getSectionRights(section);
        const status = problem.status === undefined ? '' : ` with ${problem.status}`;
        const isShown = ['unreadable', 'incomplete', 'blind'].includes(problem.code);
        const refuses = isShown ? `does not show readably (${problem.code})` : 'refuses';
        const detail = `The service ${refuses} ${rights.title}${status} since ${toMoment(at)}: ${rights.without}.`;
        return [isShown ? [detail] : [detail, toRefusalRemedy(rights, problem.status)]];
      }),
  ],
  'no-seat': [
    'Buy seats, or deactivate in the provider whom nobody needs any more: who waits gets each free one. `scim-bridge retry --all` tries at once.',
    ({ backlog: { noSeat, noSeatSince: since } }) =>
      since !== null &&
      `${toCount(noSeat, 'person waits', 'people wait')} for a free seat of the service since ${toMoment(since)}: it refuses additions for lack of them.`,
  ],
  stuck: [
    'The words of the service (`scim-bridge users --stuck`, `groups --stuck`) say what to correct, in the provider or in the service; then `scim-bridge retry --all`.',
    ({ backlog: { stuck } }) =>
      stuck > 0 && `${toSubjects(stuck)} acknowledged, then refused or not done by the service.`,
  ],
  failing: [
    '`scim-bridge users --due` and `groups --due` say which and why. Wait when the service is at fault: everything is tried again by itself, and at once when it answers again.',
    ({ backlog: { failing, failingSince }, nowMs }) =>
      nowMs - (failingSince ?? nowMs) >= FAILING_AFTER_MS &&
      `${toSubjects(failing)} tried again and again without success for more than a minute.`,
  ],
  behind: [
    'Nothing while the backlog shrinks; otherwise see the other reasons, or raise `upstream.requestsPerSecond` where the service allows it.',
    ({ backlog: { due, oldestSince }, writes, nowMs }) => {
      const waitedMs = nowMs - (oldestSince ?? nowMs);
      const isSending = writes.mode === 'live' && writes.pause === undefined;
      const waited = toCount(Math.floor(waitedMs / 60_000), 'minute');
      const isBehind = isSending && waitedMs >= BEHIND_AFTER_MS;
      return isBehind && `${toSubjects(due)} waiting, the oldest for ${waited}.`;
    },
  ],
  disputed: [
    '`scim-bridge users --disputed` and `groups --disputed` list them: make the names differ in the service or in the provider, or allow taking over (`users.adopt`, `groups.adopt`).',
    ({ backlog: { disputed } }) =>
      disputed > 0 &&
      `${toCount(disputed, 'name fits', 'names fit')} more than one account or group, or waits for an operator's decision; its provider is answered 409.`,
  ],
  'audit-behind': [
    'Wait if the service is at fault: the bridge tries again by itself and skips nothing.',
    ({ auditFailure, sections, nowMs }) =>
      // A closed section is reported by itself.
      auditFailure !== undefined &&
      !sections.audit?.problem &&
      nowMs - auditFailure.since >= AUDIT_BEHIND_AFTER_MS &&
      `The audit log could not be read since ${toMoment(auditFailure.since)} (${auditFailure.code}): what others change in the service is seen late.`,
  ],
  'leavers-late': [
    '`scim-bridge leavers --status waits` says who and why; see the other reasons, or take the access away in the service.',
    ({ lateLeavers: { count, some } }) =>
      some[0] &&
      `${toCount(count, 'person who left was', 'people who left were')} not seen to be out after five minutes, the first since ${toMoment(some[0].left_at)}.`,
  ],
  'left-out': [
    'Find them with `scim-bridge why` (`part-left-out`), and correct in the provider what is refused.',
    ({ leftOut }) =>
      leftOut &&
      `${toRequests(leftOut)} took access away and came with parts that are refused: these were left out.`,
  ],
  'name-recycled': [
    'Find them with `scim-bridge why` (`name-recycled`), and see in the service what the account still has of before.',
    ({ recycled }) =>
      recycled &&
      `${toRequests(recycled)} gave the account of a deleted person to one with another externalId, without its licences.`,
  ],
  // Plans beside that of recovery: nothing of them is done before an operator decides.
  'plan-held': [
    '',
    ({ recovery, waitingPlans }) =>
      waitingPlans.flatMap(({ id, source, created_at, waiting }) => {
        if (id === recovery?.planId) return [];
        const plan = `A plan of ${toCount(waiting, 'change')} (${toSource(source)})`;
        const detail = `${plan} has waited for an operator since ${toMoment(created_at)}.`;
        return [[detail, toDecision(id, source === 'handover' ? 'go-live' : 'drift')]];
      }),
  ],
  // It may be meant, so removals alone are held, above `limits.provider`.
  'provider-harm': [
    'See in the provider whether it is meant. `scim-bridge pause` stops all changes; more than `limits.provider` waits in a plan.',
    ({ providerHarm }) =>
      providerHarm.length > 0 &&
      `Identity providers took away more than the limits of repairs within 24 hours: ${providerHarm.map(({ harm, count }) => toHarmWords(harm, count)).join(', ')}.`,
  ],
  'no-credential': [
    '`scim-bridge token create <name>`, or `client create`, and give it to the provider.',
    ({ access }) =>
      !access.hasProvider && 'No provider has a valid credential, so none can send anything.',
  ],
  'credential-expires': [
    '`scim-bridge token list` and `client list` say which. Make the next one, give it to whoever uses it, then revoke this one.',
    ({ access: { expiring } }) => {
      const first = expiring[0]?.expiresAt ?? undefined;
      if (first === undefined) return undefined;
      const what = toCount(expiring.length, 'token or secret', 'tokens or secrets');
      return `${what} will expire within 30 days, or did; the first at ${toMoment(first)}.`;
    },
  ],
  'authentication-failing': [
    '`scim-bridge status` says from where. Give the provider a valid token, or keep the stranger out in front of the bridge.',
    ({ access: { failedAttempts } }) =>
      failedAttempts >= FAILED_MAX &&
      `${toCount(failedAttempts, 'request')} had no valid credential within ten minutes.`,
  ],
};

const REPLACED =
  'Put the file back that was there, and everything goes on by itself. To use another one, stop the bridge first.';

function toDecision(id: string, page: string): string {
  return `\`scim-bridge plan show ${id}\`, then \`approve\` or \`discard\`; docs/${page}.md tells what they do.`;
}

function toSubjects(count: number): string {
  return toCount(count, 'person or group is', 'people and groups are');
}

function toRequests({ requests, since, last }: Remark): string {
  return `${toCount(requests, 'request')}, from ${toMoment(since)} to ${toMoment(last)},`;
}

/** Codes of all reasons. */
export const REASON_CODES: readonly string[] = [
  ...[OF_PROCESS, OF_STORE].flatMap((reasons) => Object.keys(reasons)),
  'starting',
];

/** One thing that is not as it should be. The texts hold neither secrets nor names. */
export type Reason = OpsJson<'Status'>['reasons'][number];

function listReasons<Facts>(reasons: Reasons<Facts>, facts: Facts): Reason[] {
  return Object.entries(reasons).flatMap(([code, [usual, find]]) => {
    const found = find(facts) || [];
    const all = typeof found === 'string' ? [[found] as const] : found;
    return all.map(([detail, remedy = usual]) => ({ code, detail, remedy }));
  });
}

/** Reads if the bridge can serve now. Never rejects for the store. */
export async function readReadiness(sources: HealthSources) {
  return toReadiness(await readFacts(sources));
}

/** Finds out what is wrong, and if the bridge can serve: it can unless a reason is blocking. */
export function toReadiness(
  facts: ReadinessFacts,
): Pick<OpsJson<'Status'>, 'status' | 'reasons' | 'leader'> {
  const { leader, store, writes, nowMs } = facts;
  const stored = store.kind === 'ok' ? listReasons(OF_STORE, { ...store, writes, nowMs }) : [];
  const reasons = [...listReasons(OF_PROCESS, facts), ...stored];
  const isBlocked = reasons.some(({ code }) => BLOCKING.includes(code));
  const status = isBlocked ? 'unavailable' : reasons.length > 0 ? 'degraded' : 'ok';
  if (leader?.isAlive !== true) return { status, reasons, leader: null };
  const { isSelf, epoch, since } = leader;
  return { status, reasons, leader: { isSelf, epoch, since: toMoment(since) } };
}

const MEMBERS = '"Members"';
const GROUPS = '"User group management"';

/** Of each section its title, the right and the module that it needs, and the effect of their absence. */
const RIGHTS: Readonly<Record<string, readonly [string, string, string, string]>> = {
  users: ['people', MEMBERS, 'SCIM provisioning', 'people cannot be provisioned'],
  groups: ['groups', MEMBERS, GROUPS, 'groups cannot be provisioned'],
  members: ['group members', MEMBERS, GROUPS, 'groups cannot get members'],
  admins: ['group administrators', MEMBERS, GROUPS, 'their administrators cannot be set'],
  companyUsers: [
    'company users',
    MEMBERS,
    'the administration of people',
    'roles and licences are unknown, so only `protect.users` guards owners',
  ],
  audit: [
    'audit log',
    '"Audit log"',
    'the audit log',
    'changes of others are seen later and without their author',
  ],
};

/** The rights of a section; one that the table does not know is described in general words. */
export function getSectionRights(section: string) {
  const general = [section, 'that it belongs to', section, `${section} cannot be used`] as const;
  const [title, right, module, without] = RIGHTS[section] ?? general;
  return { title, right, module, without };
}

/** The remedy for a section that is refused: 402 the module is not bought, 403 the token's owner lacks a right. */
export function toRefusalRemedy(
  { right, module }: ReturnType<typeof getSectionRights>,
  status: number | undefined,
): string {
  if (status === 402) return `The company's tariff lacks it: buy ${module}.`;
  if (status === 403) {
    return `Give the owner of the token access to the administrative section ${right}; at first only the company's owner has it.`;
  }
  return 'The service does not offer it at this address: check `upstream.url`, and apiVersion of `upstream.quirks`.';
}
