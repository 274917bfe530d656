import { Refusal } from '../refusal.ts';
import type { SandboxService } from '../service.ts';
import type { SandboxList, SandboxShape } from '../shape.ts';
import type { State } from '../state.ts';

/** One authorised call, as its operation sees it. */
export interface Call {
  /** Parameters of the path, decoded. */
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

/** The first id of a path. @throws Refusal 404 when it is no number: no resource has such an id */
export function getId({ params: [text = ''] }: Pick<Call, 'params'>): number {
  if (!/^\d{1,15}$/.test(text)) throw new Refusal(404, `nothing has the id ${text}`);
  return Number(text);
}

/** Place and size of a page. */
interface Page {
  readonly offset: number;
  readonly limit: number;
}

/** The page that `limit` and `offset` ask for in a REST list; a limit of 0 is the default. @throws Refusal 400 when either is no integer */
export function parseRestPage({ query, shape }: Call, list: SandboxList): Page {
  const { default: fallback, max } = shape.pages[list];
  const asked = Math.max(0, parseInteger(query, 'limit') ?? 0) || fallback;
  const offset = Math.max(0, parseInteger(query, 'offset') ?? 0);
  return {
    offset: shape.offsetIgnoredBy.includes(list) ? 0 : offset,
    limit: Math.min(asked, max ?? asked),
  };
}

/** The items of one page. */
export function cutPage<Item>(items: readonly Item[], { offset, limit }: Page): Item[] {
  return items.slice(offset, offset + limit);
}

/** True for a flag that is present and not `false` or `0`. */
export function hasFlag(query: URLSearchParams, name: string): boolean {
  return !['false', '0', null].includes(query.get(name));
}

/** An integer of the query, or undefined when absent. @throws Refusal 400 for anything else */
export function parseInteger(query: URLSearchParams, name: string): number | undefined {
  const text = query.get(name);
  if (text === null || text === '') return undefined;
  if (!/^-?\d{1,9}$/.test(text)) throw new Refusal(400, `${name} should be integer`);
  return Number(text);
}
