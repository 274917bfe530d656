/**
 * How the expected values are written. A plain value is sent as it is and says which kind is taken: a whole number
 * stands for integer, one with a fraction for number. What has more than one type, or none that is documented, is open.
 */
export type Value = string | number | boolean | object;

/** Parameters of one part of a call, each with its value; a star marks what is required. */
export type Values = Readonly<Record<string, Value>>;

/** One operation as the documents describe it. */
export interface Expected {
  /** Method and path as they go over the wire; REST paths without `/api/latest`. */
  readonly sends: string;
  readonly path?: Values;
  readonly query?: Values;
  readonly body?: Values;
  /** The smallest call chooses nothing, so it has to say that it means everything. */
  readonly everything?: true;
  /** How the body travels, where not as JSON. */
  readonly content?: 'multipart' | 'json-or-multipart';
}

/** The operations of one group by name. */
export type ExpectedGroup = Readonly<Record<string, Expected>>;

/** A name and a text, as a query or a form has them. */
export type Pair = readonly [name: string, text: string];

/** A value that says less or more than its type. */
export class Open {
  readonly kind: 'either' | 'words' | 'any-word' | 'opaque' | 'travels' | 'files';
  /** What is sent: one of these in each call. */
  readonly values: readonly unknown[];
  /** `travels`: what it becomes in a query. */
  readonly pairs: readonly Pair[];
  /** `files`: what they hold. */
  readonly texts: readonly string[];

  constructor(
    kind: Open['kind'],
    values: readonly unknown[],
    { pairs = [], texts = [] }: { pairs?: readonly Pair[]; texts?: readonly string[] } = {},
  ) {
    this.kind = kind;
    this.values = values;
    this.pairs = pairs;
    this.texts = texts;
  }
}

/** A union of types. */
export function either(...values: (Value | null)[]): Open {
  return new Open('either', values);
}

/** A type or null. */
export function orNull(value: Value): Open {
  return either(value, null);
}

/** A closed list: nothing else may be sent. */
export function words(...values: (string | number | null)[]): Open {
  return new Open('words', values);
}

/** What the documents call an enum without giving its words: any passes. */
export function anyWord(word: string): Open {
  return new Open('any-word', [word]);
}

/** A structure that is not documented. */
export function opaque(value: unknown): Open {
  return new Open('opaque', [value]);
}

/** An array or object in a query, and what it becomes there. */
export function travels(value: object, ...pairs: Pair[]): Open {
  return new Open('travels', [value], { pairs });
}

/** One file. */
export function file(text: string): Open {
  return new Open('files', [new Blob([text])], { texts: [text] });
}

/** Several files. */
export function files(...texts: string[]): Open {
  return new Open('files', [texts.map((text) => new Blob([text]))], { texts });
}
