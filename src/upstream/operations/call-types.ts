import type { FileInput } from './file-input.ts';
import type { Fields } from './operation.ts';

/**
 * Arguments of a call: `{ path, query, body }`, each only when the row has it and required when it holds something
 * required. A missing or unknown name and a wrong type are compile errors.
 */
export type ArgsOf<O> = PathArgs<O> & InputArgs<'query', O> & BodyArgs<O> & ChoiceArgs<O>;

/** One of the conditions of the row, or `everything: true`: without either a call would change all there is. */
type ChoiceArgs<O> = O extends {
  readonly conditions: readonly (infer Name extends string)[];
  readonly body: infer F;
}
  ?
      | { readonly everything: true }
      | {
          [N in Name]: {
            readonly everything?: true | undefined;
            readonly body: { readonly [M in N]: M extends keyof F ? ValueOf<F[M]> : never };
          };
        }[Name]
  : { readonly everything?: never };

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

/** A form may be given whole when the service takes one. */
type BodyArgs<O> = O extends { readonly body: Fields; readonly content: MultipartContent }
  ? { readonly [K in keyof InputArgs<'body', O>]: InputArgs<'body', O>[K] | FormData }
  : InputArgs<'body', O>;

type MultipartContent = 'multipart' | 'json-or-multipart';

type Inputs<F> = keyof F extends never
  ? Readonly<Record<string, never>>
  : {
      readonly [K in keyof F as K extends `${infer Name}*` ? Name : never]: ValueOf<F[K]>;
    } & {
      readonly [K in keyof F as K extends `${string}*` ? never : K]?: ValueOf<F[K]> | undefined;
    };

/** The TypeScript type that the notation of `Fields` stands for. */
export type ValueOf<T> = T extends `(${infer Group})[]`
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
  file: FileInput;
}

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
