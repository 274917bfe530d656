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
