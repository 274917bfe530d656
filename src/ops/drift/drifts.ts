import { ACTIVE_STATUSES, type DRIFT_KINDS, isUnmanagedKind } from '../../domain/drift.ts';
import { assertNever } from '../../domain/errors.ts';
import { type ResourceKey, toResourceKey } from '../../domain/ids.ts';
import type { JsonValue } from '../../domain/json.ts';
import { DEFAULT_PROVIDER } from '../../domain/provider.ts';
import { findDriftAuthors } from '../../reconcile/audit/find-author.ts';
import type { ManyDecided, ManyRequest } from '../../reconcile/repair/decide.ts';
import type { LookResult } from '../../reconcile/repair/keeper.ts';
import { findGroupPrivilege, type Rules } from '../../rules/rules.ts';
import type { EventView } from '../../store/audit/events.ts';
import { type DriftView, listDriftViews } from '../../store/drifts.ts';
import { parseStored } from '../../store/engine/columns.ts';
import { isUnfinished } from '../../store/resources/lists.ts';
import { findNames, type SubjectNames } from '../../store/resources/names.ts';
import { listRows } from '../../store/resources/rows.ts';
import type { Db } from '../../store/store.ts';
import { InvalidRequest } from '../http/body.ts';
import { type ListQuery, NEWEST, OLDEST, type PartQuery, readList } from '../http/list-query.ts';
import { ok, Problem, route } from '../http/route.ts';
import { toMoment, toView } from '../http/view.ts';
import { acts } from '../lists/acts.ts';
import { type DRIFT_FILTERS, DRIFTS, UNMANAGED } from '../lists/drifts.ts';
import type { OpsJson } from '../schemas/schemas.ts';
import type { OpsSources } from '../sources.ts';

const ONE = { method: 'post' } as const;

/** Requests that list differences, decide about them, and look for them. */
export const driftRoutes = [
  route(DRIFTS, async (sources, { query }) => ok(await readDrifts(sources, true, query))),
  route(UNMANAGED, async (sources, { query }) => ok(await readDrifts(sources, false, query))),
  route(
    {
      ...ONE,
      path: '/drifts/{id}/repair',
      summary: 'Have the service hold what is desired, by a plan.',
      answers: { 202: 'DriftDecision' },
    },
    ({ drifts }, { params, operator: { name: by } }) =>
      decideOne(drifts, { ...params, by, decision: { kind: 'repair', approved: 'any' } }),
  ),
  route(
    {
      ...ONE,
      path: '/drifts/{id}/accept',
      summary: 'Take what is observed as what is desired.',
      answers: { 200: 'DriftDecision' },
    },
    ({ drifts }, { params, operator: { name: by } }) =>
      decideOne(drifts, { ...params, by, decision: { kind: 'accept' } }),
  ),
  route(
    {
      ...ONE,
      path: '/drifts/{id}/ignore',
      summary: 'Leave it alone until a date.',
      body: 'IgnoreBody',
      answers: { 200: 'DriftDecision' },
    },
    ({ drifts, clock }, { params, operator, body: { by, ...body } }) => {
      const decision = toDecision({ ...body, decision: 'ignore', ids: [params.id] }, clock.now());
      return decideOne(drifts, { ...params, by: by ?? operator.name, decision });
    },
  ),
  route(
    {
      ...ONE,
      path: '/drifts/decide',
      summary:
        'Take one decision about some; repairs are one plan, within the limits or as seen. Alone `adopt` is about what is unmanaged, which it takes over.',
      body: 'DriftsBody',
      answers: { 200: 'DriftsDecided' },
    },
    async ({ clock, drifts }, { operator, body }) => {
      const decision = toDecision(body, clock.now());
      const by = (body.decision === 'ignore' ? body.by : undefined) ?? operator.name;
      const asked = { ids: [...new Set(body.ids)], decision, isDryRun: body.dryRun ?? false, by };
      return toDecided(await drifts.many(asked), asked);
    },
  ),
  ...(['user', 'group'] as const).map((type) =>
    route(
      { ...acts.LOOK, path: `/${type}s/{id}/look` },
      async ({ store, look, drifts }, { params: { id }, body, operator }) => {
        const key = toResourceKey({ type, id });
        const looked = getLooked(await look({ key }));
        const repair = body.repair ? await repairSeen(drifts, looked, operator.name) : null;
        const answer = await toLook(store.read, key, { ...looked, repair });
        const { gone, differences } = answer;
        const planId = repair?.planId ?? null;
        const after = { gone, differences: differences.length, planId };
        return { ...ok(answer), change: { after } };
      },
    ),
  ),
] as const;

const OF_WORD = { active: ACTIVE_STATUSES, undecided: ['contested', 'open'] } as const;

/** A page of the drifts of what is managed, or of what is not, with the reasons why some are not taken over. */
function readDrifts(
  { store: { read: db }, rules }: OpsSources,
  isManaged: boolean,
  query: ListQuery<typeof DRIFT_FILTERS & { kind: typeof DRIFT_KINDS }>,
) {
  const { kind, status, order = 'newest', resource: resourceId, q: text } = query.filters;
  const isWord = status === 'active' || status === 'undecided';
  const statuses = isWord ? OF_WORD[status] : status && [status];
  const of = { isManaged, kind, statuses, order, resourceId, text };
  const beginning = order === 'newest' ? NEWEST : OLDEST;
  const read = (part: PartQuery) => listDriftViews(db, { ...of, ...part });
  return readList(query, beginning, read, async (drifts) => {
    const authors = await findDriftAuthors(db, drifts);
    const reasons = isManaged ? undefined : await listPrivileges(db, rules, drifts);
    return drifts.map((drift, place) =>
      toDrift(drift, authors[place], reasons?.get(drift.resource_id)),
    );
  });
}

/** Reasons why accounts and groups are not taken over with others, by their ids. */
async function listPrivileges(
  db: Db,
  rules: Rules,
  drifts: readonly DriftView[],
): Promise<ReadonlyMap<string, string | undefined>> {
  const which = { id: drifts.map(({ resource_id }) => resource_id) };
  const users = await listRows(db, 'user', which);
  const reasons = new Map<string, string | undefined>(
    await rules.protection.listPrivileged(db, users),
  );
  for (const group of await listRows(db, 'group', which))
    reasons.set(group.id, await findGroupPrivilege(db, { rules }, group));
  return reasons;
}

function toDrift(drift: DriftView, author: EventView | undefined, privileged: string | undefined) {
  const { note: text, noted_by: by, ignored_until: until } = drift;
  return toView('Drift', drift, {
    ...toSubjectView(drift),
    who: author ? { ...author, id: author.authorId, at: author.createdAt } : null,
    message: author?.message ?? null,
    firstSeen: drift.first_seen_at,
    lastSeen: drift.last_seen_at,
    note: text === null ? null : { text, by, until },
    privileged: privileged ?? null,
  });
}

interface Subject extends SubjectNames {
  readonly resource_type: 'user' | 'group';
  readonly resource_id: string;
  readonly member_id: string;
  readonly desired: string;
  readonly observed: string;
}

/** Renders the user or group that a row is about, its member, and both values. */
export function toSubjectView(row: Subject) {
  const { resource_type: type, resource_id: id, name, member_id, member_name } = row;
  return {
    resource: { type, id, name },
    member: member_id === '' ? null : { id: member_id, name: member_name },
    desired: parseStored<JsonValue>(row.desired),
    observed: parseStored<JsonValue>(row.observed),
  };
}

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
    case 'ignore': {
      const { until: text, reason } = body;
      const until = Date.parse(text);
      if (until > now) return { kind: 'ignore', until, reason };
      throw new InvalidRequest(`${text} is over: ignore it until a moment that is still to come.`);
    }
    default:
      return assertNever(body);
  }
}

const AFTER = {
  repair: 'repairing',
  accept: 'accepted',
  adopt: 'accepted',
  ignore: 'ignored',
} as const;

function toDecided({ kind, ones, plan }: ManyDecided, { isDryRun, decision }: ManyRequest) {
  const { hash, exceeded = [] } = plan ?? {};
  if (kind === 'other-hash') throw new Problem(409, 'other-plan', OTHER_HASH, { more: { hash } });
  if (kind === 'above-limits') {
    const message = `The plan is above the limits: ${exceeded.join('; ')}. Look at it, and send its hash.`;
    throw new Problem(409, 'above-limits', message, { more: { hash, exceeded } });
  }
  const done = ones.filter(({ refusal }) => refusal === undefined);
  const refused = ones.flatMap(({ id, refusal }) => (refusal ? [{ id, ...refusal }] : []));
  const acts = done.map(({ id, before = null }) => ({
    target: id,
    change: { before: { status: before }, after: { status: AFTER[decision.kind] } },
  }));
  const made = plan === undefined ? null : { ...plan, id: plan.id ?? null };
  const json = { dryRun: isDryRun, done: done.length, refused, plan: made };
  return { ...ok(json), acts: isDryRun ? [] : acts };
}

/** Words of a decision about a plan that was made anew since it was shown. */
export const OTHER_HASH = 'The plan has another hash: look at it first.';

/** Decides about one. Of a drift that is not there is nothing to tell. */
async function decideOne(
  drifts: OpsSources['drifts'],
  request: Pick<ManyRequest, 'by' | 'decision'> & { readonly id: string },
) {
  const { id, decision } = request;
  const { ones, plan } = await drifts.many({ ...request, ids: [id], isDryRun: false });
  const { before, refusal } = ones[0] ?? {};
  if (before === undefined)
    throw new Problem(404, 'unknown-drift', 'There is no drift with this id.');
  const after = refusal === undefined ? AFTER[decision.kind] : before;
  const change = { before: { status: before }, after: { status: after } };
  if (refusal !== undefined) throw new Problem(409, refusal.code, refusal.reason, { change });
  return { ...ok({ id, ...(plan?.id && { planId: plan.id }) }), change };
}

type Looked = Extract<LookResult, { kind: 'looked' }>;

const NOT_LOOKED = {
  'not-linked': 'It is not in the service yet, as far as is known.',
  busy: 'The bridge works on it or looks at it next: try again soon.',
};

/** @throws Problem for a look that was not made */
function getLooked(result: LookResult): Looked {
  const { kind } = result;
  if (kind === 'looked') return result;
  if (kind === 'unknown') throw new Problem(404, 'not-found', 'Nothing has this id.');
  if (kind === 'could-not-look')
    throw new Problem(503, kind, `The service could not be asked: ${result.reason}.`);
  if (kind !== 'just-written') throw new Problem(409, kind, NOT_LOOKED[kind]);
  const until = toMoment(result.until);
  const message = `The bridge wrote it just now, and the service may show that late: look again after ${until}.`;
  throw new Problem(409, kind, message, { more: { until } });
}

/** Has repaired what a look has seen, but for what is unmanaged, protected or contested; above a limit nothing. */
async function repairSeen(decisions: OpsSources['drifts'], { drifts }: Looked, by: string) {
  const open = drifts.filter(({ status, kind }) => status === 'open' && !isUnmanagedKind(kind));
  const decision = { kind: 'repair', approved: 'within-limits' } as const;
  const ids = open.map(({ id }) => id);
  const { plan } = await decisions.many({ ids, decision, isDryRun: false, by });
  return { planId: plan?.id ?? null, exceeded: plan?.exceeded ?? [] };
}

async function toLook(
  db: Db,
  key: ResourceKey,
  { at, isGone: gone, drifts, repair }: Looked & Pick<OpsJson<'Look'>, 'repair'>,
) {
  const members = drifts.map(({ member_id }) => member_id);
  const names = await findNames(db, members);
  const differences = drifts.map((drift) => ({
    ...drift,
    ...toSubjectView({
      ...drift,
      name: null,
      member_name: names.get(drift.member_id)?.display ?? null,
    }),
  }));
  const unfinished = await isUnfinished(db, key);
  return toView('Look', { ...key, at, gone, differences, repair, unfinished }, {});
}
