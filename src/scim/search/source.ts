import { setImmediate as nextTurn } from 'node:timers/promises';
import { GROUP_EXTENSION } from '../../domain/extensions.ts';
import type { ResourceKey } from '../../domain/ids.ts';
import type { Selector } from '../../domain/selector.ts';
import { countViews, listViews, type ViewQuery } from '../../store/resources/views.ts';
import type { Store } from '../../store/store.ts';
import type { ProviderDeps } from '../deps.ts';
import { EVERYTHING, type Projection } from '../render/projection.ts';
import type { View } from '../render/resources.ts';

/** The resources of one type, as one request finds them. */
export interface Source {
  readonly deps: ProviderDeps;
  readonly type: ResourceKey['type'];
  readonly countAll: CountAll;
}

/** Rows that are read and compared at once; between two pages others are served. Of the largest users they are 16 MB. */
export const PAGE_ROWS = 64;

/** Counts what the selector finds; undefined: all. */
export function countFound({ deps, type, countAll }: Source, selector?: Selector): Promise<number> {
  const { provider, store } = deps;
  const own = toOwnIds(deps, type, selector);
  const count = () => countViews(store.read, type, { selector: own, provider });
  return selector === undefined ? countAll(count) : count();
}

/** Reads rows page by page. Each page begins behind the last row of the one before. */
export async function listFound(
  { deps, type }: Source,
  query: Omit<ViewQuery, 'provider'>,
): Promise<View[]> {
  const { provider, store } = deps;
  const asked = { ...query, provider, selector: toOwnIds(deps, type, query.selector) };
  const views: View[] = [];
  for (;;) {
    const last = views.at(-1);
    const limit = Math.min(query.limit - views.length, PAGE_ROWS);
    const behind = last && { offset: 0, afterSeq: last.seq };
    const page: View[] = await listViews(store.read, type, { ...asked, limit, ...behind });
    views.push(...page);
    if (page.length < limit || views.length >= query.limit) return views;
    await nextTurn();
  }
}

function toOwnIds(
  { formerIds }: ProviderDeps,
  type: ResourceKey['type'],
  selector: Selector | undefined,
): Selector | undefined {
  const own = (part: Selector): Selector => {
    if (part.kind === 'and' || part.kind === 'or') return { ...part, parts: part.parts.map(own) };
    if (part.kind !== 'id' && part.kind !== 'member') return part;
    const other = type === 'user' ? 'group' : 'user';
    return { ...part, value: formerIds.toOwn(part.kind === 'id' ? type : other, part.value) };
  };
  return selector && own(selector);
}

const USER_LISTS = ['members', GROUP_EXTENSION] as const;

/** True when one of these attributes is a list of users, which may be long. */
export function hasUsers({ type }: Source, names: ReadonlySet<string>): boolean {
  return type === 'group' && USER_LISTS.some((list) => names.has(list));
}

/** Projection without the lists of users that a search does not look at. */
export function toNeeded(names: ReadonlySet<string>): Projection {
  const others = USER_LISTS.filter((list) => !names.has(list));
  return { ...EVERYTHING, except: new Map(others.map((list) => [list, 'whole'])) };
}

type CountAll = (count: () => Promise<number>) => Promise<number>;

/** Remembers the length of a list until the next write, since providers import page by page; nothing where other processes may write too. */
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
