import { assertNever } from '../../domain/errors.ts';
import { groupId, userId } from '../../domain/ids.ts';
import type { JsonValue } from '../../domain/json.ts';
import type { LookRequest, LookResult } from '../../reconcile/repair/look-now.ts';
import { listNames } from '../../store/audit/timeline.ts';
import { parseStored } from '../../store/engine/columns.ts';
import { isUnfinished } from '../../store/resources/explained.ts';
import type { Db } from '../../store/store.ts';
import { toMoment } from '../http/moment.ts';
import { type Answer, ok, type Problem, problem, route } from '../http/route.ts';
import type { LookAnswer } from '../schemas/drift.ts';
import type { OpsSources } from '../sources.ts';

/** Request for a look at one user or group. */
type Asked = Omit<LookRequest, 'signal'>;

/** Requests for a look at one user or group. */
export const lookRoutes = (['user', 'group'] as const).map((type) =>
  route({
    method: 'post',
    path: `/${type}s/{id}/look`,
    tag: 'People and groups',
    summary: `Looks at one ${type} now, with at most three calls, and says what differs. Admins are left to sweeps.`,
    body: 'LookBody',
    answers: { 200: 'Look', 404: 'Problem', 409: 'Problem', 503: 'Problem' },
    handle: (sources: OpsSources, { params: { id }, body, operator }) =>
      lookAt(sources, {
        key: type === 'user' ? { type, id: userId(id) } : { type, id: groupId(id) },
        ...{ repairs: body.repair ?? false, by: operator.name },
      }),
  }),
);

type LookAnswers = Answer<200, LookAnswer> | Answer<404 | 409 | 503, Problem>;

async function lookAt({ store, look }: OpsSources, request: Asked): Promise<LookAnswers> {
  const result = await look(request);
  switch (result.kind) {
    case 'looked':
      return toLooked(await toLookAnswer(store.read, request, result));
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

function toLooked(answer: LookAnswer): Answer<200, LookAnswer> {
  const { gone, differences, repair } = answer;
  const after = { gone, differences: differences.length, planId: repair?.planId ?? null };
  return { ...ok(answer), change: { after } };
}

async function toLookAnswer(
  db: Db,
  { key }: Asked,
  { at, isGone, calls, drifts, repair }: Extract<LookResult, { kind: 'looked' }>,
): Promise<LookAnswer> {
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
    repair:
      repair === undefined ? null : { planId: repair.planId ?? null, exceeded: repair.exceeded },
    unfinished: await isUnfinished(db, key),
  };
}
