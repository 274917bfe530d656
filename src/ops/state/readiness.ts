import { toCount } from '../../domain/text.ts';
import type { SectionStates } from '../../reconcile/sections.ts';
import type { Remark } from '../../store/audit/requests.ts';
import type { Weakness, WriteTrouble } from '../../store/engine/store-health.ts';
import { toMoment } from '../http/moment.ts';
import type { Status } from '../schemas/state.ts';
import { listLateLeavers } from './leavers.ts';
import {
  isSending,
  listProviders,
  listRecovery,
  listWaitingPlans,
  listWrites,
} from './operator-reasons.ts';
import { listAccess, listUpstream } from './outside-reasons.ts';
import {
  type AuditFailure,
  type HealthSources,
  type LeaderFacts,
  type ReadinessFacts,
  readFacts,
  type WaitingWork,
} from './readiness-facts.ts';
import { type Reason, toSubjects } from './reason.ts';
import { getSectionRights, toRefusalRemedy } from './section-rights.ts';

/** `unavailable` is answered with 503, the others with 200. */
export interface Readiness {
  readonly status: 'ok' | 'degraded' | 'unavailable';
  readonly reasons: readonly Reason[];
  readonly leader: Status['leader'];
}

/** Reads if the bridge can serve now. Never rejects for the store. */
export async function readReadiness(sources: HealthSources): Promise<Readiness> {
  return toReadiness(await readFacts(sources));
}

/** A change that has failed for this long is worth telling. */
const failingAfterMs = 60_000;
/** The audit log is read every few seconds; a failure for this long is worth telling. */
const auditBehindAfterMs = 5 * 60_000;
/** A change that has waited this long is worth telling; shorter waits are ordinary backoff. */
const behindAfterMs = 15 * 60_000;

/**
 * Finds out if the bridge can serve, and what is wrong. An outage of the service is no reason to refuse: that is when accepting
 * writes matters. Only an unusable store, an unfinished first read and draining are.
 */
export function toReadiness(facts: ReadinessFacts): Readiness {
  const blocking = listBlocking(facts);
  const reasons = [
    ...blocking,
    ...listLeaderless(facts),
    ...listUpstream(facts.upstream),
    ...listStored(facts),
  ];
  const leader = toLeaderView(facts.leader);
  if (blocking.length > 0) return { status: 'unavailable', reasons, leader };
  return { status: reasons.length > 0 ? 'degraded' : 'ok', reasons, leader };
}

function toLeaderView(leader: LeaderFacts | undefined): Readiness['leader'] {
  if (leader?.isAlive !== true) return null;
  const { isSelf, epoch, since } = leader;
  return { isSelf, epoch, since: toMoment(since) };
}

/** Writes are accepted meanwhile, and another process takes over by itself. Without its store no process leads. */
function listLeaderless({ leader, store }: ReadinessFacts): Reason[] {
  if (leader?.isAlive === true || store.kind === 'problem') return [];
  return [
    {
      code: 'no-leader',
      detail: 'No process brings changes to the service now.',
      remedy: 'Wait some seconds: another process takes over. When it lasts, see its log.',
    },
  ];
}

function listBlocking({ store, draining }: ReadinessFacts): Reason[] {
  const reasons: Reason[] = [];
  if (store.kind === 'problem') {
    reasons.push({
      code: 'store-unusable',
      detail: `The store cannot be used (${store.code}).`,
      remedy: 'Bring the database or the disk back; docs/runbook.md#error-codes explains the code.',
    });
  } else if (store.firstRead.kind === 'running') {
    const { step, count, total } = store.firstRead;
    const of = total === undefined ? '' : ` of ${total}`;
    reasons.push({
      code: 'first-read',
      detail: `The first read of the service is not finished: ${step}, ${count}${of} so far.`,
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

function listStored({ store, writes, nowMs }: ReadinessFacts): Reason[] {
  if (store.kind === 'problem') return [];
  const {
    writeTrouble,
    recovery,
    sections,
    backlog,
    auditFailure,
    waitingPlans,
    providers,
    access,
  } = store;
  return [
    ...listReadOnly(writeTrouble),
    ...listNotDurable(store.weaknesses),
    ...listWrites(writes, backlog),
    ...listRecovery(recovery, waitingPlans),
    ...listClosed(sections),
    ...listWaiting(backlog, { nowMs, isSending: isSending(writes) }),
    ...listAudit(auditFailure, { sections, nowMs }),
    ...listLateLeavers(store.lateLeavers),
    ...listRemarks(store),
    ...listWaitingPlans(waitingPlans),
    ...listProviders(providers),
    ...listAccess(access),
  ];
}

/** Reads are answered all the same, so this process is still better than none. */
function listReadOnly(trouble: WriteTrouble | undefined): Reason[] {
  if (trouble === undefined) return [];
  return [
    {
      code: 'store-read-only',
      detail: `The store takes no writes since ${toMoment(trouble.sinceMs)} (${trouble.code}): they are answered with 503, reads go on.`,
      remedy:
        trouble.code === 'store-replaced'
          ? 'Put the file back that was there, and everything goes on by itself. To use another one, stop the bridge first.'
          : 'Make room on the disk, or bring it back; everything goes on by itself then. docs/runbook.md#error-codes explains the code.',
    },
  ];
}

/** A standby that is behind is an operator's choice, and told at the start alone. */
function listNotDurable(weaknesses: readonly Weakness[]): Reason[] {
  if (!weaknesses.includes('not-flushed')) return [];
  return [
    {
      code: 'store-not-durable',
      detail: 'PostgreSQL runs with fsync off: a crash of its host may lose what was acknowledged.',
      remedy: 'Set `fsync = on` in postgresql.conf and reload the server.',
    },
  ];
}

function listClosed(sections: SectionStates): Reason[] {
  return Object.entries(sections).flatMap(([section, { problem, at }]): Reason[] => {
    if (problem === null) return [];
    const rights = getSectionRights(section);
    const status = problem.status === undefined ? '' : ` with ${problem.status}`;
    const isShown = ['unreadable', 'incomplete', 'blind'].includes(problem.code);
    const refuses = isShown ? `does not show readably (${problem.code})` : 'refuses';
    return [
      {
        code: 'section-closed',
        // Without the words of the service: they may hold names, and this is open to everybody.
        detail: `The service ${refuses} ${rights.title}${status} since ${toMoment(at)}: ${rights.without}.`,
        remedy: isShown ? UNREAD_REMEDY : toRefusalRemedy(rights, problem.status),
      },
    ];
  });
}

function listRemarks({ leftOut, recycled }: Record<'leftOut' | 'recycled', Remark | undefined>) {
  const toWords = ({ requests, since, last }: Remark) =>
    `${toCount(requests, 'request')}, from ${toMoment(since)} to ${toMoment(last)},`;
  const reasons: Reason[] = [];
  if (leftOut) {
    reasons.push({
      code: 'left-out',
      detail: `${toWords(leftOut)} took access away and came with parts that are refused: these were left out.`,
      remedy:
        'Find them with `scim-bridge why` (`part-left-out`), and correct in the provider what is refused.',
    });
  }
  if (recycled) {
    reasons.push({
      code: 'name-recycled',
      detail: `${toWords(recycled)} gave the account of a deleted person to one with another externalId, without its licences.`,
      remedy:
        'Find them with `scim-bridge why` (`name-recycled`), and see in the service what the account still has of before.',
    });
  }
  return reasons;
}

const UNREAD_REMEDY =
  'See the log for what could not be read, and `scim-bridge check`. It is asked again every five minutes.';

function listWaiting(
  backlog: WaitingWork,
  { nowMs, isSending }: { nowMs: number; isSending: boolean },
): Reason[] {
  const { due, stuck, disputed, oldestSince } = backlog;
  const reasons: Reason[] = listSeatless(backlog);
  if (stuck > 0) {
    reasons.push({
      code: 'stuck',
      detail: `${toSubjects(stuck)} acknowledged, then refused or not done by the service.`,
      remedy:
        'The words of the service (`scim-bridge status`) say what to correct, in the provider or in the service; then `scim-bridge retry`.',
    });
  }
  if (isFailing(backlog, nowMs)) {
    reasons.push({
      code: 'failing',
      detail: `${toSubjects(backlog.failing)} tried again and again without success for more than a minute.`,
      remedy:
        '`scim-bridge status` says which and why. Wait when the service is at fault: everything is tried again by itself, and at once when it answers again.',
    });
  }
  const waitedMs = oldestSince === undefined ? 0 : nowMs - oldestSince;
  if (isSending && waitedMs >= behindAfterMs) {
    reasons.push({
      code: 'behind',
      detail: `${toSubjects(due)} waiting, the oldest for ${toCount(Math.floor(waitedMs / 60_000), 'minute')}.`,
      remedy:
        'Nothing while the backlog shrinks; otherwise see the other reasons, or raise `upstream.requestsPerSecond` where the service allows it.',
    });
  }
  if (disputed > 0) {
    reasons.push({
      code: 'disputed',
      detail: `${toCount(disputed, 'name fits', 'names fit')} more than one account or group, or waits for an operator's decision; its provider is answered 409.`,
      remedy:
        '`scim-bridge status` lists them: make the names differ in the service or in the provider, or allow taking over (`users.adopt`, `groups.adopt`).',
    });
  }
  return reasons;
}

/** Additions alone wait: removals go on, and nobody is deactivated to make room. */
function listSeatless({ noSeat, noSeatSince }: WaitingWork): Reason[] {
  if (noSeatSince === undefined) return [];
  return [
    {
      code: 'no-seat',
      detail: `${toCount(noSeat, 'person waits', 'people wait')} for a free seat of the service since ${toMoment(noSeatSince)}: it refuses additions for lack of them.`,
      remedy:
        'Buy seats, or deactivate in the provider whom nobody needs any more: who waits gets each free one. `scim-bridge retry` tries at once.',
    },
  ];
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
      detail: `The audit log cannot be read since ${toMoment(failure.since)} (${failure.code}): what others change in the service is seen later.`,
      remedy:
        'Wait when the service is at fault: it is tried again by itself, and nothing is left out.',
    },
  ];
}

function isFailing({ failingSince }: WaitingWork, nowMs: number): boolean {
  return failingSince !== undefined && nowMs - failingSince >= failingAfterMs;
}
