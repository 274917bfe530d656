import type { ReactNode } from 'react';
import { toCount } from '../../src/ops/lists/words.ts';
import type { Ops } from '../api/types.ts';
import { toLength } from '../parts/count.ts';
import { Moment } from '../parts/moment.tsx';
import { type Fact, Facts } from '../parts/page.tsx';
import { Tag } from '../parts/tag.tsx';
import { toDrifts } from './drift-words.ts';

/** State of the bridge in a few facts. */
export function OverviewFacts({ status }: { readonly status: Ops<'Status'> }) {
  return <Facts items={listFacts(status)} />;
}

/** Facts about the bridge, about what waits, and about what has gone wrong, in this order. */
function listFacts(status: Ops<'Status'>): Fact[] {
  const { writes, leader, due, oldestSince, upstream, failingCount, stuckCount } = status;
  return [
    ['Mode', <Mode key="mode" writes={writes} />],
    ['The service', toService(upstream)],
    ['Leader', leader === null ? 'none now' : <Leader key="leader" leader={leader} />],
    ['Version', status.bridge.version],
    ['Not in the service yet', toDue(due)],
    [
      'The oldest of it',
      <Moment
        key="oldest"
        at={oldestSince}
        none={due === 0 ? 'nothing waits' : 'all of it is refused'}
      />,
    ],
    ['A new change', toEstimate(status)],
    ['Done, at the earliest', <End key="end" status={status} />],
    ['Calls that wait', toQueue(status)],
    ['Do not come through', toTrouble(stuckCount, failingCount)],
    ['Changed by others', toDrifts(status)],
    ['Unmanaged', toCount(status.unmanaged, 'account or group', 'accounts and groups')],
    ['Compared with the service', <Compared key="compared" status={status} />],
  ];
}

function Mode({ writes }: { readonly writes: Ops<'Status'>['writes'] }) {
  const { paused, mode } = writes;
  if (paused === null) return <Tag tone={mode === 'live' ? 'good' : 'info'} text={mode} />;
  return (
    <>
      <Tag tone="waiting" text="paused" /> since <Moment at={paused.since} />
      {paused.reason && `: ${paused.reason}`}
    </>
  );
}

/** When what is wanted was last compared with what the service holds, or how far it has come. */
function Compared({ status: { lastSweep, firstRead } }: { readonly status: Ops<'Status'> }) {
  if (firstRead !== null) return <span className="quiet">read for the first time now</span>;
  if (lastSweep === null) return <span className="quiet">not since the first read</span>;
  const { status, progress, endedAt, startedAt } = lastSweep;
  if (status !== 'running') return <Moment at={endedAt ?? startedAt} />;
  return (
    <>now{progress && `: reads ${progress.step}, ${progress.read.toLocaleString('en')} so far`}</>
  );
}

function Leader({ leader }: { readonly leader: NonNullable<Ops<'Status'>['leader']> }) {
  return (
    <>
      {leader.isSelf ? 'this process' : 'another process'} since <Moment at={leader.since} />
    </>
  );
}

function toTrouble(stuck: number, failing: number): string {
  const parts = [
    ...(stuck > 0 ? [`${stuck.toLocaleString('en')} refused by the service`] : []),
    ...(failing > 0 ? [`${failing.toLocaleString('en')} tried in vain`] : []),
  ];
  return parts.join(', ') || 'none';
}

function toDue(due: number): string {
  if (due === 0) return 'nothing';
  return toCount(due, 'user or group', 'users and groups');
}

/** Wait that nobody notices, in milliseconds. */
const SHORT_MS = 1_000;

/** Words for one and for many. */
type Words = readonly [one: string, many: string];

const CLASSES: Readonly<Record<string, Words>> = {
  remove: ['removal of access', 'removals of access'],
  change: ['change', 'changes'],
  look: ['look', 'looks'],
  pass: ['call of an operator', 'calls of operators'],
};

function toQueue({ upstream }: Ops<'Status'>): string {
  const waiting = Object.entries(upstream.waiting).filter(([, count]) => count > 0);
  const words = waiting.map(([name, count]) => toWords(count, CLASSES[name] ?? [name, name]));
  return words.join(', ') || 'none';
}

function toWords(count: number, [one, many]: Words): string {
  return toCount(count, one, many);
}

function toEstimate({ queue, due, upstream }: Ops<'Status'>): string {
  if (queue.isHeld) return 'held: nothing is changed now';
  if ([upstream.credentials, upstream.service].some(({ kind }) => kind === 'shut'))
    return 'waits until the service takes calls again';
  if (due === 0 || queue.changeMs < SHORT_MS) return 'leaves at once';
  return `leaves in about ${toLength(queue.changeMs)}, a removal of access in ${toLength(queue.removeMs)}`;
}

const QUEUED = {
  removals: ['removal of access', 'removals of access'],
  changes: ['other change', 'other changes'],
  looks: ['look', 'looks'],
} as const;

/** The end of what waits, class by class, in the order of the turns. */
function End({ status: { queue, failingCount, stuckCount } }: { readonly status: Ops<'Status'> }) {
  const waiting = queue.classes.filter(({ waiting: count }) => count > 0);
  const trouble = failingCount + stuckCount;
  return (
    <>
      {waiting.length === 0 && 'nothing waits for its turn'}
      {waiting.map(({ class: name, waiting: count, endMs }) => (
        <div key={name}>
          {toWords(count, QUEUED[name])}:{' '}
          {endMs === null ? 'not while nothing is changed' : `in ${toLength(endMs)}`}
        </div>
      ))}
      {trouble > 0 && (
        <div className="detail">
          not counting {trouble.toLocaleString('en')} that {trouble === 1 ? 'does' : 'do'} not come
          through
        </div>
      )}
    </>
  );
}

function toService({ credentials, service, pausedForMs }: Ops<'Status'>['upstream']): ReactNode {
  if (credentials.kind === 'shut') return <Tag tone="bad" text="refuses the token" />;
  if (service.kind === 'shut') return <Tag tone="bad" text="does not answer" />;
  if (pausedForMs > 0) return <Tag tone="waiting" text={`asks to wait ${toLength(pausedForMs)}`} />;
  return <Tag tone="good" text="answers" />;
}
