import { assertNever } from '../../domain/errors.ts';
import type { Decision } from '../../reconcile/repair/recovery-decide.ts';
import { type Answer, ok, type Problem, problem, route } from '../http/route.ts';
import type { FirstRunView, RecoveryView } from '../schemas/recovery.ts';
import type { OpsJson } from '../schemas/schemas.ts';

/** The state of recovery, and the decision about it. */
export interface RecoverySource extends DecisionSource {
  readonly read: () => Promise<RecoveryView>;
}

/** The preview of the first run, and the decision about it: recovery decides about the same plan. */
export interface FirstRunSource extends DecisionSource {
  readonly readPage: (page: {
    readonly limit: number;
    readonly cursor: string | undefined;
  }) => Promise<FirstRunView>;
}

/** Decisions about the plan that waits. */
interface DecisionSource {
  readonly approve: (hash: string) => Promise<Decision>;
  readonly discard: (hash: string) => Promise<Decision>;
}

interface Needs {
  readonly recovery: RecoverySource;
  readonly firstRun: FirstRunSource;
}

const approve = {
  method: 'post',
  tag: 'Going live and recovery',
  summary: 'Does exactly the plan with this hash, as far as it still holds.',
  body: 'HashBody',
  answers: { 200: 'Decision', 409: 'Problem' },
} as const;
const discard = { ...approve, summary: 'Leaves the service as it is.' } as const;

/** Requests about the first run and recovery. */
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
    ...approve,
    path: '/plans/first-run/approve',
    handle: async ({ firstRun }: Needs, { body }) =>
      toAnswer(body, await firstRun.approve(body.hash)),
  }),
  route({
    ...discard,
    path: '/plans/first-run/discard',
    handle: async ({ firstRun }: Needs, { body }) =>
      toAnswer(body, await firstRun.discard(body.hash)),
  }),
  route({
    method: 'get',
    path: '/recovery',
    tag: 'Going live and recovery',
    summary: 'Where recovery stands, and the plan that is held.',
    answers: { 200: 'Recovery' },
    handle: async ({ recovery }: Needs) => ok(await recovery.read()),
  }),
  route({
    ...approve,
    path: '/recovery/approve',
    handle: async ({ recovery }: Needs, { body }) =>
      toAnswer(body, await recovery.approve(body.hash)),
  }),
  route({
    ...discard,
    path: '/recovery/discard',
    handle: async ({ recovery }: Needs, { body }) =>
      toAnswer(body, await recovery.discard(body.hash)),
  }),
] as const;

function toAnswer(
  { hash }: { readonly hash: string },
  decision: Decision,
): Answer<200, OpsJson<'Decision'>> | Answer<409, Problem> {
  switch (decision.kind) {
    case 'done': {
      const { released, dropped } = decision;
      return { ...ok({ released, dropped }), target: hash };
    }
    case 'no-plan':
      return problem(409, 'no-plan', 'No plan waits for a decision.');
    case 'other-plan': {
      const message = 'Another plan waits by now: look at it first.';
      return problem(409, 'other-plan', message, { hash: decision.hash });
    }
    default:
      return assertNever(decision);
  }
}
