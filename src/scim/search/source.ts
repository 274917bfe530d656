import type { JsonObject } from '../../domain/json.ts';
import type { Selector } from '../../domain/selector.ts';
import type { Turns } from '../../domain/turns.ts';
import type { ResourceView, ViewQuery } from '../../store/views.ts';
import type { Filter } from '../filter/tree.ts';
import type { Sorting } from '../render/sorting.ts';
import type { Pace } from './pace.ts';

/** How one type of resource is found and shown. */
export interface Source<View extends ResourceView> {
  count(selector: Selector | undefined): Promise<number>;
  list(query: ViewQuery): Promise<View[]>;
  /** The resources whole, as filters and sorting see them, each made when it is asked for; `names` says which lists they look at. */
  load(views: readonly View[], names: ReadonlySet<string>): Promise<Iterable<JsonObject>>;
  /** Whether these attributes hold people, who may be many. */
  hasPeople(names: ReadonlySet<string>): boolean;
  /** How it shares the process while everybody is looked at. */
  readonly pace: Pace;
  /** Cuts what is done with what was found. */
  readonly turns: Turns;
  /** The resources as the request wants to see them. */
  render(views: readonly View[]): Promise<string[]>;
}

/** What a request looks for. */
export interface Search {
  readonly filter: Filter | undefined;
  readonly sorting: Sorting | undefined;
}
