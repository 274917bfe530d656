import { ok, route } from '../http/route.ts';
import type { FirstRunView, RecoveryView } from '../schemas/recovery.ts';

/** The state of recovery. */
export interface RecoverySource {
  readonly read: () => Promise<RecoveryView>;
}

/** The preview of the first run. */
export interface FirstRunSource {
  readonly readPage: (page: {
    readonly limit: number;
    readonly cursor: string | undefined;
  }) => Promise<FirstRunView>;
}

interface Needs {
  readonly recovery: RecoverySource;
  readonly firstRun: FirstRunSource;
}

/** Requests about the first run and recovery; their plans are decided like any other. */
export const recoveryRoutes = [
  route({
    method: 'get',
    path: '/plans/first-run',
    tag: 'Going live and recovery',
    summary: 'What each person and group is before the bridge is live, and the plan that is held.',
    filters: {},
    answers: { 200: 'FirstRun' },
    handle: async ({ firstRun }: Needs, { query }) => ok(await firstRun.readPage(query)),
  }),
  route({
    method: 'get',
    path: '/recovery',
    tag: 'Going live and recovery',
    summary: 'Where recovery stands.',
    answers: { 200: 'Recovery' },
    handle: async ({ recovery }: Needs) => ok(await recovery.read()),
  }),
] as const;
