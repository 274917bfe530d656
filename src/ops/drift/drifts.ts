import { ACTIVE_STATUSES, isUnmanagedKind } from '../../domain/change.ts';
import { DEFAULT_PROVIDER } from '../../domain/provider.ts';
import type { JsonValue } from '../../domain/values.ts';
import { toResourceKey } from '../../domain/values.ts';
import { findDriftAuthors } from '../../reconcile/audit/events.ts';
import type { ManyDecided, ManyRequest } from '../../reconcile/repair/decide.ts';
import { isUnsettled } from '../../reconcile/repair/decisions.ts';
import type { LookResult } from '../../reconcile/repair/keeper.ts';
import type { Rules } from '../../rules/rules.ts';
import { findGroupPrivilege } from '../../rules/rules.ts';
import { listDriftViews } from '../../store/drifts.ts';
import type { SubjectNames } from '../../store/plans.ts';
import { findNames } from '../../store/resources/names.ts';
import { findRow, listRows } from '../../store/resources/rows.ts';
import type { Db } from '../../store/store.ts';
import { InvalidRequest, missing, Problem } from '../http/body.ts';
import { listRoute, ok, route, toMeantId } from '../http/route.ts';
import { acts } from '../lists/acts.ts';
import { DRIFTS, UNMANAGED } from '../lists/tables.ts';
import type { OpsJson } from '../schemas/schemas.ts';
import { toMoment, toView } from '../schemas/schemas.ts';

/** Requests that list differences, decide about them, and look for them. */
export const driftRoutes = [
  ...[DRIFTS, UNMANAGED].map((list) =>
    listRoute(
      list,
      async ({ store: { read: db }, rules }, { status, resource, q, ...filters }, part) => {
        const isWord = status === 'active' || status === 'undecided';
        const statuses = isWord ? OF_WORD[status] : status && [status];
        const resourceId = await toMeantId(db, resource);
        const asked = { ...filters, ...part, statuses, resourceId, text: q };
        const isManaged = list === DRIFTS;
        const drifts = await listDriftViews(db, { order: 'newest', ...asked, isManaged });
        const authors = await findDriftAuthors(db, drifts);
        const ids = drifts.map(({ resource_id }) => resource_id);
        const privileges = isManaged ? undefined : await listPrivileges(db, rules, ids);
        return drifts.map((drift, place) => {
          const privileged = privileges?.get(drift.resource_id) ?? null;
          return { ...drift, author: authors[place], privileged };
        });
      },
      ({ author, note: text, noted_by: by, ignored_until: until, ...drift }) =>
        toView('Drift', drift, {
          ...toSubjectView(drift),
          who: author ? { ...author, id: author.author_id, at: author.created_at } : null,
          message: author?.message ?? null,
          firstSeen: drift.first_seen_at,
          lastSeen: drift.last_seen_at,
          note: text === null ? null : { text, by, until },
        }),
    ),
  ),
  route(
    {
      method: 'post',
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
      async (
        { store: { read: db }, leadership, drifts: decisions },
        { params, body, operator },
      ) => {
        const key = toResourceKey({ type, id: params.id });
        const { at, isGone: gone, drifts } = getLooked(await leadership.look({ key }));
        const open = drifts.filter((one) => one.status === 'open' && !isUnmanagedKind(one.kind));
        const asked = { ids: open.map(({ id }) => id), isDryRun: false, by: operator.name };
        const decision = { kind: 'repair', hash: undefined } as const;
        const plan = body.repair && (await decisions.many({ ...asked, decision })).plan;
        const { id: planId = null, exceeded = [] } = plan || {};
        const members = drifts.map(({ member_id }) => member_id);
        const names = await findNames(db, members);
        const differences = drifts.map((drift) => {
          const member_name = names.get(drift.member_id)?.display ?? null;
          return { ...drift, ...toSubjectView({ ...drift, name: null, member_name }) };
        });
        const repair = body.repair ? { planId, exceeded } : null;
        const row = await findRow(db, key);
        const unfinished = row !== undefined && (await isUnsettled(db, row));
        const json = toView('Look', { ...key, at, gone, differences, repair, unfinished }, {});
        return { json, change: { after: { gone, differences: drifts.length, planId } } };
      },
    ),
  ),
] as const;

const OF_WORD = { active: ACTIVE_STATUSES, undecided: ['contested', 'open'] } as const;

/** Reasons why unmanaged accounts and groups are not taken over by themselves, by their ids. */
export async function listPrivileges(db: Db, rules: Rules, id: readonly string[]) {
  const users = await listRows(db, 'user', { id });
  const reasons = new Map<string, string>(await rules.protection.listPrivileged(db, users));
  for (const group of await listRows(db, 'group', { id })) {
    const reason = await findGroupPrivilege(db, { rules }, group);
    if (reason !== undefined) reasons.set(group.id, reason);
  }
  return reasons;
}

interface Subject extends SubjectNames {
  readonly resource_type: 'user' | 'group';
  readonly resource_id: string;
  readonly member_id: string;
  readonly desired: JsonValue;
  readonly observed: JsonValue;
}

/** Renders the user or group that a row is about, its member, and both values. */
export function toSubjectView(row: Subject) {
  const { resource_type: type, resource_id: id, name, member_id, member_name } = row;
  return {
    resource: { type, id, name },
    member: member_id === '' ? null : { id: member_id, name: member_name },
    desired: row.desired,
    observed: row.observed,
  };
}

function toDecision(body: OpsJson<'DriftsBody'>, now: number): ManyRequest['decision'] {
  if (body.decision === 'repair') return { kind: 'repair', hash: body.hash };
  if (body.decision === 'accept') return { kind: 'accept' };
  if (body.decision === 'adopt')
    return { kind: 'adopt', provider: body.provider ?? DEFAULT_PROVIDER };
  const until = Date.parse(body.until);
  if (until > now) return { kind: 'ignore', until, reason: body.reason };
  const message = `\`until\` has to be a moment that is still to come, and ${body.until} is over.`;
  throw new InvalidRequest(message);
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
  const list = decision.kind === 'adopt' ? 'unmanaged' : 'drifts';
  return { ...ok(json), act: `${list} ${decision.kind}`, acts: isDryRun ? [] : acts };
}

/** Words of a decision about a plan that was made anew since it was shown. */
export const OTHER_HASH = 'The plan has another hash: look at it first.';

const NOT_LOOKED = {
  'not-linked': 'It is not in the service yet, as far as is known.',
  busy: 'The bridge works on it or looks at it next: try again soon.',
};

function getLooked(result: LookResult) {
  const { kind } = result;
  if (kind === 'looked') return result;
  if (kind === 'unknown') return missing();
  if (kind === 'could-not-look')
    throw new Problem(503, kind, `The service could not be asked: ${result.reason}.`);
  if (kind !== 'just-written') throw new Problem(409, kind, NOT_LOOKED[kind]);
  const until = toMoment(result.until);
  const message = `The bridge wrote it just now, and the service may show that late: look again after ${until}.`;
  throw new Problem(409, kind, message, { more: { until } });
}
