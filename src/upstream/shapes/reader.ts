import { unreadable } from '../errors.ts';

/** Reader of the fields of one object of an answer. */
export type Reader = Readonly<ReturnType<typeof createReader>>;

/**
 * Creates a reader of one object. Wrong types are an `UpstreamError` that names the field and never its value; absent and
 * null are undefined, or an error where the field is required. One that is the only entry of a list is read as itself: the
 * documents of the service call some answers a list and show one object.
 * @param what names the object in errors. @throws UpstreamError `unreadable` when it is none.
 */
export function createReader(what: string, answer: unknown) {
  const value: unknown = Array.isArray(answer) && answer.length === 1 ? answer[0] : answer;
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw unreadable(what, 'is not an object');
  }
  const fields = new Map<string, unknown>(Object.entries(value));
  const raw = (name: string): unknown => fields.get(name) ?? undefined;
  const fail = (name: string, expected: string) => unreadable(what, `${name} is not ${expected}`);

  /** An absent field is undefined; a present one has the type or is an error. */
  function optional<T>(parse: (value: unknown) => T | undefined, expected: string) {
    return (name: string): T | undefined => {
      const present = raw(name);
      if (present === undefined) return undefined;
      const parsed = parse(present);
      if (parsed === undefined) throw fail(name, expected);
      return parsed;
    };
  }

  function required<T>(read: (name: string) => T | undefined, expected: string) {
    return (name: string): T => {
      const value = read(name);
      if (value === undefined) throw fail(name, expected);
      return value;
    };
  }

  const textOrUndefined = optional(toText, 'text');
  const integerOrUndefined = optional(toInteger, 'a whole number');
  const flagOrUndefined = optional(toFlag, 'true or false');
  const list = optional(toList, 'a list');

  /** The ids of a list whose entries come bare or, as in SCIM, as `{ value }`. */
  function ids<T>(name: string, parse: (value: unknown) => T | undefined) {
    return list(name)?.map((entry) => {
      const value = parse(findEntryValue(entry));
      if (value === undefined) throw fail(name, 'a list of ids');
      return value;
    });
  }

  return {
    raw,
    fail,
    ids,
    textOrUndefined,
    integerOrUndefined,
    flagOrUndefined,
    text: required(textOrUndefined, 'text'),
    /** Whole numbers; the service may send them as text. */
    integer: required(integerOrUndefined, 'a whole number'),
    /** Also as 1 and 0, and as these or the words `true` and `false` in a text, whatever their case. */
    flag: required(flagOrUndefined, 'true or false'),
    list,
    /** An id that may come as a number or as text. */
    idText: required(optional(toIdText, 'an id'), 'an id'),
  };
}

/**
 * The entries of a list, which may come as the field of an object, as some services send theirs. No content is no empty
 * list: it may be that nobody could look. @throws UpstreamError `unreadable` when it is no list
 */
export function parseEntries(what: string, answer: unknown): readonly unknown[] {
  if (Array.isArray(answer)) return answer;
  const fields = new Map(Object.entries(answer ?? {}));
  const wrapped = WRAPPINGS.map((name) => fields.get(name)).find(Array.isArray);
  if (wrapped) return wrapped;
  throw unreadable(what, answer ? 'is not a list' : 'has no content, which is no empty list');
}

const WRAPPINGS = ['items', 'data', 'results', 'Resources'] as const;

/** An id as text, from a number or from text that is not empty. */
export function toIdText(value: unknown): string | undefined {
  if (Number.isSafeInteger(value)) return String(value);
  return typeof value === 'string' && value !== '' ? value : undefined;
}

/** A whole number, from a number or from its digits. */
export function toInteger(value: unknown): number | undefined {
  const number = typeof value === 'string' && /^-?\d{1,16}$/.test(value) ? Number(value) : value;
  return typeof number === 'number' && Number.isSafeInteger(number) ? number : undefined;
}

/** A text. */
export function toText(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

function toFlag(value: unknown): boolean | undefined {
  const word = typeof value === 'object' ? '' : String(value).toLowerCase();
  if (word === 'true' || word === '1') return true;
  return word === 'false' || word === '0' ? false : undefined;
}

function toList(value: unknown): readonly unknown[] | undefined {
  return Array.isArray(value) ? value : undefined;
}

/** The value of an entry that comes bare or, as in SCIM, as `{ value }`; undefined when it has none. */
export function findEntryValue(entry: unknown): unknown {
  return typeof entry === 'object' && entry !== null && 'value' in entry ? entry.value : entry;
}
