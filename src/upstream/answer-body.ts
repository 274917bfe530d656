import { parseJsonText } from './json-text.ts';

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

/** Reads the body in its real form, whatever the content type claims. Never throws. */
export function readAnswerBody(text: string): AnswerBody {
  const trimmed = text.trim();
  if (trimmed === '') return { kind: 'empty' };
  const value = parseJson(trimmed);
  if (value !== undefined) return { kind: 'json', value };
  const cutText = trimmed.slice(0, TEXT_MAX);
  return { kind: trimmed.startsWith('<') ? 'html' : 'text', text: cutText };
}

/**
 * The service's own explanation, made safe to pass on: one line of at most 300 characters without control characters.
 * Undefined when the body has none. Looks at `message`, `detail` (RFC 7644 §3.12, RFC 9457), `error`, `errors` as a
 * list or by field, `title`, and at the title of a page. Never throws.
 */
export function findWords(body: AnswerBody): string | undefined {
  const raw = findRaw(body);
  if (raw === undefined) return undefined;
  const line = raw
    .toWellFormed()
    .replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\s]+/gu, ' ')
    .trim();
  return line === '' ? undefined : cut(line);
}

function findRaw(body: AnswerBody): string | undefined {
  switch (body.kind) {
    case 'json':
      return searchWords(body.value, NESTING_MAX);
    case 'text':
      return body.text;
    case 'html':
      return findTitle(body.text);
    default:
      return undefined;
  }
}

/** A page says in its title, or in its first heading, what went wrong. */
function findTitle(html: string): string | undefined {
  const [, title = ''] =
    /<title[^>]*>([^<]*)</i.exec(html) ?? /<h1[^>]*>([^<]*)</i.exec(html) ?? [];
  const text = title.trim();
  return text === '' ? undefined : text.replace(/&(\w+);/g, (all, name) => ENTITIES[name] ?? all);
}

const ENTITIES: Readonly<Record<string, string>> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  nbsp: ' ',
};

/** The JSON value, or undefined when the text is none. */
function parseJson(text: string): unknown {
  try {
    return parseJsonText(text);
  } catch {
    return undefined;
  }
}

function searchWords(value: unknown, depth: number): string | undefined {
  if (typeof value === 'string') return value;
  if (depth === 0 || typeof value !== 'object' || value === null) return undefined;
  if (Array.isArray(value)) return joinWords(value, depth);
  const fields = new Map(Object.entries(value));
  for (const name of ['message', 'detail', 'error', 'errors', 'title']) {
    const found = fields.get(name);
    const words =
      name === 'errors' ? searchErrors(found, depth - 1) : searchWords(found, depth - 1);
    if (words !== undefined) return words;
  }
  return undefined;
}

/** Errors by the field that each is about, or in a form that any of the above may have. */
function searchErrors(errors: unknown, depth: number): string | undefined {
  const isByField =
    typeof errors === 'object' &&
    errors !== null &&
    !Array.isArray(errors) &&
    !['message', 'detail', 'error'].some((name) => name in errors);
  if (!isByField) return searchWords(errors, depth);
  const named = Object.entries(errors)
    .slice(0, ERRORS_MAX)
    .flatMap(([field, value]) => {
      const said = searchWords(value, depth);
      return said === undefined ? [] : [`${field}: ${said}`];
    });
  return named.length === 0 ? undefined : named.join('; ');
}

function joinWords(values: readonly unknown[], depth: number): string | undefined {
  const said = values.slice(0, ERRORS_MAX).flatMap((value) => searchWords(value, depth - 1) ?? []);
  return said.length === 0 ? undefined : said.join('; ');
}

function cut(line: string): string {
  return line.length <= WORDS_MAX ? line : `${line.slice(0, WORDS_MAX - 1).toWellFormed()}…`;
}
