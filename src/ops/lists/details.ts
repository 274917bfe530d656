import { DEFAULT_PROVIDER } from '../../domain/provider.ts';
import { NO_SEAT } from '../../domain/seats.ts';
import { toCount } from '../../domain/text.ts';
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

type Status = OpsJson<'Status'>;

/** The state of the bridge: what stops it, what waits, and what it knows of the service. */
export function listStatusFacts(status: Status): Fact[] {
  const { leader, due, failingCount, stuckCount, oldestSince, firstRead, unmanaged } = status;
  const isSelf = leader?.isSelf ? 'this process' : 'another process';
  return [
    { title: 'changes', ...toChanges(status.writes) },
    { title: 'service', ...toService(status.upstream) },
    { title: 'leader', text: leader === null ? 'none now' : `${isSelf}, since ${leader.since}` },
    { title: 'work', text: `${due} due, ${failingCount} failing, ${stuckCount} stuck` },
    ...(oldestSince === null ? [] : [{ title: 'oldest of it', text: `since ${oldestSince}` }]),
    { title: 'a new change', text: toEstimate(status) },
    ...listEnds(status),
    ...listSeats(status),
    ...listLeavers(status),
    { title: 'first read', text: firstRead ? toReadingText(firstRead) : 'finished' },
    { title: 'last sweep', text: toSweep(status) },
    { title: 'differences', text: toDrifts(status) },
    { title: 'unmanaged', text: toCount(unmanaged, 'account or group', 'accounts and groups') },
    { title: 'wrong tokens', text: toAttempts(status) },
  ];
}

function toChanges({ mode, paused, waiting }: Status['writes']): Omit<Fact, 'title'> {
  const waits = toCount(waiting, 'waits', 'wait');
  if (paused === null) return { text: `${mode}, ${waits} for the service`, tone: 'good' };
  const why = paused.reason === null ? '' : ` (${paused.reason})`;
  return { text: `paused since ${paused.since}${why}, ${waits}`, tone: 'waiting' };
}

function toService({ credentials, service, ...rest }: Status['upstream']): Omit<Fact, 'title'> {
  if (credentials.kind === 'shut') return { text: 'refuses the token', tone: 'bad' };
  if (service.kind === 'shut') return { text: 'does not answer', tone: 'bad' };
  const { inFlight, pausedForMs, waiting } = rest;
  const calls = Object.values(waiting).reduce((sum, count) => sum + count, 0);
  const pause = pausedForMs > 0 ? `, asks for a pause of ${toTimeText(pausedForMs)}` : '';
  const turns = toCount(calls, 'waits for its', 'wait for their');
  const text = `answers, ${toCount(inFlight, 'call')} under way, ${turns} turn${pause}`;
  return { text, tone: pausedForMs > 0 ? 'waiting' : 'good' };
}

/** Wait that nobody notices, in milliseconds. */
const SHORT_MS = 1_000;

function toEstimate({ queue, due, upstream }: Status): string {
  if (queue.isHeld) return 'is held: nothing is changed now';
  if ([upstream.credentials, upstream.service].some(({ kind }) => kind === 'shut'))
    return 'waits until the service takes calls again';
  if (due === 0 || queue.changeMs < SHORT_MS) return 'leaves at once';
  return `leaves in about ${toTimeText(queue.changeMs)}, a removal of access in ${toTimeText(queue.removeMs)}`;
}

const QUEUED = {
  removals: ['removal of access', 'removals of access'],
  changes: ['other change', 'other changes'],
  looks: ['look', 'looks'],
} as const;

/** The end of what waits for its turn, at the earliest, class by class. */
function listEnds({ queue }: Status): Fact[] {
  const ends = queue.classes.flatMap(({ class: name, waiting, endMs }) => {
    const end = endMs === null ? 'not while nothing is changed' : `in ${toTimeText(endMs)}`;
    const [one, many] = QUEUED[name];
    return waiting === 0 ? [] : `${toCount(waiting, one, many)}: ${end}`;
  });
  return ends.length === 0 ? [] : [{ title: 'queue', text: ends.join(', ') }];
}

/** Nothing where nobody has said how many seats there are, and nobody waits. */
function listSeats({ seats: { total, used, waiting, daysLeft } }: Status): Fact[] {
  if (total === null && waiting === 0) return [];
  const of = total === null ? '' : ` of ${total}`;
  const waits = waiting === 0 ? '' : `, ${toCount(waiting, 'waits', 'wait')} for one`;
  const end = daysLeft ? `, the rest for about ${toCount(Math.ceil(daysLeft), 'day')}` : '';
  return [{ title: 'seats', text: `${used}${of} taken${waits}${end}` }];
}

function listLeavers({ leavers }: Status): Fact[] {
  if (leavers === null) return [];
  const { count, since, heldBy, plan } = leavers;
  const who = toCount(count, 'who left is not out', 'who left are not out');
  const why = heldBy === null ? '' : `, ${toHold({ heldBy, plan })}`;
  return [{ title: 'leavers', text: `${who}, since ${since}${why}`, tone: 'waiting' }];
}

/** What keeps a leaver in. */
export function toHold({
  heldBy,
  plan,
}: Pick<NonNullable<Status['leavers']>, 'heldBy' | 'plan'>): string {
  const holds = {
    plan: `held by the plan ${plan}`,
    'observe-mode': 'because the bridge only observes',
    'writes-paused': 'because changes are paused',
  };
  return heldBy === null ? 'held by the service' : holds[heldBy];
}

/** How far a complete read of the service has come. */
export function toReadingText({ step, read, expected, endsAt }: OpsJson<'Reading'>): string {
  const of = expected === null ? '' : ` of ${expected}`;
  const end = endsAt === null ? '' : `, until about ${endsAt}`;
  return `reading ${step}, ${read}${of} so far${end}`;
}

function toSweep({ lastSweep }: Status): string {
  if (lastSweep === null) return 'never';
  const { status, startedAt, endedAt, progress, counts } = lastSweep;
  if (endedAt !== null) {
    const { users = 0, groups = 0 } = counts;
    return `${status}, ended ${endedAt}, ${toCount(users, 'person', 'people')} and ${toCount(groups, 'group')}`;
  }
  const reading = progress === null ? '' : `, ${toReadingText(progress)}`;
  return `running since ${startedAt}${reading}`;
}

/** Counts the differences in these statuses, and those of them that a waiting plan repairs. */
export function countDrifts({ drifts }: Pick<Status, 'drifts'>, ...wanted: string[]) {
  const some = drifts.filter(({ status }) => wanted.includes(status));
  const sum = (what: 'count' | 'held') => some.reduce((all, drift) => all + drift[what], 0);
  return { count: sum('count'), held: sum('held') };
}

function toDrifts(status: Status): string {
  const statuses = [...new Set(status.drifts.map((drift) => drift.status))];
  const parts = statuses.map((name) => {
    const { count, held } = countDrifts(status, name);
    return `${count} ${name}${held === 0 ? '' : `, ${held} of them in a plan`}`;
  });
  return parts.join(', ') || 'none';
}

/** Addresses that are named. */
const SOURCES_MAX = 10;

function toAttempts({ authentication: { failed, sources } }: Status): string {
  const from = sources.slice(0, SOURCES_MAX).map(({ address }) => address);
  return `${failed} in ten minutes${from.length === 0 ? '' : `, from ${from.join(', ')}`}`;
}

/** How far an approved plan has come. */
export function toReleaseText({
  total,
  done,
  stuck,
  startedAt,
  endsAt,
}: OpsJson<'Release'>): string {
  const of = toCount(total, 'person or group is', 'people and groups are');
  const refused = stuck === 0 ? '' : `, ${stuck} stuck`;
  const end = endsAt === null ? '' : `, until about ${endsAt}`;
  return `${done} of ${of} done${refused}${end} (begun at ${startedAt})`;
}

/** The seats that a plan needs; empty where it needs none, or how many are free is not known. */
export function toSeatText(seats: OpsJson<'PlanSeats'> | null): string {
  if (seats === null || seats.needs === 0 || seats.has === null) return '';
  const freed = seats.frees === 0 ? '' : `, frees ${seats.frees}`;
  return `needs ${seats.needs}${freed}, has ${seats.has}`;
}

type Explanation = OpsJson<'Explanation'>;

/** What is known of a user or group as a whole. */
export function listResourceFacts(it: Explanation): Fact[] {
  const { id, version, upstream, seen, problem, handling, members } = it;
  return [
    { title: 'id', text: id },
    { title: 'managed', text: toManaged(it) },
    { title: 'in the service', text: upstream ?? 'not known' },
    {
      title: 'last seen',
      text: seen === null ? 'never' : `${seen.at} by ${seen.by}`,
    },
    { title: 'next', text: toDue(it) },
    ...(problem === null
      ? []
      : [{ title: 'last problem', text: `${problem.words} (${problem.code})` }]),
    { title: 'version', text: String(version) },
    ...(handling === null
      ? []
      : [{ title: 'its requests', text: listChoices(handling).join(', ') }]),
    ...(members === undefined ? [] : [{ title: 'members', text: toMembers(members) }]),
  ];
}

function toManaged({ managed, provider }: Explanation): string {
  const by = provider === DEFAULT_PROVIDER ? '' : `, by the provider ${provider}`;
  return managed === 'no' ? 'only observed' : `managed, ${managed}${by}`;
}

/** Leaves out the time for a person who waits for a seat: the next attempt comes when one may be free. */
function toDue({ dueAt, problem }: Explanation): string {
  if (dueAt === null) return 'nothing is to be done';
  if (problem?.code === NO_SEAT) return 'waits for a free seat';
  return `${problem === null ? 'due' : 'next attempt'} ${dueAt}`;
}

function toMembers(members: NonNullable<Explanation['members']>): string {
  const { desired, observed, pending, stuck, differing } = members;
  const waiting = stuck === 0 ? `${pending} waiting` : `${pending} waiting (${stuck} stuck)`;
  return `${desired} wanted, ${observed} seen, ${waiting}, ${differing} different`;
}

type Plan = OpsJson<'Plan'>;

/** Sources of plans that are about no change in the service. */
const OWN: readonly Plan['source'][] = ['handover', 'undo', 'first-run'];

/** What is known of a plan as a whole. */
export function listPlanFacts(plan: Plan): Fact[] {
  const { counts, status, source, summary, seats, hash, undoes } = plan;
  const needs = toSeatText(seats);
  return [
    { title: 'changes', text: counts.total.toLocaleString('en') },
    ...(OWN.includes(source) ? [] : [{ title: 'by whom', text: toAuthors(summary) }]),
    ...(status === 'held' ? [] : [{ title: 'what became of them', text: toProgress(plan) }]),
    { title: 'harm', text: toHarm(counts.harm) },
    ...(needs === '' ? [] : [{ title: 'seats', text: needs }]),
    { title: 'from', text: toSource(source) },
    { title: 'hash', text: hash.slice(0, 12) },
    ...(undoes === null
      ? []
      : [{ title: 'undoes', text: undoes, link: { type: 'plan', id: undoes } as const }]),
  ];
}

/** Tells how far the changes are. */
function toProgress({ done, dropped, waiting, counts: { total } }: Plan): string {
  const parts = [
    [done, 'done'],
    [dropped, 'dropped out'],
    [waiting, 'not begun'],
    [total - done - dropped - waiting, 'under way'],
  ] as const;
  const some = parts.filter(([count]) => count > 0);
  return (
    some.map(([count, word]) => `${count.toLocaleString('en')} ${word}`).join(', ') || 'nothing'
  );
}

/** Authors of the differences, or providers who asked, the most first. */
function toAuthors(summary: Plan['summary']): string {
  const rows = Map.groupBy(summary, ({ by }) => by ?? 'not known');
  const sums = [...rows].map(([by, some]) => {
    return `${by}: ${some.reduce((sum, { count }) => sum + count, 0).toLocaleString('en')}`;
  });
  return sums.join(', ');
}
