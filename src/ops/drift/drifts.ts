import { assertNever } from '../../domain/errors.ts';
import { groupId, userId } from '../../domain/ids.ts';
import type { JsonValue } from '../../domain/json.ts';
import { DEFAULT_PROVIDER } from '../../domain/provider.ts';
import type { ManyDecided, ManyRequest } from '../../reconcile/repair/decide.ts';
import type { LookRequest, LookResult } from '../../reconcile/repair/inspect.ts';
import { listNames } from '../../store/audit/timeline.ts';
import { parseStored } from '../../store/engine/columns.ts';
import { isUnfinished } from '../../store/resources/explained.ts';
import type { Db } from '../../store/store.ts';
import { InvalidRequest } from '../http/body.ts';
import { type Answer, ok, type Problem, problem, route } from '../http/route.ts';
import { toMoment } from '../http/view.ts';
import { LOOK } from '../lists/acts.ts';
import type { OpsJson } from '../schemas/schemas.ts';
import type { OpsSources } from '../sources.ts';

const DECISION = { method: 'post', tag: 'Sweeps and drift' } as const;

/** Requests that decide about drifts. */
export const driftRoutes = [
  route({
    ...DECISION,
    path: '/drifts/{id}/repair',
    summary: 'Have the service hold what is desired, by a plan.',
    answers: { 202: 'DriftDecision', 404: 'Problem', 409: 'Problem' },
    handle: ({ drifts }: OpsSources, { params, operator: { name: by } }) =>
      decideOne(drifts, 202, { ...params, by, decision: { kind: 'repair', approved: 'any' } }),
  }),
  route({
    ...DECISION,
    path: '/drifts/{id}/accept',
    summary: 'Take what is observed as what is desired.',
    answers: { 200: 'DriftDecision', 404: 'Problem', 409: 'Problem' },
    handle: ({ drifts }: OpsSources, { params, operator: { name: by } }) =>
      decideOne(drifts, 200, { ...params, by, decision: { kind: 'accept' } }),
  }),
  route({
    ...DECISION,
    path: '/drifts/{id}/ignore',
    summary: 'Leave it alone until a date.',
    body: 'IgnoreBody',
    answers: { 200: 'DriftDecision', 404: 'Problem', 409: 'Problem' },
    async handle({ drifts, clock }: OpsSources, { params, operator, body }) {
      const { reason, by = operator.name } = body;
      const until = parseTerm(body.until, clock.now());
      return decideOne(drifts, 200, { ...params, by, decision: { kind: 'ignore', until, reason } });
    },
  }),
  route({
    ...DECISION,
    path: '/drifts/decide',
    summary:
      'Take one decision about many; repairs are one plan, within the limits or as seen. Alone `adopt` is about what is unmanaged, which it takes over.',
    body: 'DriftsBody',
    answers: { 200: 'DriftsDecided', 409: 'Problem' },
    async handle({ clock, drifts }: OpsSources, { operator, body }) {
      const decision = toDecision(body, clock.now());
      const by = (body.decision === 'ignore' ? body.by : undefined) ?? operator.name;
      const asked = { ids: [...new Set(body.ids)], decision, isDryRun: body.dryRun ?? false, by };
      return toManyAnswer(await drifts.many(asked), asked);
    },
  }),
] as const;

const AFTER = {
  repair: 'repairing',
  accept: 'accepted',
  adopt: 'accepted',
  ignore: 'ignored',
} as const;

function toDecision(body: OpsJson<'DriftsBody'>, now: number): ManyRequest['decision'] {
  switch (body.decision) {
    case 'repair': {
      const { hash } = body;
      return { kind: 'repair', approved: hash === undefined ? 'within-limits' : { hash } };
    }
    case 'accept':
      return { kind: 'accept' };
    case 'adopt':
      return { kind: 'adopt', provider: body.provider ?? DEFAULT_PROVIDER };
    case 'ignore':
      return { kind: 'ignore', until: parseTerm(body.until, now), reason: body.reason };
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
  { isDryRun, decision }: ManyRequest,
): Answer<200, OpsJson<'DriftsDecided'>> | Answer<409, Problem> {
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
      const done = ones.filter(({ refusal }) => refusal === undefined);
      const refused = ones.flatMap(({ id, refusal }) => (refusal ? [{ id, ...refusal }] : []));
      const json = {
        ...{ dryRun: isDryRun, done: done.length, refused },
        plan: plan === undefined ? null : { ...plan, id: plan.id ?? null },
      };
      const acts = done.map(({ id, before = null }) => ({
        target: id,
        change: { before: { status: before }, after: { status: AFTER[decision.kind] } },
      }));
      return { ...ok(json), acts: isDryRun ? [] : acts };
    }
    default:
      return assertNever(kind);
  }
}

/** Decides about one; `status` where it was done. Of a drift that is not there is nothing to tell. */
async function decideOne<Status extends number>(
  drifts: OpsSources['drifts'],
  status: Status,
  request: Pick<ManyRequest, 'by' | 'decision'> & { readonly id: string },
): Promise<Answer<Status, OpsJson<'DriftDecision'>> | Answer<404 | 409, Problem>> {
  const { id, decision } = request;
  const { ones, plan } = await drifts.many({ ...request, ids: [id], isDryRun: false });
  const [one] = ones;
  if (one === undefined || one.before === undefined)
    return problem(404, 'unknown-drift', 'There is no drift with this id.');
  const { before, refusal } = one;
  const after = refusal === undefined ? AFTER[decision.kind] : before;
  const change = { before: { status: before }, after: { status: after } };
  if (refusal !== undefined) return { ...problem(409, refusal.code, refusal.reason), change };
  return { status, json: { id, ...(plan?.id && { planId: plan.id }) }, change };
}

/** Requests for a look at one user or group. */
export const lookRoutes = (['user', 'group'] as const).map((type) =>
  route({
    ...LOOK,
    path: `/${type}s/{id}/look`,
    async handle({ store, look }: OpsSources, { params: { id } }) {
      const key = type === 'user' ? ({ type, id: userId(id) } as const) : { type, id: groupId(id) };
      const result = await look({ key });
      if (result.kind !== 'looked') return toNotLooked(result);
      const answer = await toLookAnswer(store.read, key, result);
      const { gone, differences } = answer;
      const after = { gone, differences: differences.length };
      return { ...ok(answer), change: { after } };
    },
  }),
);

type Looked = Extract<LookResult, { kind: 'looked' }>;

function toNotLooked(result: Exclude<LookResult, Looked>): Answer<404 | 409 | 503, Problem> {
  switch (result.kind) {
    case 'unknown':
      return problem(404, 'not-found', 'Nothing has this id.');
    case 'not-linked':
      return problem(409, 'not-linked', 'It is not in the service yet, as far as is known.');
    case 'busy':
      return problem(409, 'busy', 'The bridge works on it or looks at it next: try again soon.');
    case 'just-written': {
      const until = toMoment(result.until);
      const message = `The bridge wrote it just now, and the service may show that late: look again after ${until}.`;
      return problem(409, 'just-written', message, { until });
    }
    case 'could-not-look':
      return problem(503, 'could-not-look', `The service could not be asked: ${result.reason}.`);
    default:
      return assertNever(result);
  }
}

async function toLookAnswer(
  db: Db,
  key: LookRequest['key'],
  { at, isGone, calls, drifts }: Looked,
): Promise<OpsJson<'Look'>> {
  const members = drifts.flatMap(({ member_id }) => (member_id === '' ? [] : [member_id]));
  const names = await listNames(db, new Set(members));
  return {
    ...key,
    at: toMoment(at),
    gone: isGone,
    calls,
    differences: drifts.map(({ id, kind, status, member_id, desired, observed, note }) => ({
      ...{ id, kind, status, note },
      member: member_id === '' ? null : { id: member_id, name: names.get(member_id) ?? null },
      desired: parseStored<JsonValue>(desired),
      observed: parseStored<JsonValue>(observed),
    })),
    unfinished: await isUnfinished(db, key),
  };
}
