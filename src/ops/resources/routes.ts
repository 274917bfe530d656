import { setImmediate as nextTurn } from 'node:timers/promises';
import { type Adoption, toAdoptionWords } from '../../domain/adoption.ts';
import { isWaiting, listWaiting } from '../../domain/cell.ts';
import { assertNever } from '../../domain/errors.ts';
import { DEFAULT_PROVIDER } from '../../domain/provider.ts';
import { type Deactivation, isObservedActive, listUserDifferences } from '../../domain/user.ts';
import { parseStored } from '../../store/engine/columns.ts';
import {
  countWaitingLinks,
  findLastSeq,
  findRemarked,
  listRemarked,
  type Remarked,
  type Remarks,
  type ResourceFilter,
  type WaitingCount,
} from '../../store/resources/lists.ts';
import type { GroupRow, ResourceRow, UserRow } from '../../store/resources/rows.ts';
import { toGroupState, toUserState } from '../../store/resources/state.ts';
import type { Db } from '../../store/store.ts';
import { unknownProvider } from '../access/tokens.ts';
import { HELD_OF_GROUP, HELD_OF_USER, listKept } from '../explain/fields.ts';
import {
  type ListAnswer,
  type ListQuery,
  OLDEST,
  type PartQuery,
  parseSeq,
  readPage,
} from '../http/list-query.ts';
import { toMoment } from '../http/moment.ts';
import { type Answer, ok, type Problem, problem, route } from '../http/route.ts';
import { ADOPT, RELEASE } from '../lists/acts.ts';
import { GROUPS, USERS } from '../lists/resources.ts';
import type { OpsJson } from '../schemas/schemas.ts';
import type { OpsSources } from '../sources.ts';

/** Requests about one user, or about one group. */
function toRoutes<const Name extends 'User' | 'Group'>(
  name: Name,
  source: ResourceSource<OpsJson<Name>>,
  noun: string,
) {
  const path = `/${source.type}s/{id}` as const;
  return [
    route({
      method: 'get',
      path,
      tag: 'People and groups',
      summary: `One ${noun}, deleted or not.`,
      answers: { 200: name, 404: 'Problem' },
      handle: (sources: OpsSources, { params }) => show(sources, source, params.id),
    }),
    route({
      ...ADOPT,
      path: `${path}/adopt`,
      answers: { ...ADOPT.answers, 200: name },
      handle: (sources: OpsSources, { params: { id }, body }) =>
        takeOver(sources, source, { id, ...body }),
    }),
    route({
      ...RELEASE,
      path: `${path}/release`,
      answers: { ...RELEASE.answers, 200: name },
      handle: (sources: OpsSources, { params }) => release(sources, source, params.id),
    }),
  ];
}

/** The part of a list that is asked for. Deleted ones are listed by themselves. */
function toResourceQuery({
  filters,
  limit,
  cursor,
}: ListQuery<typeof USERS.filters>): ResourceQuery {
  const { managed, due, stuck, disputed, drifted, deleted, q } = filters;
  return {
    managed: toFlag(managed),
    due: toFlag(due),
    stuck: toFlag(stuck),
    disputed: toFlag(disputed),
    drifted: toFlag(drifted),
    deleted: deleted === 'true',
    text: q,
    limit,
    from: parseSeq(cursor, OLDEST),
  };
}

function toFlag(text: string | undefined): boolean | undefined {
  return text === undefined ? undefined : text === 'true';
}

async function show<Item>(
  sources: OpsSources,
  { find }: ResourceSource<Item>,
  id: string,
): Promise<Answer<200, Item> | Answer<404, Problem>> {
  const item = await find(sources, id);
  return item === undefined ? problem(404, 'not-found', 'Nothing has this id.') : ok(item);
}

type Refusal = Answer<403 | 404 | 409 | 503, Problem>;

async function takeOver<Item>(
  sources: OpsSources,
  resource: ResourceSource<Item>,
  asked: OpsJson<'AdoptBody'> & { readonly id: string },
): Promise<Answer<200, Item> | Refusal> {
  const { id, provider = DEFAULT_PROVIDER } = asked;
  const adopt = resource.type === 'user' ? sources.adoptUser : sources.adoptGroup;
  const privileged = asked.privileged ? 'adopt' : 'refuse';
  const adoption = await adopt({ id, privileged, provider, isDryRun: false });
  if (adoption.kind !== 'adopted') return toRefusal(adoption);
  const change = { before: { origin: null }, after: { origin: 'adopted', provider } };
  return { ...(await show(sources, resource, id)), change };
}

async function release<Item>(
  sources: OpsSources,
  resource: ResourceSource<Item>,
  id: string,
): Promise<Answer<200, Item> | Answer<404 | 409, Problem>> {
  const released = await sources.drifts.stopManaging({ type: resource.type, id });
  if (released.kind === 'unknown') return problem(404, 'not-found', 'Nothing has this id.');
  if (released.kind !== 'released') return problem(409, released.kind, NOT_RELEASED[released.kind]);
  const change = { before: { provider: released.provider }, after: { provider: null } };
  return { ...(await show(sources, resource, id)), change };
}

const NOT_RELEASED = {
  unmanaged: 'The bridge only observes it already.',
  waits:
    'Something of it waits for the service: once that is done, or refused and taken back, it can go.',
  'not-in-service': 'The service was not seen to have it: have its provider delete it.',
  ruled: 'Rules of the configuration draw on the group or fill its admins: change them first.',
} as const;

function toRefusal(adoption: Exclude<Adoption, { kind: 'adopted' }>): Refusal {
  const words = toAdoptionWords(adoption);
  switch (adoption.kind) {
    case 'unknown':
      return problem(404, 'not-found', words);
    case 'unknown-provider':
      return unknownProvider();
    case 'managed':
      return problem(409, 'managed', words);
    case 'taken':
      return problem(409, 'name-taken', words);
    case 'privileged':
      return problem(
        403,
        'privileged',
        `${words} {"privileged": true} takes it over all the same.`,
      );
    case 'could-not-look':
      return problem(503, 'could-not-look', words);
    default:
      return assertNever(adoption);
  }
}

/** Some resources of a list: which, how many, and after which one. */
interface ResourceQuery extends PartQuery, ResourceFilter {}

/** One type of resource as operators ask for it. */
interface ResourceSource<Item> {
  readonly type: 'user' | 'group';
  readonly list: (sources: OpsSources, query: ResourceQuery) => Promise<ListAnswer<Item>>;
  /** Deleted or not; undefined: there is none. */
  readonly find: (sources: OpsSources, id: string) => Promise<Item | undefined>;
}

/** Users as operators ask for them. */
const users = toSource('user', async ({ deactivation }, rows) =>
  rows.map((row) => toUserItem(row, deactivation)),
);

/** Groups as operators ask for them. */
const groups = toSource('group', async ({ store }, rows) => {
  const ids = rows.map(({ id }) => id);
  const waiting = await countWaitingLinks(store.read, ids);
  return rows.map((row) => toGroupItem(row, waiting.get(row.id)));
});

function toSource<Type extends 'user' | 'group', Item>(
  type: Type,
  toItems: (sources: OpsSources, rows: readonly Remarked<Type>[]) => Promise<Item[]>,
): ResourceSource<Item> {
  return {
    type,
    list: (sources, { from, limit, ...filter }) =>
      readPage(
        { from, limit },
        (part) => readOn(sources.store.read, type, { ...filter, ...part }),
        (rows) => toItems(sources, rows),
      ),
    async find(sources, id) {
      const row = await findRemarked(sources.store.read, type, id);
      return row && (await toItems(sources, [row]))[0];
    },
  };
}

/** Rows that a filter looks at in one turn of the event loop. */
const WINDOW = 2_000;

/** The next rows that a filter lets through, however many it does not. */
async function readOn<Type extends 'user' | 'group'>(
  db: Db,
  type: Type,
  { from, limit, ...filter }: ResourceQuery,
) {
  const end = await findLastSeq(db);
  const rows: Remarked<Type>[] = [];
  for (let afterSeq = from; afterSeq < end && rows.length < limit; afterSeq += WINDOW) {
    const part = { afterSeq, untilSeq: afterSeq + WINDOW, limit: limit - rows.length };
    rows.push(...(await listRemarked(db, type, { ...filter, ...part })));
    await nextTurn();
  }
  return rows;
}

/** A row of a user as an operator is shown it. */
function toUserItem(row: UserRow & Remarks, deactivation: Deactivation): OpsJson<'User'> {
  const { upstreamId, desired, observed, cells } = toUserState(row);
  const differing = observed ? listUserDifferences(desired, observed, cells, deactivation) : [];
  const isAddressKept =
    row.origin !== null && differing.includes('address') && !isWaiting(cells.address);
  const kept = listKept(row, HELD_OF_USER).map(({ field }) => field);
  return {
    ...toItem(row, observed?.at),
    name: row.name,
    upstreamId: upstreamId ?? null,
    active: {
      desired: row.origin === null ? null : desired.active,
      observed: observed === undefined ? null : isObservedActive(observed, deactivation),
    },
    pending: listWaiting(cells),
    bridgeOnly: [...(isAddressKept ? ['address'] : []), ...kept],
  };
}

/** A row of a group as an operator is shown it. */
function toGroupItem(
  row: GroupRow & Remarks,
  waiting: readonly WaitingCount[] = [],
): OpsJson<'Group'> {
  const { ids, observed, cells } = toGroupState(row);
  return {
    ...toItem(row, observed?.at),
    name: row.name,
    upstreamIds: {
      scimId: ids.scimId ?? null,
      restId: ids.restId ?? null,
      uid: ids.uid ?? null,
    },
    pending: [
      ...listWaiting(cells),
      ...new Set(waiting.map(({ kind }) => (kind.startsWith('member.') ? 'members' : 'admins'))),
    ],
    bridgeOnly: listKept(row, HELD_OF_GROUP).map(({ field }) => field),
  };
}

function toItem(row: ResourceRow & Remarks, seenAt: number | undefined) {
  return {
    id: row.id,
    deleted: row.deleted_at !== null,
    version: row.version,
    dueAt: toMoment(row.due_at),
    problem:
      row.last_error === null
        ? null
        : parseStored<NonNullable<OpsJson<'User'>['problem']>>(row.last_error),
    origin: row.origin,
    provider: row.origin === null ? null : row.provider,
    createdAt: toMoment(row.created_at),
    modifiedAt: toMoment(row.modified_at),
    seenAt: seenAt === undefined ? null : toMoment(seenAt),
    attempts: row.attempts,
    stuckSince: toMoment(row.stuck_at),
    drifts: row.drifts,
    disputed: row.disputes > 0,
  };
}

/** Requests that show users and groups, and take them over. */
export const resourceRoutes = [
  route({
    ...USERS,
    handle: async (sources: OpsSources, { query }) =>
      ok(await users.list(sources, toResourceQuery(query))),
  }),
  ...toRoutes('User', users, 'person'),
  route({
    ...GROUPS,
    handle: async (sources: OpsSources, { query }) =>
      ok(await groups.list(sources, toResourceQuery(query))),
  }),
  ...toRoutes('Group', groups, 'group'),
] as const;
