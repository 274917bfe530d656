import { Refusal } from '../refusal.ts';
import type { SandboxService } from '../service.ts';
import type { SandboxList, SandboxShape } from '../shape.ts';
import type { State } from '../state.ts';

/** One authorised call, as its operation sees it. */
export interface Call {
  /** Parameters of the path. */
  readonly params: readonly string[];
  readonly query: URLSearchParams;
  /** Parsed JSON; undefined when there is no body. */
  readonly body: unknown;
  /** Beginning of `$ref` and `meta.location`. */
  readonly baseUrl: string;
  /** The company, as the caller acts in it. */
  readonly service: SandboxService;
  readonly state: State;
  readonly shape: SandboxShape;
}

/**
 * Carries a call out, at once and completely, and returns what it answers; or throws a Refusal and has changed nothing.
 */
export type Handler = (call: Call) => unknown;

/** The id at this place of a path. @throws Refusal 404 when it is no number: no resource has such an id */
export function getId({ params }: Call, at = 0): number {
  const text = params[at] ?? '';
  if (!/^\d{1,15}$/.test(text)) throw new Refusal(404, `nothing has the id ${text}`);
  return Number(text);
}

/** The items of a list that a call asks for. @param limit undefined: the default of the list */
export function cutPage<Item>(
  { shape }: Call,
  [list, items]: readonly [SandboxList, readonly Item[]],
  { offset, limit }: { readonly offset: number; readonly limit: number | undefined },
): Item[] {
  const { default: fallback, max } = shape.pages[list];
  const start = shape.offsetIgnoredBy.includes(list) ? 0 : Math.max(0, offset);
  return items.slice(start, start + Math.min(Math.max(0, limit ?? fallback), max ?? Infinity));
}

/** An integer of the query, or undefined when absent. @throws Refusal 400 for anything else */
export function parseInteger(query: URLSearchParams, name: string): number | undefined {
  const text = query.get(name);
  if (text === null || text === '') return undefined;
  if (!/^-?\d{1,9}$/.test(text)) throw new Refusal(400, `${name} should be integer`);
  return Number(text);
}
