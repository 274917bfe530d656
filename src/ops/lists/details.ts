import { DEFAULT_PROVIDER } from '../../domain/provider.ts';
import { NO_SEAT } from '../../domain/seats.ts';
import { toCount } from '../../domain/values.ts';
import type { OpsJson } from '../schemas/schemas.ts';
import { listChoices } from './access.ts';
import type { Link, Tone } from './list.ts';
import { toHarm, toSource, toTimeText } from './words.ts';

/** A name with its value, the same in the command line and in the console. Moments in it are ISO 8601. */
export interface Fact {
  readonly title: string;
  readonly text: string;
  readonly tone?: Tone;
  readonly link?: Link;
}

/** Facts by their titles, in the order in which they are listed; a fact without text is left out. */
type Facts<Of> = Readonly<Record<string, (of: Of) => string | Omit<Fact, 'title'> | null>>;

function factsOf<Of>(facts: Facts<Of>): (of: Of) => Fact[] {
  return (of) =>
    Object.entries(facts).flatMap(([title, find]) => {
      const found = find(of) ?? '';
      const fact = typeof found === 'string' ? { text: found } : found;
      return fact.text === '' ? [] : [{ title, ...fact }];
    });
}

type Status = OpsJson<'Status'>;

const SHORT_MS = 1_000;
const SOURCES_MAX = 10;

/** The state of the bridge: what stops it, what waits, and what it knows of the service. */
export const listStatusFacts = factsOf<Status>({
  changes({ writes: { mode, paused, waiting } }) {
    const waits = toCount(waiting, 'waits', 'wait');
    if (paused === null) return { text: `${mode}, ${waits} for the service`, tone: 'good' };
    const why = paused.reason === null ? '' : ` (${paused.reason})`;
    return { text: `paused since ${paused.since}${why}, ${waits}`, tone: 'waiting' };
  },
  service({ upstream: { credentials, service, inFlight, pausedForMs, waiting } }) {
    if (credentials.kind === 'shut') return { text: 'refuses the token', tone: 'bad' };
    if (service.kind === 'shut') return { text: 'fails or does not answer', tone: 'bad' };
    const calls = Object.values(waiting).reduce((sum, count) => sum + count, 0);
    const pause = pausedForMs > 0 ? `, asks for a pause of ${toTimeText(pausedForMs)}` : '';
    const turns = toCount(calls, 'waits for its', 'wait for their');
    const text = `answers, ${toCount(inFlight, 'call')} under way, ${turns} turn${pause}`;
    return { text, tone: pausedForMs > 0 ? 'waiting' : 'good' };
  },
  leader({ leader }) {
    if (leader === null) return 'none now';
    return `${leader.isSelf ? 'this process' : 'another process'}, since ${leader.since}`;
  },
  work: ({ due, failingCount, stuckCount }) =>
    `${due} due, ${failingCount} failing, ${stuckCount} stuck`,
  'oldest of it': ({ oldestSince }) => oldestSince && `since ${oldestSince}`,
  'a new change'({ queue, due, upstream }) {
    if (queue.isHeld) return 'is held: nothing is changed now';
    if ([upstream.credentials, upstream.service].some(({ kind }) => kind === 'shut'))
      return 'waits until the service takes calls again';
    if (due === 0 || queue.changeMs < SHORT_MS) return 'leaves at once';
    return `leaves in about ${toTimeText(queue.changeMs)}, a removal of access in ${toTimeText(queue.removeMs)}`;
  },
  // Nothing where nobody has said how many seats there are, and nobody waits.
  seats({ seats: { total, used, waiting } }) {
    if (total === null && waiting === 0) return null;
    const of = total === null ? '' : ` of ${total}`;
    const waits = waiting === 0 ? '' : `, ${toCount(waiting, 'waits', 'wait')} for one`;
    return `${used}${of} taken${waits}`;
  },
  leavers({ leavers }) {
    if (leavers === null) return null;
    const { count, since, heldBy, plan } = leavers;
    const who = toCount(count, 'who left is not out', 'who left are not out');
    const why = heldBy === null ? '' : `, ${toHold({ heldBy, plan })}`;
    return { text: `${who}, since ${since}${why}`, tone: 'waiting' };
  },
  'got out': ({ out }) =>
    out &&
    `${toCount(out.count, 'leaver')} in 24 hours, half within ${toTimeText(out.p50Ms)}, 95 of 100 within ${toTimeText(out.p95Ms)}`,
  'first read': ({ firstRead }) => (firstRead ? toReadingText(firstRead) : 'finished'),
  'last sweep'({ lastSweep }) {
    if (lastSweep === null) return 'never';
    const { status, startedAt, endedAt, progress, counts } = lastSweep;
    if (endedAt === null) {
      const reading = progress === null ? '' : `, ${toReadingText(progress)}`;
      return `running since ${startedAt}${reading}`;
    }
    const { users = 0, groups = 0 } = counts;
    return `${status}, ended ${endedAt}, ${toCount(users, 'person', 'people')} and ${toCount(groups, 'group')}`;
  },
  differences(status) {
    const statuses = [...new Set(status.drifts.map((drift) => drift.status))];
    const parts = statuses.map((name) => {
      const { count, held } = countDrifts(status, name);
      return `${count} ${name}${held === 0 ? '' : `, ${held} of them in a plan`}`;
    });
    return parts.join(', ') || 'none';
  },
  unmanaged({ unmanaged, lastSweep }) {
    if (lastSweep === null && unmanaged === 0) return 'not known before the first sweep';
    return toCount(unmanaged, 'account or group', 'accounts and groups');
  },
  stopped: ({ stopped }) =>
    stopped.map(({ provider, mode }) => `the provider ${provider} is ${mode}`).join(', ') || null,
  staged: ({ staged }) =>
    staged === 0 ? null : toCount(staged, 'person or group', 'people and groups'),
  'wrong tokens'({ authentication: { failed, sources } }) {
    const from = sources.slice(0, SOURCES_MAX).map(({ address }) => address);
    return `${failed} in ten minutes${from.length === 0 ? '' : `, from ${from.join(', ')}`}`;
  },
});

/** The decision by which something waits, in words. */
export function toHold(by: Pick<NonNullable<Status['leavers']>, 'heldBy' | 'plan'>): string {
  if (by.heldBy === null) return 'held by the service';
  if (by.heldBy === 'plan') return `held by the plan ${by.plan}`;
  const isObserving = by.heldBy === 'observe-mode';
  return isObserving ? 'because the bridge only observes' : 'because changes are paused';
}

/** How far a complete read of the service has come. */
export function toReadingText({ step, read, expected, endsAt }: OpsJson<'Reading'>): string {
  const of = expected === null ? '' : ` of ${expected}`;
  const end = endsAt === null ? '' : `, until about ${endsAt}`;
  return `reading ${step}, ${read}${of} so far${end}`;
}

/** Counts the differences in these statuses, and those of them that a waiting plan repairs. */
export function countDrifts({ drifts }: Pick<Status, 'drifts'>, ...wanted: string[]) {
  const some = drifts.filter(({ status }) => wanted.includes(status));
  const sum = (what: 'count' | 'held') => some.reduce((all, drift) => all + drift[what], 0);
  return { count: sum('count'), held: sum('held') };
}

/** The seats that a plan needs; empty where it needs none, or how many are free is not known. */
export function toSeatText(seats: OpsJson<'PlanSeats'> | null): string {
  if (seats === null || seats.needs === 0 || seats.has === null) return '';
  const freed = seats.frees === 0 ? '' : `, frees ${seats.frees}`;
  return `needs ${seats.needs}${freed}, has ${seats.has}`;
}

type Explanation = OpsJson<'Explanation'>;

const STAGED_WORDS = {
  scope: 'not in the service: outside the mail domains or group names of its provider',
  invite: 'not in the service: its provider invites nobody',
} as const;

/** What is known of a user or group as a whole. */
export const listResourceFacts = factsOf<Explanation>({
  id: ({ id }) => id,
  managed({ managed, provider }) {
    const by = provider === DEFAULT_PROVIDER ? '' : `, by the provider ${provider}`;
    return managed === 'no' ? 'only observed' : `managed, ${managed}${by}`;
  },
  staged: ({ staged }) => staged && STAGED_WORDS[staged],
  'in the service': ({ upstream }) => upstream ?? 'not known',
  'last seen': ({ seen }) => (seen === null ? 'never' : `${seen.at} by ${seen.by}`),
  next({ dueAt, problem, handling }) {
    if (handling && handling.mode !== 'live') return `nothing: its provider is ${handling.mode}`;
    if (dueAt === null) return 'nothing is to be done';
    // The next attempt comes when a seat may be free, so there is no time.
    if (problem?.code === NO_SEAT) return 'waits for a free seat';
    return `${problem === null ? 'due' : 'next attempt'} ${dueAt}`;
  },
  'last problem': ({ problem }) => problem && `${problem.words} (${problem.code})`,
  version: ({ version }) => String(version),
  'terms of its provider': ({ handling }) => handling && listChoices(handling).join(', '),
  members({ members }) {
    if (members === undefined) return null;
    const { desired, observed, pending, stuck, differing } = members;
    const waiting = stuck === 0 ? `${pending} waiting` : `${pending} waiting (${stuck} stuck)`;
    return `${desired} wanted, ${observed} seen, ${waiting}, ${differing} different`;
  },
});

type Plan = OpsJson<'Plan'>;

/** What became of the changes of a plan. */
export function toProgress({ status, done, dropped, waiting, counts: { total } }: Plan): string {
  const parts = [
    [done, 'done'],
    [dropped, 'dropped out'],
    [waiting, status === 'held' ? 'waiting' : 'not begun'],
    [total - done - dropped - waiting, 'under way'],
  ] as const;
  const words = parts.flatMap(([count, word]) => (count > 0 ? toCount(count, word, word) : []));
  return words.join(', ') || 'nothing';
}

/** True for plans that are about no change in the service. */
export function isOwnPlan({ source }: Pick<Plan, 'source'>): boolean {
  return source === 'handover' || source === 'undo' || source === 'first-run';
}

/** What is known of a plan as a whole. */
export const listPlanFacts = factsOf<Plan>({
  changes: ({ counts }) => counts.total.toLocaleString('en'),
  // Authors of the differences, or providers who asked, the most first.
  'by whom'(plan) {
    if (isOwnPlan(plan)) return null;
    const rows = Map.groupBy(plan.summary, ({ by }) => by ?? 'not known');
    const sums = [...rows].map(([by, some]) => {
      return `${by}: ${some.reduce((sum, { count }) => sum + count, 0).toLocaleString('en')}`;
    });
    return sums.join(', ');
  },
  'what became of them': toProgress,
  harm: ({ counts }) => toHarm(counts.harm),
  seats: ({ seats }) => toSeatText(seats),
  from: ({ source }) => toSource(source),
  hash: ({ hash }) => hash.slice(0, 12),
  undoes: ({ undoes: id }) => id && { text: id, link: { type: 'plan', id } },
});
