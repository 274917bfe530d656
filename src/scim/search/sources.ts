import { setImmediate as nextTurn } from 'node:timers/promises';
import { GROUP_EXTENSION } from '../../domain/extensions.ts';
import type { GroupId } from '../../domain/ids.ts';
import type { JsonObject } from '../../domain/json.ts';
import type { Selector } from '../../domain/selector.ts';
import {
  countViews,
  listViews,
  type ResourceView,
  type UserView,
  type ViewQuery,
} from '../../store/resources/views.ts';
import type { Store } from '../../store/store.ts';
import type { ProviderDeps } from '../deps.ts';
import type { Filter } from '../filter/tree.ts';
import type { Sorting } from '../render/paging.ts';
import { EVERYTHING, isPlain, type Projection, project } from '../render/projection.ts';
import { type Pieces, renderUser } from '../render/resource-text.ts';
import { loadGroups, renderGroups } from './render-groups.ts';

/** Reads and shows the resources of one type. */
export interface Source<View extends ResourceView> {
  count(selector: Selector | undefined): Promise<number>;
  list(query: PartQuery): Promise<View[]>;
  /**
   * The resources for this filter and for sorting, each made when it is needed: of members no more than decide the filter.
   * `names` are the attributes that both look at.
   */
  load(
    views: readonly View[],
    names: ReadonlySet<string>,
    filter: Filter | undefined,
  ): Promise<Iterable<JsonObject>>;
  /** True when one of these attributes is a list of users, which may be long. */
  hasUsers(names: ReadonlySet<string>): boolean;
  /** The resources as the request wants to see them, some at a time. */
  render(views: readonly View[]): AsyncIterable<readonly Pieces[]>;
}

/** Selection and page of a list, without the provider that asks. */
export type PartQuery = Omit<ViewQuery, 'provider'>;

/** Filter and order of a request. */
export interface Search {
  readonly filter: Filter | undefined;
  readonly sorting: Sorting | undefined;
}

/** Attributes of a group that hold lists of users. */
const USER_LISTS = ['members', GROUP_EXTENSION] as const;

/** Rows that are read, compared and shown at once; between two pages others are served. Of the largest users they are 16 MB. */
export const PAGE_ROWS = 64;

/** Users as lists and searches find them. */
export function userSource(deps: ProviderDeps, projection: Projection): Source<UserView> {
  const { store, provider } = deps;
  const { read } = store;
  const own = toOwnIds(deps, { id: 'user', member: 'group' });
  const toText = (view: UserView) => renderUser(view, deps);
  const show = isPlain(projection)
    ? toText
    : (view: UserView) => projectText(toText(view), projection);
  return {
    count: (selector) => countViews(read, 'users', { selector: own(selector), provider }),
    list: inPages((query) =>
      listViews(read, 'users', { ...query, selector: own(query.selector), provider }),
    ),
    hasUsers: () => false,
    load: async (views) => Iterator.from(views).map((view) => parseResource(toText(view))),
    async *render(views) {
      for (let start = 0; start < views.length; start += PAGE_ROWS) {
        if (start > 0) await nextTurn();
        yield views.slice(start, start + PAGE_ROWS).map(show);
      }
    },
  };
}

/** Groups as lists and searches find them. */
export function groupSource(
  deps: ProviderDeps,
  projection: Projection,
): Source<ResourceView<GroupId>> {
  const { provider } = deps;
  const { read } = deps.store;
  const own = toOwnIds(deps, { id: 'group', member: 'user' });
  return {
    count: (selector) => countViews(read, 'groups', { selector: own(selector), provider }),
    list: inPages((query) =>
      listViews(read, 'groups', { ...query, selector: own(query.selector), provider }),
    ),
    hasUsers: (names) => USER_LISTS.some((list) => names.has(list)),
    load: (views, names, filter) =>
      loadGroups(deps, views, { projection: toNeeded(names), filter }),
    render: (views) => renderGroups(deps, views, projection),
  };
}

/** Puts the ids of the bridge in the place of former ones. @param types what the ids of a selector are of */
function toOwnIds(
  { formerIds }: Pick<ProviderDeps, 'formerIds'>,
  types: Readonly<Record<'id' | 'member', 'user' | 'group'>>,
) {
  const own = <Part extends Selector | undefined>(selector: Part): Part | Selector => {
    if (selector?.kind === 'and' || selector?.kind === 'or') {
      return { ...selector, parts: selector.parts.map(own) };
    }
    if (selector?.kind !== 'id' && selector?.kind !== 'member') return selector;
    return { ...selector, value: formerIds.toOwn(types[selector.kind], selector.value) };
  };
  return own;
}

/** Reads rows page by page. Each page begins behind the last row of the one before. */
function inPages<View extends ResourceView>(
  list: (query: PartQuery) => Promise<View[]>,
): (query: PartQuery) => Promise<View[]> {
  return async (query) => {
    const views: View[] = [];
    for (;;) {
      const last = views.at(-1);
      const limit = Math.min(query.limit - views.length, PAGE_ROWS);
      const page = await list({ ...query, limit, ...(last && { offset: 0, afterSeq: last.seq }) });
      views.push(...page);
      if (page.length < limit || views.length >= query.limit) return views;
      await nextTurn();
    }
  };
}

/** Projection without the lists of users that a filter does not look at. */
function toNeeded(names: ReadonlySet<string>): Projection {
  const except = new Map<string, 'whole'>();
  for (const list of USER_LISTS) {
    if (!names.has(list)) except.set(list, 'whole');
  }
  return except.size === 0 ? EVERYTHING : { only: undefined, except };
}

function projectText(text: string, projection: Projection): string {
  return JSON.stringify(project(parseResource(text), projection));
}

function parseResource(text: string): JsonObject {
  return JSON.parse(text) as JsonObject;
}

/** Places of one list that are remembered at most. */
const PLACES_MAX = 1_000;

/** Cache of the list of one type until the next write: its length, and the places where pages begin. */
export interface PlaceCache {
  /** Length of the list; counts only when something was written since. */
  readTotal(count: () => Promise<number>): Promise<number>;
  /** The place in the order of creation behind which `offset` begins, when a page before it was read. */
  findPlace(offset: number): number | undefined;
  /** Reads a page and remembers where the next one begins, unless something was written meanwhile. */
  readPage<View extends ResourceView>(offset: number, read: () => Promise<View[]>): Promise<View[]>;
}

/**
 * Creates the cache. Providers import page by page, and an offset makes a database pass over all rows before it.
 * Nothing is remembered where other processes may write too.
 */
export function createPlaceCache({ generation }: Pick<Store, 'generation'>): PlaceCache {
  let known: number | undefined;
  let total: number | undefined;
  const places = new Map<number, number>();

  /** True when nothing was written since; otherwise forgets everything. */
  function isCurrent(): boolean {
    const now = generation();
    if (now !== undefined && now === known) return true;
    known = now;
    total = undefined;
    places.clear();
    return now !== undefined;
  }

  return {
    async readTotal(count) {
      if (isCurrent() && total !== undefined) return total;
      const before = generation();
      const counted = await count();
      if (before !== undefined && before === generation()) total = counted;
      return counted;
    },
    findPlace: (offset) => (isCurrent() ? places.get(offset) : undefined),
    async readPage(offset, read) {
      const before = generation();
      const views = await read();
      const last = views.at(-1);
      const isSteady = isCurrent() && before === known;
      if (last && isSteady && places.size < PLACES_MAX) places.set(offset + views.length, last.seq);
      return views;
    },
  };
}

/** A source whose whole list is counted once and paged from known places. */
export function withPlaces<View extends ResourceView>(
  source: Source<View>,
  places: PlaceCache,
): Source<View> {
  return {
    ...source,
    count: (selector) =>
      selector === undefined
        ? places.readTotal(() => source.count(undefined))
        : source.count(selector),
    async list(query) {
      const { selector, offset } = query;
      if (selector !== undefined || offset === undefined) return source.list(query);
      const afterSeq = places.findPlace(offset);
      const fromPlace = afterSeq === undefined ? query : { ...query, offset: 0, afterSeq };
      return places.readPage(offset, () => source.list(fromPlace));
    },
  };
}
