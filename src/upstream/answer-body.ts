/** Body of an unexpected answer. `text` is cut at 2,000 characters. */
export type AnswerBody =
  | { readonly kind: 'empty' }
  | { readonly kind: 'json'; readonly value: unknown }
  | { readonly kind: 'html'; readonly text: string }
  | { readonly kind: 'text'; readonly text: string };

const TEXT_MAX = 2_000;
const WORDS_MAX = 300;
const NESTING_MAX = 3;

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
 * Undefined when the body has none. Looks at `message`, `detail` (RFC 7644 §3.12), `error`, `errors`. Never throws.
 */
export function findWords(body: AnswerBody): string | undefined {
  const words = body.kind === 'json' ? searchWords(body.value, NESTING_MAX) : undefined;
  const raw = body.kind === 'text' ? body.text : words;
  if (raw === undefined) return undefined;
  const line = raw
    .toWellFormed()
    .replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\s]+/gu, ' ')
    .trim();
  return line === '' ? undefined : cut(line);
}

/** The JSON value, or undefined when the text is none. */
function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function searchWords(value: unknown, depth: number): string | undefined {
  if (typeof value === 'string') return value;
  if (depth === 0 || typeof value !== 'object' || value === null) return undefined;
  if (Array.isArray(value)) return searchWords(value[0], depth - 1);
  const fields = new Map(Object.entries(value));
  for (const name of ['message', 'detail', 'error', 'errors']) {
    const words = searchWords(fields.get(name), depth - 1);
    if (words !== undefined) return words;
  }
  return undefined;
}

function cut(line: string): string {
  return line.length <= WORDS_MAX ? line : `${line.slice(0, WORDS_MAX - 1).toWellFormed()}…`;
}
