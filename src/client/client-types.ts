import type { operationGroups } from '../upstream/operations/all.ts';
import type {
  AnswerOf,
  ArgsOf,
  EntryOf,
  PositionedPage,
  RedirectTarget,
} from '../upstream/operations/call-types.ts';
import type { Fields } from '../upstream/operations/operation.ts';

/** Every operation of the service as `client.<group>.<operation>(args, options)`, under the names of its documents. */
export type OperationClient = {
  readonly [G in keyof Groups]: { readonly [N in keyof Groups[G]]: ClientOperation<Groups[G][N]> };
};

type Groups = typeof operationGroups;

/** One callable operation; `operation` is the row of data behind it. */
export type ClientOperation<O> = Callable<O> & { readonly operation: O };

/** Arguments of a list without those that choose the page. */
export type PagedArgsOf<O> = ArgsOf<
  O extends { readonly query: infer Q extends Fields }
    ? Omit<O, 'query'> & { readonly query: Omit<Q, PagingParameter> }
    : O
>;

type PagingParameter =
  | 'startIndex'
  | 'count'
  | 'limit'
  | 'offset'
  | 'last_user_id'
  | 'start_position';

/** Options of one call. */
export interface ClientCallOptions {
  /** Aborts the call; the error's code is `aborted`. */
  readonly signal?: AbortSignal | undefined;
  /** Milliseconds from now until the call must have ended, all waiting included; the error's code is `timeout`. */
  readonly timeoutMs?: number | undefined;
}

type Callable<O> = O extends { readonly paging: 'start-position' }
  ? PositionedCall<O>
  : O extends { readonly response: { readonly kind: 'redirect' } }
    ? RedirectCall<O>
    : PlainCall<O>;

type PlainCall<O> = (...input: Input<ArgsOf<O>>) => Promise<AnswerOf<O>>;

interface PositionedCall<O> {
  (
    args: ArgsOf<O> & { readonly query: { readonly version: 2 } },
    options?: ClientCallOptions,
  ): Promise<PositionedPage<EntryOf<O>>>;
  (
    ...input: Input<
      ArgsOf<O> & { readonly query?: { readonly version?: 1 | undefined } | undefined }
    >
  ): Promise<AnswerOf<O>>;
  (...input: Input<ArgsOf<O>>): Promise<AnswerOf<O> | PositionedPage<EntryOf<O>>>;
}

interface RedirectCall<O> {
  (
    args: ArgsOf<O> & { readonly query: { readonly redirect: true } },
    options?: ClientCallOptions,
  ): Promise<RedirectTarget>;
  (
    args: ArgsOf<O> & { readonly query?: { readonly redirect?: false | undefined } | undefined },
    options?: ClientCallOptions,
  ): Promise<AnswerOf<O>>;
  (args: ArgsOf<O>, options?: ClientCallOptions): Promise<AnswerOf<O> | RedirectTarget>;
}

/** Arguments may be omitted when none is required. */
export type Input<Args, Options = ClientCallOptions> = object extends Args
  ? [args?: Args, options?: Options]
  : [args: Args, options?: Options];
