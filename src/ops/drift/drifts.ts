import type { DriftStatus } from '../../domain/drift.ts';
import { assertNever } from '../../domain/errors.ts';
import type { ManyDecided, ManyDecision } from '../../reconcile/repair/decide-many.ts';
import type { DriftDecision } from '../../reconcile/repair/decisions.ts';
import { findDrift } from '../../store/drifts.ts';
import type { Db } from '../../store/store.ts';
import { InvalidRequest } from '../http/errors.ts';
import type { Change } from '../http/operator-acts.ts';
import { type Answer, ok, type Problem, problem, route } from '../http/route.ts';
import type { DriftsDecided } from '../schemas/drift.ts';
import type { OpsJson } from '../schemas/schemas.ts';
import type { OpsSources } from '../sources.ts';

/** Requests that decide about drifts. */
export const driftRoutes = [
  route({
    method: 'post',
    path: '/drifts/{id}/repair',
    tag: 'Sweeps and drift',
    summary: 'Has the service hold what is desired, by a plan.',
    answers: { 202: 'DriftDecision', 404: 'Problem', 409: 'Problem' },
    async handle({ store, drifts }: OpsSources, { params, operator }) {
      const before = await findStatus(store.read, params.id);
      const decision = await drifts.repair(params.id, operator.name);
      return { ...toAnswer(202, decision), ...toChange(before, decision, 'repairing') };
    },
  }),
  route({
    method: 'post',
    path: '/drifts/{id}/accept',
    tag: 'Sweeps and drift',
    summary: 'Takes what is observed as what is desired.',
    answers: { 200: 'DriftDecision', 404: 'Problem', 409: 'Problem' },
    async handle({ store, drifts }: OpsSources, { params }) {
      const before = await findStatus(store.read, params.id);
      const decision = await drifts.accept(params.id);
      return { ...toAnswer(200, decision), ...toChange(before, decision, 'accepted') };
    },
  }),
  route({
    method: 'post',
    path: '/drifts/{id}/ignore',
    tag: 'Sweeps and drift',
    summary: 'Leaves it alone until a date.',
    body: 'IgnoreBody',
    answers: { 200: 'DriftDecision', 404: 'Problem', 409: 'Problem' },
    async handle({ store, clock, drifts }: OpsSources, { params, operator, body }) {
      const { until, reason, by = operator.name } = body;
      const ignoring = { until: parseTerm(until, clock.now()), reason, by };
      const before = await findStatus(store.read, params.id);
      const decision = await drifts.ignore(params.id, ignoring);
      return { ...toAnswer(200, decision), ...toChange(before, decision, 'ignored') };
    },
  }),
  route({
    method: 'post',
    path: '/drifts/decide',
    tag: 'Sweeps and drift',
    summary: 'Takes one decision about many; repairs are one plan, within the limits or as seen.',
    body: 'DriftsBody',
    answers: { 200: 'DriftsDecided', 409: 'Problem' },
    async handle({ clock, drifts }: OpsSources, { operator, body }) {
      const { decision: word, ids, dryRun: isDryRun = false } = body;
      const decision = toDecision(body, clock.now());
      const by = (body.decision === 'ignore' ? body.by : undefined) ?? operator.name;
      const asked = { ids: [...new Set(ids)], decision, isDryRun, by };
      return toManyAnswer(await drifts.many(asked), { isDryRun, after: AFTER[word] });
    },
  }),
] as const;

async function findStatus(db: Db, id: string): Promise<DriftStatus | undefined> {
  return (await findDrift(db, id))?.status;
}

/** Status of a drift after a decision. */
const AFTER = { repair: 'repairing', accept: 'accepted', ignore: 'ignored' } as const;

function toDecision(body: OpsJson<'DriftsBody'>, now: number): ManyDecision {
  switch (body.decision) {
    case 'repair':
      return { kind: body.decision, hash: body.hash };
    case 'accept':
      return { kind: body.decision };
    case 'ignore':
      return { kind: body.decision, until: parseTerm(body.until, now), reason: body.reason };
    default:
      return assertNever(body);
  }
}

/** Parses until when a drift is ignored, to epoch milliseconds. @throws InvalidRequest when that is over */
function parseTerm(until: string, now: number): number {
  const at = Date.parse(until);
  if (at > now) return at;
  throw new InvalidRequest(`${until} is over: ignore it until a moment that is still to come.`);
}

function toManyAnswer(
  { kind, ones, plan }: ManyDecided,
  { isDryRun, after }: { readonly isDryRun: boolean; readonly after: DriftStatus },
): Answer<200, DriftsDecided> | Answer<409, Problem> {
  switch (kind) {
    case 'other-hash': {
      const message = 'The plan has another hash: look at it first.';
      return problem(409, 'other-plan', message, { hash: plan?.hash });
    }
    case 'above-limits': {
      const exceeded = plan?.exceeded ?? [];
      const message = `The plan is above the limits: ${exceeded.join('; ')}. Look at it, and send its hash.`;
      return problem(409, 'above-limits', message, { hash: plan?.hash, exceeded });
    }
    case 'done': {
      const done = ones.filter((one) => one.kind === 'done');
      const refused = ones.flatMap(({ id, kind: code }) => (code === 'done' ? [] : [{ id, code }]));
      const acts = done.map(({ id, before = null }) => ({
        target: id,
        change: { before: { status: before }, after: { status: after } },
      }));
      const json = {
        ...{ dryRun: isDryRun, done: done.length, refused },
        plan: plan === undefined ? null : { ...plan, id: plan.id ?? null },
      };
      return { ...ok(json), acts: isDryRun ? [] : acts };
    }
    default:
      return assertNever(kind);
  }
}

/**
 * States for the acts of operators; a decision that was not taken leaves a drift as it was, and of none that is not
 * there is nothing to tell.
 */
function toChange(
  before: DriftStatus | undefined,
  decision: DriftDecision,
  after: DriftStatus,
): { readonly change?: Change } {
  if (before === undefined) return {};
  const status = decision.kind === 'done' ? after : before;
  return { change: { before: { status: before }, after: { status } } };
}

type DecisionAnswer<Status extends number> =
  | Answer<Status, OpsJson<'DriftDecision'>>
  | Answer<404, Problem>
  | Answer<409, Problem>;

/** The answer to a decision; `status` where it was done. */
function toAnswer<Status extends number>(
  status: Status,
  decision: DriftDecision,
): DecisionAnswer<Status> {
  switch (decision.kind) {
    case 'done': {
      const { drift, plan } = decision;
      return { status, json: { id: drift.id, ...(plan && { planId: plan.id }) } };
    }
    case 'unknown':
      return problem(404, 'unknown-drift', 'There is no drift with this id.');
    case 'not-open': {
      const message = `Nothing is to be decided: the drift is ${decision.drift.status}.`;
      return problem(409, 'not-open', message);
    }
    case 'not-possible': {
      const why =
        decision.why ?? 'nobody asked for the resource, or the service holds something else by now';
      return problem(409, 'not-possible', `This cannot be done: ${why}.`);
    }
    default:
      return assertNever(decision);
  }
}
