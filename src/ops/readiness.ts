import type { ProviderFacts } from '../reconcile/provider/watch.ts';
import type { RecoveryState } from '../reconcile/recovery/state.ts';
import type { SectionStates } from '../reconcile/sections.ts';
import type { Pause } from '../reconcile/writes/state.ts';
import type { Backlog } from '../store/backlog.ts';
import type { WriteTrouble } from '../store/watch-writes.ts';
import type { TransportHealth } from '../upstream/transport.ts';
import { getSectionRights, toRefusalRemedy } from './section-rights.ts';

/** How far the first complete read of the service has come; SCIM is served when it is finished. */
export type FirstRead =
  | { readonly kind: 'finished' }
  | { readonly kind: 'running'; readonly step: string; readonly count: number };

/** What the store says, or the code of the error that it answers with. */
export type StoredFacts =
  | {
      readonly kind: 'ok';
      readonly firstRead: FirstRead;
      readonly sections: SectionStates;
      readonly backlog: WaitingWork;
      /** It can be read and not written: a full disk, for instance. */
      readonly writeTrouble: WriteTrouble | undefined;
      readonly recovery: RecoveryState | undefined;
      readonly auditFailure: AuditFailure | undefined;
      readonly heldPlan: HeldPlanFacts | undefined;
      readonly providers: ProviderFacts;
    }
  | { readonly kind: 'problem'; readonly code: string };

/** Since when the audit log cannot be read (epoch milliseconds), and the code of the error. */
export interface AuditFailure {
  readonly since: number;
  readonly code: string;
}

/** A plan of repairs that waits for an operator, and since when (epoch milliseconds). */
export interface HeldPlanFacts {
  readonly id: string;
  readonly created_at: number;
}

/** What waits, and what waits for an operator. */
export interface WaitingWork extends Backlog {
  /** Names that came up within a day and that nobody but an operator can place. */
  readonly disputed: number;
}

/** Whether the service is changed at all. */
export interface WritesFacts {
  readonly mode: 'live' | 'observe';
  /** The pause that an operator asked for; undefined: there is none. */
  readonly pause: Pause | undefined;
}

/** What the transport knows of the service without asking it. */
export type UpstreamFacts = Pick<TransportHealth, 'credentials' | 'service' | 'pausedForMs'>;

/** What readiness is judged from, all of it known without a call to the service. */
export interface ReadinessFacts {
  readonly store: StoredFacts;
  readonly draining: boolean;
  readonly upstream: UpstreamFacts;
  readonly writes: WritesFacts;
  /** Epoch milliseconds. */
  readonly nowMs: number;
}

/** One thing that is not as it should be. `code` is stable; the texts hold neither secrets nor people. */
interface Reason {
  readonly code: ReasonCode;
  readonly detail: string;
  readonly remedy: string;
}

/** The first three mean that requests cannot be served; with the others they can. */
type ReasonCode =
  | 'store-unusable'
  | 'first-read'
  | 'draining'
  | 'store-read-only'
  | 'observe-mode'
  | 'writes-paused'
  | 'recovery'
  | 'credentials-refused'
  | 'service-down'
  | 'paused'
  | 'section-closed'
  | 'stuck'
  | 'failing'
  | 'behind'
  | 'disputed'
  | 'audit-behind'
  | 'plan-held'
  | 'provider-harm'
  | 'provider-silent';

/** `unavailable` is answered with 503, the others with 200. */
export interface Readiness {
  readonly status: 'ok' | 'degraded' | 'unavailable';
  readonly reasons: readonly Reason[];
}

/** A change that has failed for this long is worth telling. */
const failingAfterMs = 60_000;
/** The audit log is read every few seconds; a failure for this long is worth telling. */
const auditBehindAfterMs = 5 * 60_000;
/** A change that has waited this long is worth telling; shorter waits are ordinary backoff. */
const behindAfterMs = 15 * 60_000;

/**
 * Whether the bridge can serve, and what is wrong. An outage of the service is no reason to refuse: that is when accepting
 * writes matters. Only an unusable store, an unfinished first read and draining are.
 */
export function toReadiness(facts: ReadinessFacts): Readiness {
  const blocking = listBlocking(facts);
  const reasons = [...blocking, ...listUpstream(facts), ...listStored(facts)];
  if (blocking.length > 0) return { status: 'unavailable', reasons };
  return { status: reasons.length > 0 ? 'degraded' : 'ok', reasons };
}

function listBlocking({ store, draining }: ReadinessFacts): Reason[] {
  const reasons: Reason[] = [];
  if (store.kind === 'problem') {
    reasons.push({
      code: 'store-unusable',
      detail: `The store cannot be used (${store.code}).`,
      remedy: 'Bring the database or the disk back; docs/errors.md explains the code.',
    });
  } else if (store.firstRead.kind === 'running') {
    const { step, count } = store.firstRead;
    reasons.push({
      code: 'first-read',
      detail: `The first read of the service is not finished: ${step}, ${count} so far.`,
      remedy:
        'Wait. When it does not move, see the reasons beside this one, or `scim-bridge check`.',
    });
  }
  if (draining) {
    reasons.push({
      code: 'draining',
      detail: 'The process is stopping and finishes what it has begun.',
      remedy: 'Wait for its successor; requests go to another replica meanwhile.',
    });
  }
  return reasons;
}

function listUpstream({ upstream }: ReadinessFacts): Reason[] {
  const { credentials, service, pausedForMs } = upstream;
  const reasons: Reason[] = [];
  if (credentials.kind === 'shut') {
    reasons.push({
      code: 'credentials-refused',
      detail: `The service refuses the token since ${toTime(credentials.sinceMs)}; writes are kept for later.`,
      remedy: 'Set a new token as `upstream.token` and restart; `scim-bridge check` proves it.',
    });
  }
  if (service.kind === 'shut') {
    reasons.push({
      code: 'service-down',
      detail: `The service fails or does not answer since ${toTime(service.sinceMs)}; writes are kept for later.`,
      remedy: 'Wait when the service is down; otherwise check network, `upstream.url` and proxy.',
    });
  }
  if (pausedForMs > 0) {
    reasons.push({
      code: 'paused',
      detail: `The service asks for a pause of all calls, for ${Math.ceil(pausedForMs / 1_000)} more seconds; writes are kept for later.`,
      remedy:
        'Nothing when it is rare; otherwise lower `upstream.requestsPerSecond`, or find who else uses the token.',
    });
  }
  return reasons;
}

function listStored({ store, writes, nowMs }: ReadinessFacts): Reason[] {
  if (store.kind === 'problem') return [];
  const { writeTrouble, recovery, sections, backlog, auditFailure, heldPlan, providers } = store;
  return [
    ...listReadOnly(writeTrouble),
    ...listWrites(writes, backlog),
    ...listRecovery(recovery),
    ...listClosed(sections),
    ...listWaiting(backlog, { nowMs, isSending: isSending(writes) }),
    ...listAudit(auditFailure, { sections, nowMs }),
    ...listHeldPlan(heldPlan),
    ...listProviders(providers),
  ];
}

function isSending({ mode, pause }: WritesFacts): boolean {
  return mode === 'live' && pause === undefined;
}

/** What providers send is answered with 2xx all the same, and kept. */
function listWrites({ mode, pause }: WritesFacts, { changes }: WaitingWork): Reason[] {
  const accepted = `${toCount(changes)} accepted, not applied`;
  const reasons: Reason[] = [];
  if (mode === 'observe') {
    reasons.push({
      code: 'observe-mode',
      detail: `The bridge only observes and changes nothing in the service: ${accepted}.`,
      remedy:
        '`scim-bridge plan show --first-run` tells what would be done; `MODE=live` and a restart make it a plan to approve.',
    });
  }
  if (pause !== undefined) {
    reasons.push({
      code: 'writes-paused',
      detail: `An operator paused all changes of the service at ${toTime(pause.since)}: ${accepted}.`,
      remedy: '`scim-bridge resume`, when it is time; `/ops/status` has the reason that was given.',
    });
  }
  return reasons;
}

/** New writes of providers are brought to the service meanwhile; what waited before is not. */
function listRecovery(state: RecoveryState | undefined): Reason[] {
  if (state === undefined) return [];
  const remedy =
    state.phase === 'waiting'
      ? '`scim-bridge recovery show`, then `approve` or `discard`; docs/recovery.md tells what they do.'
      : 'Wait until the whole service was read; docs/recovery.md tells what comes then.';
  const isFirstRun = state.phase !== 'requested' && state.reason.code === 'first-run';
  const why = isFirstRun
    ? 'What was accepted while the bridge observed is held'
    : 'The store is older than what was done';
  const detail = `${why}: since ${toTime(state.since)} only new writes are brought to the service.`;
  return [{ code: 'recovery', detail, remedy }];
}

/** Reads are answered all the same, so this process is still better than none. */
function listReadOnly(trouble: WriteTrouble | undefined): Reason[] {
  if (trouble === undefined) return [];
  return [
    {
      code: 'store-read-only',
      detail: `The store takes no writes since ${toTime(trouble.sinceMs)} (${trouble.code}): they are answered with 503, reads go on.`,
      remedy:
        'Make room on the disk, or bring it back; everything goes on by itself then. docs/errors.md explains the code.',
    },
  ];
}

function listClosed(sections: SectionStates): Reason[] {
  return Object.entries(sections).flatMap(([section, { problem, at }]): Reason[] => {
    if (problem === null) return [];
    const rights = getSectionRights(section);
    const status = problem.status === undefined ? '' : ` with ${problem.status}`;
    return [
      {
        code: 'section-closed',
        // Not the service's words: anybody may read this, and they may name people.
        detail: `The service refuses ${rights.title}${status} since ${toTime(at)}: ${rights.without}.`,
        remedy: toRefusalRemedy(rights, problem.status),
      },
    ];
  });
}

function listWaiting(
  backlog: WaitingWork,
  { nowMs, isSending }: { nowMs: number; isSending: boolean },
): Reason[] {
  const { due, stuck, disputed, oldestSince } = backlog;
  const reasons: Reason[] = [];
  if (stuck > 0) {
    reasons.push({
      code: 'stuck',
      detail: `${toCount(stuck)} acknowledged, then refused by the service.`,
      remedy:
        '`/ops/status` has the words of the service; correct the person or group in the provider or in the service.',
    });
  }
  if (isFailing(backlog, nowMs)) {
    reasons.push({
      code: 'failing',
      detail: `${toCount(backlog.failing)} tried again and again without success for more than a minute.`,
      remedy:
        '`/ops/status` says which and why. Wait when the service is at fault: everything is tried again by itself.',
    });
  }
  const waitedMs = oldestSince === undefined ? 0 : nowMs - oldestSince;
  if (isSending && waitedMs >= behindAfterMs) {
    reasons.push({
      code: 'behind',
      detail: `${toCount(due)} waiting, the oldest for ${Math.floor(waitedMs / 60_000)} minutes.`,
      remedy:
        'Nothing while the backlog shrinks; otherwise see the other reasons, or raise `upstream.requestsPerSecond` where the service allows it.',
    });
  }
  if (disputed > 0) {
    reasons.push({
      code: 'disputed',
      detail: `${disputed === 1 ? '1 name fits' : `${disputed} names fit`} more than one account or group, or waits for an operator's decision; its provider is answered 409.`,
      remedy:
        '`/ops/status` lists them: make the names differ in the service or in the provider, or allow taking over (`users.adopt`, `groups.adopt`).',
    });
  }
  return reasons;
}

/** Nothing is repaired before somebody has looked. */
function listHeldPlan(plan: HeldPlanFacts | undefined): Reason[] {
  if (plan === undefined) return [];
  return [
    {
      code: 'plan-held',
      detail: `A plan of repairs waits for an operator since ${toTime(plan.created_at)}, because it would take away more than the limits allow.`,
      remedy: `\`scim-bridge plan show ${plan.id}\`, then \`approve\` or \`discard\`; docs/drift.md tells what they do.`,
    },
  ];
}

/** It may be meant, and then nobody else is asked. */
function listProviders({ silentSince, exceeded }: ProviderFacts): Reason[] {
  const reasons: Reason[] = [];
  if (exceeded.length > 0) {
    const counts = exceeded.map(({ harm, count }) => `${harm} ${count}`).join(', ');
    reasons.push({
      code: 'provider-harm',
      detail: `Identity providers took away more than the limits of repairs within 24 hours: ${counts}.`,
      remedy:
        'See in the provider whether it is meant. `scim-bridge pause` stops it, `limits.provider` holds it another time; `scim-bridge resume` counts from now on.',
    });
  }
  if (silentSince !== undefined) {
    reasons.push({
      code: 'provider-silent',
      detail: `No identity provider has asked for anything since ${toTime(silentSince)}.`,
      remedy:
        'See whether provisioning is on in the provider, and whether its token and address are right.',
    });
  }
  return reasons;
}

/** A closed section is told by itself. */
function listAudit(
  failure: AuditFailure | undefined,
  { sections, nowMs }: { sections: SectionStates; nowMs: number },
): Reason[] {
  if (failure === undefined || sections.audit?.problem) return [];
  if (nowMs - failure.since < auditBehindAfterMs) return [];
  return [
    {
      code: 'audit-behind',
      detail: `The audit log cannot be read since ${toTime(failure.since)} (${failure.code}): what others change in the service is seen later.`,
      remedy:
        'Wait when the service is at fault: it is tried again by itself, and nothing is left out.',
    },
  ];
}

function isFailing({ failingSince }: WaitingWork, nowMs: number): boolean {
  return failingSince !== undefined && nowMs - failingSince >= failingAfterMs;
}

function toCount(count: number): string {
  return count === 1 ? '1 person or group is' : `${count} people and groups are`;
}

function toTime(epochMs: number): string {
  return new Date(epochMs).toISOString();
}
