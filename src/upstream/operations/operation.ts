/**
 * What one operation of the service is: a row of data that the transport runs and from which the types of a call follow.
 * The engine reads rows only, so a new operation is a new row and nothing else.
 */
export interface Operation {
  /** `group.name`, as the documents name them; stands in errors, logs and metrics. */
  readonly id: string;
  /** SCIM paths follow the base URL; REST paths follow `/api/<version>`. */
  readonly api: 'scim' | 'rest';
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  readonly path: `/${string}`;
  /** Every name in the braces of `path`; all required. */
  readonly pathParameters?: Fields;
  readonly query?: Fields;
  /** How an array or object travels in the query; an array not named here is joined with commas. */
  readonly queryStyle?: Readonly<Record<string, 'comma' | 'brackets' | 'json'>>;
  readonly body?: Fields;
  /** How the body travels. */
  readonly content?: 'json';
  readonly response: ResponseShape;
  /** How a list goes on; absent when the operation answers once. */
  readonly paging?: 'start-index' | 'offset';
  /** `safe`: sending it twice leaves the service as sending it once, so a lost answer may be repeated blindly. */
  readonly repeat: 'safe' | 'unsafe';
  readonly section: Section;
  readonly stage?: 'beta' | 'deprecated';
  /** Parameters that the documents do not list and the running service is known to take. */
  readonly undocumented?: readonly string[];
  /** The section of the documents, or `field-notes` for what only the running service shows. */
  readonly source: string;
}

/**
 * Parameter names and their types, in the notation of the documents: `'user_id*': 'integer'` is required.
 * Types: string, integer, number, boolean, object, unknown, null, quoted words (`'active'`), numbers (`1`),
 * `X[]`, `A | B`, and `(A | B)[]` standing alone.
 */
export type Fields = Readonly<Record<string, string>>;

/** What a successful answer holds; the types of the fields are not documented. */
interface ResponseShape {
  /** `list` is the SCIM list object, `none` no body. */
  readonly kind: 'object' | 'array' | 'list' | 'none';
  readonly fields: readonly string[];
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
export type PagedOperation = Operation & { readonly paging: 'start-index' | 'offset' };

/**
 * What a call of the operation takes: `{ path, query, body }`, each only where the row has it and required where it holds
 * something required. A missing or unknown name and a wrong type are compile errors.
 */
export type ArgsOf<O> = PathArgs<O> & InputArgs<'query', O> & InputArgs<'body', O>;

type PathArgs<O> = O extends { readonly pathParameters: infer P extends Fields }
  ? { readonly path: { readonly [K in keyof P]: ValueOf<P[K]> } }
  : { readonly path?: never };

type InputArgs<Part extends 'query' | 'body', O> = O extends { readonly [P in Part]: infer F }
  ? keyof F extends infer K
    ? Extract<K, `${string}*`> extends never
      ? { readonly [P in Part]?: Inputs<F> | undefined }
      : { readonly [P in Part]: Inputs<F> }
    : never
  : { readonly [P in Part]?: never };

type Inputs<F> = {
  readonly [K in keyof F as K extends `${infer Name}*` ? Name : never]: ValueOf<F[K]>;
} & {
  readonly [K in keyof F as K extends `${string}*` ? never : K]?: ValueOf<F[K]> | undefined;
};

type ValueOf<T> = T extends `(${infer Group})[]`
  ? readonly ValueOf<Group>[]
  : T extends `${infer Left} | ${infer Right}`
    ? ValueOf<Left> | ValueOf<Right>
    : T extends `${infer Item}[]`
      ? readonly ValueOf<Item>[]
      : T extends `'${infer Word}'`
        ? Word
        : T extends keyof NamedTypes
          ? NamedTypes[T]
          : T extends `${infer N extends number}`
            ? N
            : never;

interface NamedTypes {
  string: string;
  integer: number;
  number: number;
  boolean: boolean;
  object: object;
  unknown: unknown;
  null: null;
}
