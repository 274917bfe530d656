/** Body of an unexpected answer. `text` is cut at 2,000 characters. */
export type AnswerBody =
  | { readonly kind: 'empty' }
  | { readonly kind: 'json'; readonly value: unknown }
  | { readonly kind: 'html'; readonly text: string }
  | { readonly kind: 'text'; readonly text: string };

const TEXT_MAX = 2_000;
const WORDS_MAX = 300;
/** Deep enough for a list of messages below a field below `errors`. */
const NESTING_MAX = 4;
const ERRORS_MAX = 5;
const LEVELS_MAX = 500;

/** Reads the body in its real form, whatever the content type claims. Never throws. */
export function readAnswerBody(text: string): AnswerBody {
  const trimmed = text.trim();
  if (trimmed === '') return { kind: 'empty' };
  try {
    const value = parseJsonText(trimmed);
    if (isShallow(value)) return { kind: 'json', value };
  } catch {}
  return { kind: trimmed.startsWith('<') ? 'html' : 'text', text: trimmed.slice(0, TEXT_MAX) };
}

/** True unless a value has so many levels that they could overflow the stack of what reads them. A page has 100,000 parts. */
function isShallow(value: unknown): boolean {
  let level: unknown[] = [value];
  for (let left = LEVELS_MAX; level.length > 0 && left > 0; left -= 1) {
    const inside: unknown[] = [];
    for (const one of level)
      for (const part of Object.values(Object(one)))
        if (typeof part === 'object') inside.push(part);
    level = inside;
  }
  return level.length === 0;
}

/**
 * The service's own explanation, made safe to pass on: one line of at most 300 characters without control characters.
 * Undefined when the body has none. Looks at `message`, `detail` (RFC 7644 §3.12, RFC 9457), `error`, `errors` as a
 * list or by field, `title`, and at the title of a page. Never throws.
 */
export function findWords(body: AnswerBody): string | undefined {
  if (body.kind === 'empty') return undefined;
  const { kind } = body;
  const raw = kind === 'json' ? searchWords(body.value, NESTING_MAX) : body.text;
  const said = kind === 'html' ? findTitle(body.text) : raw;
  const line = said
    ?.toWellFormed()
    .replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\s]+/gu, ' ')
    .trim();
  if (!line) return undefined;
  return line.length <= WORDS_MAX ? line : `${line.slice(0, WORDS_MAX - 1).toWellFormed()}…`;
}

/** A page says in its title, or in its first heading, what went wrong. */
function findTitle(html: string): string | undefined {
  const found = /<title[^>]*>([^<]*)</i.exec(html) ?? /<h1[^>]*>([^<]*)</i.exec(html);
  return found?.[1]?.replace(/&(\w+);/g, (all, name) => ENTITIES.get(name) ?? all);
}

const ENTITIES = new Map(Object.entries({ amp: '&', lt: '<', gt: '>', quot: '"', nbsp: ' ' }));

/** Members that hold words, the most telling first. */
const NAMES = ['message', 'detail', 'error', 'errors', 'title'];

function searchWords(value: unknown, depth: number, names = NAMES): string | undefined {
  if (typeof value === 'string') return value;
  if (depth === 0 || typeof value !== 'object' || value === null) return undefined;
  if (Array.isArray(value)) return join(value.map((one) => searchWords(one, depth - 1)));
  const members = new Map(Object.entries(value));
  for (const name of names) {
    const found = members.get(name);
    const words = name === 'errors' ? searchErrors(found, depth) : searchWords(found, depth - 1);
    if (words !== undefined) return words;
  }
  return undefined;
}

/** Errors by the field that each is about, such as `title`, or in one of the forms above. */
function searchErrors(errors: unknown, depth: number): string | undefined {
  const said = searchWords(errors, depth - 1, ['message', 'detail', 'error']);
  if (said !== undefined || typeof errors !== 'object' || errors === null) return said;
  const fields = Object.entries(errors).slice(0, ERRORS_MAX);
  return join(
    fields.map(([field, value]) => {
      const words = searchWords(value, depth - 2);
      return words === undefined ? undefined : `${field}: ${words}`;
    }),
  );
}

function join(texts: readonly (string | undefined)[]): string | undefined {
  const said = texts.slice(0, ERRORS_MAX).filter((text) => text !== undefined);
  return said.length === 0 ? undefined : said.join('; ');
}

/** Status and headers of an answer. */
export interface AnswerHead {
  readonly status: number;
  /** Names in lower case; a list where a header came several times and cannot be joined. */
  readonly headers: AnswerHeaders;
  /** The service's request id, for its support. */
  readonly requestId: string | undefined;
}

/** Headers of an answer. */
export type AnswerHeaders = Readonly<Record<string, string | string[] | undefined>>;

/** The head of an answer, with the request id found in it. */
export function toHead(status: number, headers: AnswerHeaders): AnswerHead {
  const id = headers['x-request-id'] ?? headers['request-id'] ?? headers['x-correlation-id'];
  const requestId = (Array.isArray(id) ? id[0] : id)?.slice(0, 200);
  return { status, headers, requestId };
}

/**
 * Parses JSON. A whole number that is too large to be exact (above 2^53 − 1) becomes its digits as text, so that no id
 * is altered on its way. @throws SyntaxError
 */
export function parseJsonText(text: string): unknown {
  return LONG_NUMBER.test(text) ? JSON.parse(text, keepDigits) : JSON.parse(text);
}

/** Sixteen digits are needed for such a number; a reviver costs several times as much as the parsing. */
const LONG_NUMBER = /\d{16}/;

function keepDigits(_key: string, value: unknown, context?: { source?: string }): unknown {
  const digits = context?.source ?? '';
  const isAltered = typeof value === 'number' && !Number.isSafeInteger(value);
  return isAltered && /^-?\d+$/.test(digits) ? digits : value;
}
