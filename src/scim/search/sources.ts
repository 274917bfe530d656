import { GROUP_EXTENSION } from '../../domain/extensions.ts';
import type { GroupId } from '../../domain/ids.ts';
import type { JsonObject } from '../../domain/json.ts';
import type { Selector } from '../../domain/selector.ts';
import type { Turns } from '../../domain/turns.ts';
import {
  countGroups,
  countUsers,
  listGroupViews,
  listUserViews,
  type ResourceView,
  type UserView,
  type ViewQuery,
} from '../../store/resources/views.ts';
import type { ProviderDeps } from '../deps.ts';
import type { Filter } from '../filter/tree.ts';
import {
  type Choice,
  EVERYTHING,
  isPlain,
  type Projection,
  project,
  WHOLE,
} from '../render/projection.ts';
import { type Pieces, renderUser } from '../render/resource-text.ts';
import type { Sorting } from '../render/sorting.ts';
import type { Pace } from './pace.ts';
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
  /** Share of the process while every resource is looked at. */
  readonly pace: Pace;
  /** Cuts the work on the matches into turns. */
  readonly turns: Turns;
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

/**
 * Characters of users that are read and written at once, roughly, whatever is left out of the answer; a step for each
 * user would cost more than its text.
 */
const SHOWN_CHARACTERS = 65_536;
/** Rows that are read at once before their length is known. */
const FIRST_PIECE_ROWS = 40;
/** Most rows that are read at once: what follows small resources may be the largest ones. A usual page is two pieces. */
const PIECE_ROWS_MAX = 64;
/** Characters that are read at once where the rows before were large, roughly. */
const PIECE_CHARACTERS = 4_000_000;

/** Options of a source by the request. */
export interface SourceOptions {
  readonly projection: Projection;
  readonly pace: Pace;
}

/** Users as lists and searches find them. */
export function userSource(
  deps: ProviderDeps,
  { projection, pace }: SourceOptions,
): Source<UserView> {
  const { store, turns, provider } = deps;
  const { read } = store;
  const toText = (view: UserView) => renderUser(view, deps);
  const show = isPlain(projection)
    ? toText
    : (view: UserView) => projectText(toText(view), projection);
  return {
    count: (selector) => countUsers(read, { selector, provider }),
    list: listInPieces((query) => listUserViews(read, { ...query, provider }), turns),
    hasUsers: () => false,
    pace,
    turns,
    load: async (views) => Iterator.from(views).map((view) => parseResource(toText(view))),
    async *render(views) {
      let texts: string[] = [];
      let characters = 0;
      for (const view of views) {
        const text = show(view);
        texts.push(text);
        characters += Math.max(text.length, view.attributes.length);
        if (characters < SHOWN_CHARACTERS) continue;
        yield texts;
        [texts, characters] = [[], 0];
        const pause = turns();
        if (pause) await pause;
      }
      yield texts;
    },
  };
}

/** Groups as lists and searches find them. */
export function groupSource(
  deps: ProviderDeps,
  { projection, pace }: SourceOptions,
): Source<ResourceView<GroupId>> {
  const { provider } = deps;
  const { read } = deps.store;
  return {
    count: (selector) => countGroups(read, { selector, provider }),
    list: listInPieces((query) => listGroupViews(read, { ...query, provider }), deps.turns),
    hasUsers: (names) => USER_LISTS.some((list) => names.has(list)),
    pace,
    turns: deps.turns,
    load: (views, names, filter) =>
      loadGroups(deps, views, { projection: toNeeded(names), filter }),
    render: (views) => renderGroups(deps, views, projection),
  };
}

/**
 * Reads rows in pieces of some megabytes, because a page of large resources is hundreds of them. Each piece
 * begins behind the last row of the one before.
 */
function listInPieces<View extends ResourceView>(
  list: (query: PartQuery) => Promise<View[]>,
  turns: Turns,
): (query: PartQuery) => Promise<View[]> {
  let pieceMax = FIRST_PIECE_ROWS;
  return async (query) => {
    const views: View[] = [];
    for (;;) {
      const pause = turns();
      if (pause) await pause;
      const last = views.at(-1);
      const limit = Math.min(query.limit - views.length, pieceMax);
      const piece = await list({ ...query, limit, ...(last && { offset: 0, afterSeq: last.seq }) });
      for (const view of piece) views.push(view);
      if (piece.length < limit || views.length >= query.limit) return views;
      const characters = piece.reduce((sum, { attributes }) => sum + attributes.length, 0);
      const fitting = Math.ceil((PIECE_CHARACTERS * piece.length) / characters);
      pieceMax = Math.min(Math.max(1, fitting), PIECE_ROWS_MAX);
    }
  };
}

/** Projection without the lists of users that a filter does not look at. */
function toNeeded(names: ReadonlySet<string>): Projection {
  const except = new Map<string, readonly Choice[]>();
  for (const list of USER_LISTS) {
    if (!names.has(list)) except.set(list, [WHOLE]);
  }
  return except.size === 0 ? EVERYTHING : { only: undefined, except };
}

function projectText(text: string, projection: Projection): string {
  return JSON.stringify(project(parseResource(text), projection));
}

function parseResource(text: string): JsonObject {
  return JSON.parse(text) as JsonObject;
}
