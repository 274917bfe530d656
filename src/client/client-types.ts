import type { AnswerHead } from '../upstream/answer-body.ts';
import type { PositionedPage, RedirectTarget } from '../upstream/operations/call-types.ts';
import type { Operation, PagedOperation, Paging } from '../upstream/operations/operation.ts';
import type { pagingParameters } from '../upstream/paginate.ts';
import type { CallOptions as TransportCallOptions } from '../upstream/transport-options.ts';

/** Options of one call. */
export interface CallOptions
  extends Pick<TransportCallOptions, 'signal' | 'headers' | 'attemptsMax' | 'repeat'> {
  /** Milliseconds from now until the call must have ended, all waiting included; the error's code is `timeout`. */
  readonly timeoutMs?: number | undefined;
}

/** Promise of an answer's content; `withResponse` gives the status and the headers too. */
export interface Answering<Content> extends Promise<Content> {
  withResponse(): Promise<AnswerWithResponse<Content>>;
}

/** Content of an answer with its status and headers. */
export interface AnswerWithResponse<Content> extends AnswerHead {
  readonly content: Content;
}

/** Operation that is called with its arguments; they may be left out when none is required. */
export interface Call<Args, Content> {
  (...input: Input<Args>): Answering<Content>;
  /** Row of data behind it. */
  readonly operation: Operation;
}

/** Operation that answers a list, which `client.paginate` reads page by page. */
export interface ListCall<Args, Content> extends Call<Args, Content> {
  readonly operation: PagedOperation;
}

/** List that answers `{ result, position }` with `version: 2`, and as an array without. */
export interface PositionedListCall<Args, Entry> {
  (
    args: Args & { readonly query: { readonly version: 2 } },
    options?: CallOptions,
  ): Answering<PositionedPage<Entry>>;
  (
    ...input: Input<Args & { readonly query?: { readonly version?: 1 | undefined } | undefined }>
  ): Answering<Entry[]>;
  (...input: Input<Args>): Answering<Entry[] | PositionedPage<Entry>>;
  readonly operation: PagedOperation;
}

/** Operation that with `redirect: true` answers where its content is. */
export interface RedirectCall<Args, Content> {
  (
    args: Args & { readonly query: { readonly redirect: true } },
    options?: CallOptions,
  ): Answering<RedirectTarget>;
  (
    args: Args & { readonly query?: { readonly redirect?: false | undefined } | undefined },
    options?: CallOptions,
  ): Answering<Content>;
  (args: Args, options?: CallOptions): Answering<Content | RedirectTarget>;
  readonly operation: Operation;
}

/** Parameters of a call: the arguments may be omitted when none is required. */
export type Input<Args, Options = CallOptions> = object extends Args
  ? [args?: Args, options?: Options]
  : [args: Args, options?: Options];

/** Arguments of a list without those that choose the page. */
export type PagedArguments<Args> = Args extends { readonly query?: object | undefined }
  ? Omit<Args, 'query'> & {
      readonly query?: Unpaged<NonNullable<Args['query']>> | undefined;
    }
  : Args;

type Unpaged<Query> = Omit<Query, PagingParameter> & {
  readonly [P in PagingParameter]?: never;
};

type PagingParameter = (typeof pagingParameters)[Paging][number];

/** Entry of a list's answer. */
export type EntryOf<Content> = Content extends readonly (infer Entry)[]
  ? Entry
  : Content extends { readonly Resources: readonly (infer Entry)[] }
    ? Entry
    : unknown;
