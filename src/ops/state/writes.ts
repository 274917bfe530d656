import { toMoment } from '../http/moment.ts';
import { ok, route } from '../http/route.ts';
import type { WritesView } from '../schemas/state.ts';
import type { HealthSources } from './health.ts';
import type { WaitingWork, WritesFacts } from './readiness-facts.ts';

/** The pause of all changes, and what waits meanwhile. */
export interface WritesSource {
  readonly pause: (reason: string | null) => Promise<unknown>;
  readonly resume: () => Promise<void>;
  readonly read: () => Promise<WritesView>;
}

/** The pause of a process, and what waits in its store. */
export function createWritesSource(
  { pause, resume }: Pick<WritesSource, 'pause' | 'resume'>,
  { writes, readBacklog }: Pick<HealthSources, 'writes' | 'readBacklog'>,
): WritesSource {
  return { pause, resume, read: async () => toWritesView(writes(), await readBacklog()) };
}

/** Facts about writes as an operator is shown them. */
export function toWritesView({ mode, pause }: WritesFacts, { changes }: WaitingWork): WritesView {
  const paused =
    pause === undefined ? null : { since: toMoment(pause.since), reason: pause.reason };
  return { mode, paused, waiting: changes };
}

interface Needs {
  readonly writes: WritesSource;
}

/** Requests that stop and resume all changes of the service. */
export const writesRoutes = [
  route({
    method: 'post',
    path: '/pause',
    tag: 'State',
    summary: 'Has every process on the store change nothing in the service. May be repeated.',
    body: 'PauseBody',
    answers: { 200: 'Writes' },
    async handle({ writes }: Needs, { body }) {
      const before = await writes.read();
      await writes.pause(body.reason ?? null);
      return toChanged(before, await writes.read());
    },
  }),
  route({
    method: 'post',
    path: '/resume',
    tag: 'State',
    summary: 'Ends the pause. May be repeated.',
    answers: { 200: 'Writes' },
    async handle({ writes }: Needs) {
      const before = await writes.read();
      await writes.resume();
      return toChanged(before, await writes.read());
    },
  }),
] as const;

function toChanged(before: WritesView, after: WritesView) {
  return { ...ok(after), change: { before: toState(before), after: toState(after) } };
}

function toState({ paused }: WritesView) {
  return { paused: paused !== null, reason: paused?.reason ?? null };
}
