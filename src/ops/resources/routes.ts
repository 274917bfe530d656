import { setImmediate as nextTurn } from 'node:timers/promises';
import { unknownProvider } from '../../access/credentials.ts';
import { isWaiting, listWaiting } from '../../domain/cell.ts';
import { isWorking, listDiffering } from '../../domain/kinds.ts';
import { DEFAULT_PROVIDER, toAdoptionWords } from '../../domain/provider.ts';
import { eraseUser } from '../../store/resources/erasure.ts';
import type { Remarked, WaitingCount } from '../../store/resources/find.ts';
import { countWaitingLinks, listByKey, listRemarked } from '../../store/resources/find.ts';
import type { ResourceType } from '../../store/resources/rows.ts';
import { toUserState } from '../../store/resources/state.ts';
import type { Db } from '../../store/store.ts';
import type { NewestPart } from '../../store/tables.ts';
import { findOne } from '../../store/tables.ts';
import { missing, Problem } from '../http/body.ts';
import type { ListQuery } from '../http/list-query.ts';
import { getOnly, listRoute, ok, route } from '../http/route.ts';
import { acts } from '../lists/acts.ts';
import { GROUPS, USERS } from '../lists/tables.ts';
import { OBSTACLE_WORDS } from '../schemas/kinds.ts';
import type { OpsJson } from '../schemas/schemas.ts';
import { toView } from '../schemas/schemas.ts';
import type { OpsSources } from '../sources.ts';
import { listKept } from './explain.ts';

/** Requests that show users and groups, take them over, release and erase them. */
export const resourceRoutes = [
  listRoute(
    USERS,
    ({ store }, filters, part) => listShown(store.read, 'user', filters, part),
    toUser,
  ),
  ...toRoutes({ name: 'User', type: 'user', noun: 'person' }, toUser),
  listRoute(
    GROUPS,
    ({ store }, filters, part) => listShown(store.read, 'group', filters, part),
    toGroup,
  ),
  ...toRoutes({ name: 'Group', type: 'group', noun: 'group' }, toGroup),
  route(
    {
      path: '/users/{key}/erasure',
      summary: 'What erasing a person would erase, and what has to be done first.',
      answers: { 200: 'Erasure' },
    },
    async (sources, { params }) => ok(await getErasure(sources, params.key, true)),
  ),
  route(acts.ERASE, async (sources, { params, body: { dryRun } }) => {
    const json = await getErasure(sources, params.user, dryRun);
    const { id: target, obstacles, rows } = json;
    if (obstacles.length > 0) {
      const message = `Nothing was erased. ${obstacles.map(({ detail }) => detail).join(' ')}`;
      throw new Problem(409, 'not-erasable', message, { more: { obstacles }, target });
    }
    if (dryRun) return { json, acts: [] };
    return { json, target, change: { before: { rows: (rows ?? 0) + 1 }, after: { rows: 0 } } };
  }),
] as const;

async function getErasure(sources: OpsSources, key: string, dryRun: boolean | undefined) {
  const { id } = getOnly(await listByKey(sources.store.read, 'user', key));
  // A person may be gone since their name was looked up.
  const erasure = (await eraseUser(sources, id, dryRun)) ?? missing('Nothing has this id or name.');
  const obstacles = erasure.obstacles.map((code) => ({ code, detail: OBSTACLE_WORDS[code] }));
  return toView('Erasure', { ...erasure, obstacles }, {});
}

/** A user or group with what waits of its lists. */
type Shown<Type extends ResourceType> = Remarked<Type> & {
  readonly waiting: readonly WaitingCount[];
};

/** Lists users or groups by windows: a filter may let few through. */
async function listShown<Type extends ResourceType>(
  db: Db,
  type: Type,
  filter: ListQuery<typeof USERS.filters>['filters'],
  { from, limit }: NewestPart,
): Promise<Shown<Type>[]> {
  const end = (await findOne(db, 'resources', {}, { order: 'seq desc' }))?.seq ?? 0;
  const rows: Remarked<Type>[] = [];
  for (let afterSeq = from; afterSeq < end && rows.length < limit; afterSeq += WINDOW) {
    const part = { afterSeq, untilSeq: afterSeq + WINDOW, limit: limit - rows.length };
    rows.push(...(await listRemarked(db, type, { ...part, filter })));
    await nextTurn();
  }
  return addWaiting(db, rows);
}

/** Rows that a filter looks at in one turn of the event loop. */
const WINDOW = 2_000;

async function addWaiting<Type extends ResourceType>(db: Db, rows: readonly Remarked<Type>[]) {
  const ids = rows.map(({ id }) => id);
  const waiting = await countWaitingLinks(db, ids);
  return rows.map((row): Shown<Type> => ({ ...row, waiting: waiting.get(row.id) ?? [] }));
}

function toRoutes<const Name extends 'User' | 'Group', Type extends ResourceType>(
  { name, type, noun }: { readonly name: Name; readonly type: Type; readonly noun: string },
  toItem: (row: Shown<Type>, sources: OpsSources) => OpsJson<Name>,
) {
  const resource: ResourceType = type;
  const path = `/${resource}s/{id}` as const;
  const show = async (sources: OpsSources, id: string) => {
    const { read: db } = sources.store;
    const [row = missing()] = await addWaiting(db, await listRemarked(db, type, { id }));
    return ok(toItem(row, sources));
  };
  return [
    route(
      { path, summary: `One ${noun}, deleted or not.`, answers: { 200: name } },
      (sources, { params }) => show(sources, params.id),
    ),
    route(
      { ...acts.ADOPT, path: `${path}/adopt`, answers: { 200: name } },
      async (sources, { params: { id }, body }) => {
        const { provider = DEFAULT_PROVIDER, privileged } = body;
        const may = privileged ? 'adopt' : 'refuse';
        const request = { id, privileged: may, provider, isDryRun: false } as const;
        const adoption = await sources.process.adopt(type, request);
        if (adoption.kind === 'unknown-provider') throw unknownProvider();
        if (adoption.kind !== 'adopted') {
          const [status, code, more = ''] = REFUSALS[adoption.kind];
          throw new Problem(status, code, `${toAdoptionWords(adoption)}${more}`);
        }
        const change = { before: { origin: null }, after: { origin: 'adopted', provider } };
        return { ...(await show(sources, id)), change };
      },
    ),
    route(
      { ...acts.RELEASE, path: `${path}/release`, answers: { 200: name } },
      async (sources, { params: { id } }) => {
        const { kind, ...released } = await sources.drifts.stopManaging({ type, id });
        if (kind === 'unknown') missing();
        if (kind !== 'released') throw new Problem(409, kind, NOT_RELEASED[kind]);
        const change = { before: released, after: { provider: null } };
        return { ...(await show(sources, id)), change };
      },
    ),
  ];
}

function toUser(row: Shown<'user'>, { rules }: OpsSources): OpsJson<'User'> {
  const state = toUserState(row);
  const { upstream_id: upstreamId, desired, observed, cells } = state;
  const isActive = observed ? isWorking(observed, rules.deactivation) : null;
  const isOther = listDiffering(state, rules.deactivation)?.includes('address') === true;
  const isAddressKept = row.origin !== null && isOther && !isWaiting(cells.address);
  return toView('User', row, {
    ...toParts(row),
    upstreamId,
    active: { desired: row.origin === null ? null : desired.active, observed: isActive },
    pending: listWaiting(cells),
    bridgeOnly: [...(isAddressKept ? ['address'] : []), ...listKept(row).map(({ field }) => field)],
  });
}

function toGroup(row: Shown<'group'>): OpsJson<'Group'> {
  const { upstream_scim_id: scimId, upstream_id: restId, upstream_uid: uid } = row;
  const places = row.waiting.map(({ kind }) => {
    return kind.startsWith('member.') ? 'members' : 'admins';
  });
  return toView('Group', row, {
    ...toParts(row),
    upstreamIds: { scimId, restId, uid },
    pending: [...listWaiting(row.cells), ...new Set(places)],
    bridgeOnly: listKept(row).map(({ field }) => field),
  });
}

function toParts(row: Remarked<'user'> | Remarked<'group'>) {
  return {
    deleted: row.deleted_at !== null,
    problem: row.last_error,
    provider: row.origin === null ? null : row.provider,
    seenAt: row.observed?.at ?? null,
    stuckSince: row.stuck_at,
    disputed: row.disputes > 0,
  };
}

const NOT_RELEASED = {
  unmanaged: 'The bridge only observes it already.',
  waits: 'Something of it waits for the service: once that is done, or taken back, it can go.',
  'not-in-service': 'The service was not seen to have it: have its provider delete it.',
  ruled: 'Rules of the configuration draw on the group or fill its admins: change them first.',
} as const;

const REFUSALS = {
  unknown: [404, 'not-found'],
  managed: [409, 'managed'],
  taken: [409, 'name-taken'],
  privileged: [403, 'privileged', ' With `privileged` it is taken over all the same.'],
  'could-not-look': [503, 'could-not-look'],
} as const;
