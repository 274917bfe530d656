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
import { EVERYTHING, isPlain, type Projection, project } from '../render/projection.ts';
import { type Pieces, renderUser } from '../render/resource-text.ts';
import { loadGroups, renderGroups } from './render-groups.ts';

/** Reads and shows the resources of one type. */
export interface Source<View extends ResourceView> {
  count(selector: Selector | undefined): Promise<number>;
  list(query: Omit<ViewQuery, 'provider'>): Promise<View[]>;
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

/** How a source of a request is made. */
interface SourceRequest {
  readonly deps: ProviderDeps;
  readonly projection: Projection;
  readonly countAll: CountAll;
}

/** Attributes of a group that hold lists of users. */
const USER_LISTS = ['members', GROUP_EXTENSION] as const;

/** Rows that are read, compared and shown at once; between two pages others are served. Of the largest users they are 16 MB. */
export const PAGE_ROWS = 64;

/** Users as lists and searches find them. */
export function userSource({ deps, projection, countAll }: SourceRequest): Source<UserView> {
  const { read } = deps.store;
  const { provider } = deps;
  const own = toOwnIds(deps, { id: 'user', member: 'group' });
  const count = (selector?: Selector) => countViews(read, 'user', { selector, provider });
  const load = (view: UserView) => JSON.parse(renderUser(view, deps)) as JsonObject;
  const show = isPlain(projection)
    ? (view: UserView) => renderUser(view, deps)
    : (view: UserView) => JSON.stringify(project(load(view), projection));
  return {
    count: (selector) => (selector ? count(own(selector)) : countAll(count)),
    list: inPages((query) =>
      listViews(read, 'user', { ...query, selector: own(query.selector), provider }),
    ),
    hasUsers: () => false,
    load: async (views) => Iterator.from(views).map(load),
    async *render(views) {
      for (let start = 0; start < views.length; start += PAGE_ROWS) {
        if (start > 0) await nextTurn();
        yield views.slice(start, start + PAGE_ROWS).map(show);
      }
    },
  };
}

/** Groups as lists and searches find them. */
export function groupSource({
  deps,
  projection,
  countAll,
}: SourceRequest): Source<ResourceView<GroupId>> {
  const { read } = deps.store;
  const { provider } = deps;
  const own = toOwnIds(deps, { id: 'group', member: 'user' });
  const count = (selector?: Selector) => countViews(read, 'group', { selector, provider });
  return {
    count: (selector) => (selector ? count(own(selector)) : countAll(count)),
    list: inPages((query) =>
      listViews(read, 'group', { ...query, selector: own(query.selector), provider }),
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
function inPages<View extends ResourceView>(list: Source<View>['list']): Source<View>['list'] {
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

/** Counts all resources of a type. */
type CountAll = (count: () => Promise<number>) => Promise<number>;

/**
 * Remembers the length of a list until the next write, since providers import page by page. Nothing is remembered where
 * other processes may write too.
 */
export function createTotal({ generation }: Pick<Store, 'generation'>): CountAll {
  let known: { readonly generation: number; readonly total: number } | undefined;
  return async (count) => {
    const before = generation();
    if (known !== undefined && known.generation === before) return known.total;
    const total = await count();
    known = before === undefined || before !== generation() ? known : { generation: before, total };
    return total;
  };
}
