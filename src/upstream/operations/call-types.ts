import type { OperationArguments } from './arguments.ts';

/** Arguments of a call, `{ path, query, body }`; unknown where the operation is known only at run time. */
export type ArgsOf<O> = O extends { readonly id: infer Id extends keyof OperationArguments }
  ? OperationArguments[Id]
  : unknown;

/**
 * Answer with `version: 2`: `position` is the `start_position` of the next page. Its value at the end is not
 * documented.
 */
export interface PositionedPage<Entry> {
  result: Entry[];
  position: string | null;
}

/** Target of a redirect with `redirect: true`. It is never followed, so that our token never reaches another host. */
export interface RedirectTarget {
  /** Absolute; as in the answer without `redirect`. */
  url: string;
  /** The HTTP status of the redirect. */
  status: number;
}
