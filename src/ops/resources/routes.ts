import { type Adoption, toAdoptionWords } from '../../domain/adoption.ts';
import { assertNever } from '../../domain/errors.ts';
import { DEFAULT_PROVIDER } from '../../domain/provider.ts';
import { unknownProvider } from '../access/providers.ts';
import { type ListQuery, OLDEST, parseSeq } from '../http/list-query.ts';
import { type Answer, ok, type Problem, problem, route } from '../http/route.ts';
import { GROUPS, USERS } from '../lists/resources.ts';
import type { OpsJson } from '../schemas/schemas.ts';
import type { OpsSources } from '../sources.ts';
import { groups, type ResourceQuery, type ResourceSource, users } from './source.ts';

const ABOUT_ONE = { tag: 'People and groups' } as const;

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

/** Requests about one user, or about one group. */
function toRoutes<const Name extends 'User' | 'Group'>(
  name: Name,
  source: ResourceSource<OpsJson<Name>>,
  noun: string,
) {
  const path = `/${source.type}s/{id}` as const;
  return [
    route({
      ...{ ...ABOUT_ONE, method: 'get', path },
      summary: `One ${noun}, deleted or not.`,
      answers: { 200: name, 404: 'Problem' },
      handle: (sources: OpsSources, { params }) => show(sources, source, params.id),
    }),
    route({
      ...{ ...ABOUT_ONE, method: 'post', path: `${path}/adopt`, body: 'AdoptBody' },
      summary: `Takes over a ${noun} that the bridge only observes, as the service holds it.`,
      answers: { 200: name, 403: 'Problem', 404: 'Problem', 409: 'Problem', 503: 'Problem' },
      handle: (sources: OpsSources, { params: { id }, body }) =>
        takeOver(sources, source, { id, ...body }),
    }),
    route({
      ...{ ...ABOUT_ONE, method: 'post', path: `${path}/release` },
      summary: `Lets a ${noun} go, as the service holds it: the bridge only observes it.`,
      answers: { 200: name, 404: 'Problem', 409: 'Problem' },
      handle: (sources: OpsSources, { params }) => letGo(sources, source, params.id),
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

async function letGo<Item>(
  sources: OpsSources,
  resource: ResourceSource<Item>,
  id: string,
): Promise<Answer<200, Item> | Answer<404 | 409, Problem>> {
  const released = await sources.drifts.letGo({ type: resource.type, id });
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
