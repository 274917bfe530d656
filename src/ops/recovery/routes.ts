import { ok, route } from '../http/route.ts';
import type { OpsSources } from '../sources.ts';
import { readFirstRun } from './first-run.ts';
import { readRecoveryView } from './view.ts';

/** Requests about the first run and recovery; their plans are decided like any other. */
export const recoveryRoutes = [
  route({
    method: 'get',
    path: '/plans/first-run',
    tag: 'Going live and recovery',
    summary: 'What each person and group is before the bridge is live, and the plan that is held.',
    filters: {},
    answers: { 200: 'FirstRun' },
    handle: async (sources: OpsSources, { query }) => ok(await readFirstRun(sources, query)),
  }),
  route({
    method: 'get',
    path: '/recovery',
    tag: 'Going live and recovery',
    summary: 'Where recovery stands.',
    answers: { 200: 'Recovery' },
    handle: async ({ store, clock, findDetection }: OpsSources) =>
      ok(await readRecoveryView(store.read, { detection: findDetection(), now: clock.now() })),
  }),
] as const;
