import { toMoment } from '../http/moment.ts';
import { ok, route } from '../http/route.ts';
import type { WritesView } from '../schemas/state.ts';
import type { OpsSources, StatusSources } from '../sources.ts';
import type { WaitingWork, WritesFacts } from './readiness-facts.ts';

/** Facts about writes as an operator is shown them. */
export function toWritesView({ mode, pause }: WritesFacts, { changes }: WaitingWork): WritesView {
  const paused =
    pause === undefined ? null : { since: toMoment(pause.since), reason: pause.reason };
  return { mode, paused, waiting: changes };
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
    handle: ({ status, pause }: OpsSources, { body }) =>
      change(status, () => pause(body.reason ?? null)),
  }),
  route({
    method: 'post',
    path: '/resume',
    tag: 'State',
    summary: 'Ends the pause. May be repeated.',
    answers: { 200: 'Writes' },
    handle: ({ status, resume }: OpsSources) => change(status, resume),
  }),
] as const;

/** Does something, and notes the states before and after it. */
async function change(status: StatusSources, work: () => Promise<unknown>) {
  const before = await readWrites(status);
  await work();
  const after = await readWrites(status);
  return { ...ok(after), change: { before: toState(before), after: toState(after) } };
}

async function readWrites({ writes, readBacklog }: StatusSources): Promise<WritesView> {
  return toWritesView(writes(), await readBacklog());
}

function toState({ paused }: WritesView) {
  return { paused: paused !== null, reason: paused?.reason ?? null };
}
