import type { Request } from 'express';
import type { JsonValue } from '../domain/values.ts';
import { isId, isJsonObject } from '../domain/values.ts';
import type { Exchange } from '../domain/write.ts';

/** Texts of a request of a traced provider, as they came and went. */
export interface Trace {
  body?: string;
  answer?: string;
}

/** Makes what is kept of them. Attributes, operators and the ids of the bridge stay; of all other values the form. */
export function maskTrace(
  { originalUrl }: Pick<Request, 'originalUrl'>,
  { body, answer }: Trace,
): Exchange {
  const query = new URLSearchParams(originalUrl.split('?')[1]);
  const parameters = [...query].map(([name, value]) => {
    const masked = PARAMETERS.includes(name) ? maskPath(value) : maskFilter(value);
    return `${maskPath(name)}=${masked}`;
  });
  return { query: parameters.join('&'), body: maskText(body), answer: maskText(answer) };
}

/** Characters of a text that is no JSON, and of JSON with its values masked; the rest is cut off. */
const LENGTH_MAX = 8_000;

function maskText(text: string | undefined): JsonValue {
  if (text === undefined) return null;
  try {
    const masked = maskValue(JSON.parse(text), '', 0);
    const json = JSON.stringify(masked);
    return json.length > LENGTH_MAX ? `${json.slice(0, LENGTH_MAX)}…` : masked;
  } catch {
    return mask(text.slice(0, LENGTH_MAX));
  }
}

/** Entries of a list that are kept, and levels of a value. */
const ENTRIES_MAX = 5;
const LEVELS_MAX = 10;
/** Parameters that hold paths or numbers. */
const PARAMETERS = [
  'attributes',
  'excludedAttributes',
  'sortBy',
  'sortOrder',
  'startIndex',
  'count',
];
const COUNTS = ['totalResults', 'startIndex', 'itemsPerPage', 'count', 'failOnErrors'];

function maskValue(value: JsonValue, name: string, level: number): JsonValue {
  if (level > LEVELS_MAX) return '…';
  if (Array.isArray(value)) {
    const kept = value.slice(0, ENTRIES_MAX).map((one) => maskValue(one, name, level + 1));
    const left = value.length - kept.length;
    return left > 0 ? [...kept, `… ${left} more`] : kept;
  }
  if (isJsonObject(value)) {
    // The value of an operation is that of its path.
    const isOfPassword = PASSWORD.test(name) || PASSWORD.test(String(value.path));
    const members = Object.entries(value).map(([key, one]) => {
      const own = isOfPassword && /^value$/i.test(key) ? 'password' : key;
      return [maskPath(key), maskValue(one, own, level + 1)] as const;
    });
    return Object.fromEntries(members);
  }
  if (PASSWORD.test(name)) return '•••';
  if (typeof value === 'number') return COUNTS.includes(name) ? value : 0;
  if (typeof value !== 'string') return value;
  if (/^path$/i.test(name)) return maskPath(value);
  return name === 'filter' ? maskFilter(value) : mask(value);
}

/** Nothing of one is kept, whatever attribute or path ends like this. */
const PASSWORD = /password$/i;
const PATH = /^[\w.:$,-]+$/;
const OPERATOR = /(?<=\s)(?:eq|ne|co|sw|ew|g[te]|l[te]|pr)\b/i;
const JOINT = /^(?:and|or|not|[()[\]])$/i;
/** Texts in quotes, brackets, names (in front of an operator or a bracket, or behind one), and other words of a filter. */
const FILTER_PART =
  /"(?:[^"\\]|\\.)*"?|[()[\]]|([^\s"()[\]]+(?=\[|\s+(?:eq|ne|co|sw|ew|g[te]|l[te]|pr)\b)|(?<=\])\.[\w$-]+)|[^\s"()[\]]+/gi;

const maskPath = (text: string) => (PATH.test(text) ? text : maskFilter(text));

/** Masks the values in a filter, which may be words without quotes, or a text that is none. */
function maskFilter(text: string): string {
  if (!OPERATOR.test(text)) return mask(text);
  let isValue = false;
  return text.replaceAll(FILTER_PART, (part: string, name?: string) => {
    if (JOINT.test(part)) isValue = false;
    else if (!isValue && OPERATOR.test(` ${part}`)) isValue = true;
    else if (isValue || name === undefined) return mask(part);
    return part;
  });
}

/** Words of the protocol that are no value of a person. */
const PROTOCOL =
  /^(urn:ietf:params:scim:[\w.:]+|add|remove|replace|true|false|user|group|get|post|put|patch|delete)$/i;
const WORD = /[\p{L}\p{M}\p{N}]+/gu;
const DOMAIN_END = /^[a-z]{2,3}$/i;

/** Keeps the first character of each word and everything between them, and the end of an address: `a•••@e•••.com`. */
function mask(text: string): string {
  if (PROTOCOL.test(text) || isId(text)) return text;
  const isAddress = text.includes('@');
  return text.replaceAll(WORD, (word: string, place: number) => {
    const isLast = text[place - 1] === '.' && place + word.length === text.length;
    return isAddress && isLast && DOMAIN_END.test(word) ? word : `${[...word][0]}•••`;
  });
}
