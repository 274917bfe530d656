/** Base of our errors outside `upstream/`. `code` is stable; docs/runbook.md lists those where an operator must act. */
export class BridgeError extends Error {
  override readonly name: string = 'BridgeError';
  readonly code: string;
  constructor(code: string, message: string, options?: { cause?: unknown }) {
    super(message, options);
    this.code = code;
  }
}

/** Makes the compiler prove that a union was handled completely. @throws BridgeError when reached. */
export function assertNever(value: never): never {
  throw new BridgeError('bug', `a case was not handled: ${JSON.stringify(value)}`);
}

/** Any value of JSON. */
export type JsonValue = null | boolean | number | string | JsonValue[] | JsonObject;

/** JSON object. Its keys come from us or from a schema, never straight from a request. */
export interface JsonObject {
  [name: string]: JsonValue;
}

/** True for a JSON object: neither null nor an array. */
export const isJsonObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The value of a JSON text; undefined: it is none, as a name or the page of a proxy. */
export function findJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined; // The caller says what was expected.
  }
}

/** The keys of an object of ours, which has no others than the fields of its type. */
export function parseFields<Field extends string>(rows: { readonly [F in Field]?: unknown }) {
  return Object.keys(rows) as Field[];
}

/** The values that are known. Those of an answer that lacks a field are undefined. */
export function parseKnown<Values extends object>(values: Values) {
  const known = Object.entries(values).filter(([, value]) => value !== undefined);
  return Object.fromEntries(known) as { [Name in keyof Values]?: Exclude<Values[Name], undefined> };
}

/**
 * The form in which names that ignore case are stored and compared: NFC, lower case, few combining marks in a row.
 * Idempotent and linear. Both sigmas become one, because lower-casing chooses between them by the letters around.
 */
export function foldCase(text: string): string {
  // Of ASCII alone, as most texts are, only the case changes.
  if (!BEYOND_ASCII.test(text)) return text.toLowerCase();
  const lower = limitMarks(text).normalize('NFC').toLowerCase().replaceAll('\u03c2', '\u03c3');
  return limitMarks(lower.normalize('NFC'));
}

const BEYOND_ASCII = /[\u0080-\uffff]/;

/** Most characters of an indexed value: folding can triple a text, and PostgreSQL indexes at most 2,704 bytes. */
export const INDEXED_LENGTH_MAX = 512;

/** True for text that the index of every store can hold. */
export function isIndexable(text: string): boolean {
  if (text.length > INDEXED_LENGTH_MAX) return false;
  return text.length * 3 <= INDEXED_LENGTH_MAX || foldCase(text).length <= INDEXED_LENGTH_MAX;
}

/** `foldCase` of one resource, whose texts are compared again and again: each is folded once. */
export function createFolds(): (text: string) => string {
  const known = new Map<string, string>();
  return (text) => {
    const folded = known.get(text) ?? foldCase(text);
    known.set(text, folded);
    return folded;
  };
}

/** The SCIM id of a user, which the bridge assigns and never reuses. */
export type UserId = string & { readonly brand: 'UserId' };
/** The SCIM id of a group, which the bridge assigns and never reuses. */
export type GroupId = string & { readonly brand: 'GroupId' };

/** Brands text as a user's SCIM id; only the store knows whether such a user exists. */
export const userId = (text: string): UserId => text as UserId;

/** Brands text as a group's SCIM id; only the store knows whether such a group exists. */
export const groupId = (text: string): GroupId => text as GroupId;

/** Chance in an id: of a million ids two are the same in one of ten million companies, and the store takes one of them. */
const ID_BYTES = 8;
/** Bits of the first byte that make its first digit a letter. */
const LETTER = 0xa0;

/**
 * A new random id of 16 hexadecimal digits. It begins with a letter, so that no spreadsheet takes it for a number, and
 * never contains "bulkId" (RFC 7643 §3.1). It is short, because each membership stores two.
 */
export function newId(): string {
  const bytes = Buffer.from(crypto.getRandomValues(new Uint8Array(ID_BYTES)));
  bytes.writeUInt8(bytes.readUInt8() | LETTER);
  return bytes.toString('hex');
}

/** Form of what {@link newId} makes, or of the UUIDs that it made before. */
const FORM = /^(?:[a-f][0-9a-f]{15}|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/;

/** True for text in the form of the ids that the bridge makes. Any other text in the place of an id may be a name. */
export const isId = (text: string) => FORM.test(text);

/** One resource, as locks, waiters and logs name it. */
export type ResourceKey =
  | { readonly type: 'user'; readonly id: UserId }
  | { readonly type: 'group'; readonly id: GroupId };

/** Type and id of a user or group as they are given: nobody may have the id. */
export interface GivenKey {
  readonly type: 'user' | 'group';
  readonly id: string;
}

/** The key of a resource that is stored under this id. */
export const toResourceKey = ({ type, id }: GivenKey): ResourceKey =>
  type === 'user' ? { type, id: userId(id) } : { type, id: groupId(id) };

/** The key as text, for maps and log lines. */
export const keyText = (key: ResourceKey) => `${key.type}:${key.id}`;

/** A refusal in words that may be shown to an operator and to the provider. */
export interface Refusal {
  /** Stable and short, such as `refused` or `conflict`. */
  readonly code: string;
  /** The service's words, bounded, or ours. */
  readonly words: string;
  /** The HTTP status of the service, when there was an answer. */
  readonly status?: number;
  /** True where the bridge itself is in the way, of which the service has said nothing. */
  readonly ours?: true;
}

/** Refusal by the bridge itself: what it would need is not its own, or not clear. @param words a sentence without its period */
export const toOwnRefusal = (words: string) =>
  ({ code: 'conflict', words, ours: true }) as const satisfies Refusal;

/** Problem of a change that the service accepted and did not make, in our words: the service has none. */
export const NOT_APPLIED: Refusal = {
  code: 'not-applied',
  words: 'the service accepted the change and still says otherwise',
};

/** Problem of a write that would have taken over somebody whom the service does not have any more. */
export const NOT_THERE: Refusal = {
  code: 'not-there',
  words: 'the service does not have the account any more',
};

/** True where the service accepted a change and did not make it: its next success is looked at before it is believed. */
export const isNotApplied = (problem: Refusal | null | undefined) =>
  problem?.code === NOT_APPLIED.code;

/** True if `bits` has a bit that all others lack, beyond 32 bits too. @throws RangeError for what is no whole number */
export const hasMoreBits = (bits: number, ...others: readonly number[]) =>
  (BigInt(bits) & ~others.reduce((all, one) => all | BigInt(one), 0n)) !== 0n;

/**
 * Refuses a body that is not UTF-8, before decoding replaces what is wrong. @throws Error with the status that a parser
 * of bodies answers. @see RFC 8259 §8.1
 */
export function assertUtf8(
  _req: unknown,
  _res: unknown,
  bytes: Buffer,
  encoding?: string | null,
): void {
  // Not imported: the console takes words from here, and a browser has no such module.
  const { isUtf8 } = process.getBuiltinModule('node:buffer');
  if (!/^(?:utf-?8)?$/.test(encoding ?? '') || isUtf8(bytes)) return;
  throw Object.assign(new Error('The body is not UTF-8.'), { status: 400 });
}

/** Most combining marks in a row: ordering them takes quadratic time. @see UAX #15 §13, Stream-Safe Text Format */
const MARKS_MAX = 30;
/** All marks in a row, so that each is looked at once. */
const MARKS = /\p{M}+/gu;

/** True for text that every store takes and that is compared in linear time: no NUL, no half of a surrogate pair, few marks in a row. */
export const isStorable = (text: string) =>
  text.isWellFormed() && !text.includes('\0') && !hasTooManyMarks(text);

/** The text without the combining marks beyond the thirtieth in a row, for texts that cannot be refused. */
export function limitMarks(text: string): string {
  if (!hasTooManyMarks(text)) return text;
  return text.replace(MARKS, (marks) => {
    const kept = marks.slice(0, MARKS_MAX);
    return kept.isWellFormed() ? kept : kept.slice(0, -1);
  });
}

function hasTooManyMarks(text: string): boolean {
  for (const [marks] of text.matchAll(MARKS)) if (marks.length > MARKS_MAX) return true;
  return false;
}

/** A number with its noun: `1 group`, `1,200 groups`. */
export const toCount = (count: number, one: string, many = `${one}s`) =>
  `${count.toLocaleString('en')} ${count === 1 ? one : many}`;
