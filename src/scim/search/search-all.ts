import type { RequestHandler } from 'express';
import { workInTurns } from '../../domain/turns.ts';
import type { ResourceView } from '../../store/resources/views.ts';
import type { ScimDeps } from '../deps.ts';
import { badRequest } from '../errors.ts';
import { assertOpen } from '../http/guards.ts';
import { getNotes, toProviderDeps } from '../http/notes.ts';
import type { Pieces } from '../render/resource-text.ts';
import type { Sorting } from '../render/sorting.ts';
import type { Repairs } from '../repairs.ts';
import { find, findHits, type Part } from './find.ts';
import {
  GROUPS,
  hasCursor,
  parsePage,
  sendPage,
  type ToPace,
  type TypedSearch,
  toQuery,
  toSearch,
  USERS,
} from './handlers.ts';
import { createPlaceCache } from './places.ts';
import { type Hit, readHits } from './scan.ts';
import { sortHits } from './sort-hits.ts';

/**
 * POST /.search at the root, and GET there with a parameter of a search: users, then groups, or both in one order where
 * the request asks for one. @throws ScimError 400. @see RFC 7644 §3.4.2.1, §3.4.3
 */
export function searchAll(deps: ScimDeps, toPace: ToPace): RequestHandler {
  const places = { users: createPlaceCache(deps.store), groups: createPlaceCache(deps.store) };
  return async (req, res) => {
    assertOpen(deps, 'user');
    assertOpen(deps, 'group');
    const { repairs } = getNotes(res);
    const query = toQuery(req, repairs);
    if (hasCursor(query)) {
      throw badRequest(
        'invalidCursor',
        'A cursor leads through Users or through Groups, not both.',
      );
    }
    const pace = toPace(res);
    const call = { deps: toProviderDeps(deps, res), query, pace, isForOthers: true };
    const [ofUsers, ofGroups] = [keepUnknown(repairs), keepUnknown(repairs)];
    const users = toSearch(USERS, { ...call, repairs: ofUsers, places: places.users });
    const groups = toSearch(GROUPS, { ...call, repairs: ofGroups, places: places.groups });
    for (const name of ofUsers.unknown.intersection(ofGroups.unknown)) {
      repairs.count('filter-unknown', name);
    }
    const paging = parsePage(deps, query);
    const sorting = users.search.sorting ?? groups.search.sorting;
    const { total, count, resources } = sorting
      ? await findInOrder([users, groups], sorting, paging)
      : await findInTurn([users, groups], paging);
    await sendPage(res, { ...paging, total, count }, resources);
  };
}

/** Keeps the names that a type lacks apart, because the other one may have them. */
function keepUnknown(repairs: Repairs): Repairs & { readonly unknown: ReadonlySet<string> } {
  const unknown = new Set<string>();
  return {
    count(kind, name = '') {
      if (kind === 'filter-unknown') unknown.add(name.toLowerCase());
      else repairs.count(kind, name);
    },
    unknown,
  };
}

/** Both searches; the types of their resources differ. */
type Both<A extends ResourceView, B extends ResourceView> = readonly [
  TypedSearch<A>,
  TypedSearch<B>,
];

/** Matches of both types. */
interface FoundOfBoth {
  readonly total: number;
  readonly count: number;
  readonly resources: AsyncIterable<readonly Pieces[]>;
}

async function findInTurn<A extends ResourceView, B extends ResourceView>(
  [users, groups]: Both<A, B>,
  { offset, limit }: Part,
): Promise<FoundOfBoth> {
  const first = await find(users.source, users.search, { offset, limit });
  const rest = {
    offset: Math.max(offset - first.total, 0),
    limit: limit - first.views.length,
  };
  const then = await find(groups.source, groups.search, rest);
  return {
    total: first.total + then.total,
    count: first.views.length + then.views.length,
    resources: concat(users.source.render(first.views), groups.source.render(then.views)),
  };
}

async function* concat(
  first: AsyncIterable<readonly Pieces[]>,
  then: AsyncIterable<readonly Pieces[]>,
) {
  yield* first;
  yield* then;
}

/** Match of either type. */
interface HitOfBoth extends Hit {
  readonly isUser: boolean;
}

/** Sorts the matches of both types together. An attribute that one type has not is a value that is missing. */
async function findInOrder<A extends ResourceView, B extends ResourceView>(
  [users, groups]: Both<A, B>,
  sorting: Sorting,
  { offset, limit }: Part,
): Promise<FoundOfBoth> {
  const ofUsers = await findHits(users.source, users.search);
  const ofGroups = await findHits(groups.source, groups.search);
  const hits: HitOfBoth[] = [
    ...ofUsers.map((hit) => ({ ...hit, isUser: true })),
    ...ofGroups.map((hit) => ({ ...hit, isUser: false })),
  ];
  const sorted = await workInTurns(sortHits(hits, sorting), users.source.turns);
  const shown = sorted.slice(offset, offset + limit);
  const people = await readHits(
    users.source,
    shown.filter(({ isUser }) => isUser),
  );
  const teams = await readHits(
    groups.source,
    shown.filter(({ isUser }) => !isUser),
  );
  const live = new Set([
    ...people.map(({ seq }) => `user ${seq}`),
    ...teams.map(({ seq }) => `group ${seq}`),
  ]);
  const order = shown.filter(({ isUser, seq }) => live.has(`${isUser ? 'user' : 'group'} ${seq}`));
  return {
    total: hits.length,
    count: order.length,
    resources: merge(order, users.source.render(people), groups.source.render(teams)),
  };
}

/** Takes the next resource of one type or the other, in this order. */
async function* merge(
  order: readonly HitOfBoth[],
  users: AsyncIterable<readonly Pieces[]>,
  groups: AsyncIterable<readonly Pieces[]>,
): AsyncGenerator<readonly Pieces[]> {
  const ofUsers = each(users);
  const ofGroups = each(groups);
  for (const { isUser } of order) {
    const { value, done } = await (isUser ? ofUsers : ofGroups).next();
    if (!done) yield [value];
  }
}

async function* each(resources: AsyncIterable<readonly Pieces[]>): AsyncGenerator<Pieces> {
  for await (const some of resources) yield* some;
}
