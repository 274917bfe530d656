/**
 * One operation of the service: a row of data that the transport runs and from which the types of a call follow.
 * The engine reads rows only, so a new operation is a new row and nothing else.
 */
export interface Operation {
  /** `group.name`, as the documents name them; stands in errors, logs and metrics. */
  readonly id: string;
  /** Use of the operation and what to know before it, for documents and editors. */
  readonly about: string;
  /** SCIM paths follow the base URL; REST paths follow `/api/<version>`. */
  readonly api: 'scim' | 'rest';
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  readonly path: `/${string}`;
  /** Every name in the braces of `path`; all required. */
  readonly pathParameters?: Fields;
  readonly query?: Fields;
  /** Encoding of an array or object in the query; an array that is not named here is joined with commas. */
  readonly queryStyle?: Readonly<Record<string, QueryStyle>>;
  readonly body?: Fields;
  /**
   * The parameters of the body that choose the objects to change. When the operation would change everything without
   * any of them, a call that has none is sent only with `everything: true` beside `path`, `query` and `body`.
   */
  readonly conditions?: readonly string[];
  /** Encoding of the body; `json` when absent. `json-or-multipart` is JSON unless it holds a file. */
  readonly content?: 'json' | 'multipart' | 'json-or-multipart';
  readonly response: ResponseShape;
  /** Paging style of a list; absent when the operation answers once. */
  readonly paging?: Paging;
  /** Query parameters without which the service may ignore the requested page: the client adds them to a read of all pages. */
  readonly pagesOnlyWith?: Readonly<Record<string, boolean>>;
  /** `safe`: a second call leaves the service as the first one did, so a lost answer may be repeated blindly. */
  readonly repeat: 'safe' | 'unsafe';
  /** Absent outside provisioning: nothing of the bridge depends on it. */
  readonly section?: Section;
  readonly stage?: 'beta' | 'deprecated';
  /** Fields of the body that the service flags as deprecated. */
  readonly deprecated?: readonly string[];
  /**
   * Parameters that the documents do not list and the running service is known to take; `query.name` when the body
   * has it too.
   */
  readonly undocumented?: readonly string[];
  /** The section of the documents, or `field-notes` for facts that only the running service shows. */
  readonly source: string;
}

/**
 * Paging style of a list. `start-position` is `offset` until `version: 2` is asked for, which answers `{ result,
 * position }`.
 */
export type Paging = 'start-index' | 'offset' | 'last-user-id' | 'start-position';

/** `brackets`: `name[]=a&name[]=b`; `json`: as JSON text; `base64-json`: an object as base64 of its JSON, text as it is. */
export type QueryStyle = 'comma' | 'brackets' | 'json' | 'base64-json';

/**
 * Parameter names and their types, in the notation of the documents: `'user_id*': 'integer'` is required.
 * Types: string, integer, number, boolean, object, unknown, null, file (multipart only), quoted words (`'active'`),
 * numbers (`1`), `X[]`, `A | B`, and `(A | B)[]` standing alone.
 */
export type Fields = Readonly<Record<string, string>>;

/**
 * Content of a successful answer. `list` is the SCIM list object with `entries` in it, `none` no body; `redirect` is
 * an object, or with `redirect: true` the target of a redirect; `stream` is any content, as it arrives, which no row has.
 * No field names at all: they are not documented.
 */
export interface ResponseShape extends EntryShape {
  readonly kind: 'object' | 'array' | 'list' | 'redirect' | 'none' | 'stream';
  /** `list` only: one of the `Resources`. */
  readonly entries?: EntryShape;
}

/** The fields of one object of an answer. */
export interface EntryShape {
  /** Name among the types of the client, of what more than one operation answers. */
  readonly name?: string;
  /** Shape that this one has all fields of. */
  readonly base?: EntryShape;
  readonly fields: readonly string[];
  /** Types of some of `fields`, as far as the running service is known to give them; all others are unknown. */
  readonly types?: Fields;
}

/** The part of the service that a right opens or closes as a whole; probed and reported apart. */
export type Section =
  | 'users'
  | 'groups'
  | 'members'
  | 'admins'
  | 'companyUsers'
  | 'audit'
  | 'account';

/** The operations of one resource group of the documents. */
export type OperationGroup = Readonly<Record<string, Operation>>;

/** An operation that answers page by page. */
export type PagedOperation = Operation & { readonly paging: Paging };

/** Arguments with one of the conditions in the body, or `everything: true`: without either a call would change all. */
export type ChosenOf<Args extends { readonly body?: object | undefined }, Names extends string> =
  | (Args & { readonly everything: true })
  | {
      [N in Names]: Args & {
        readonly everything?: true | undefined;
        readonly body: { readonly [M in N]: FieldOf<NonNullable<Args['body']>, M> };
      };
    }[Names];

type FieldOf<Body, Name> = Name extends keyof Body ? NonNullable<Body[Name]> : never;
