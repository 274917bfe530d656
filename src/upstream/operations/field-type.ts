import { isFileInput } from './file-input.ts';

/** Tests a value for the type; compiled once for each field of a row. */
export type FieldCheck = (value: unknown) => boolean;

/**
 * The check for a type in the notation of `Fields` (see operation.ts).
 * @throws Error when the notation is wrong, which is a mistake in a row.
 */
export function compileFieldType(text: string): FieldCheck {
  const group = /^\(([^()]+)\)\[\]$/.exec(text)?.[1];
  if (group !== undefined) return arrayOf(compileFieldType(group));
  const checks = text.split(' | ').map(compileOne);
  const [only] = checks;
  if (checks.length === 1 && only) return only;
  return (value) => checks.some((check) => check(value));
}

const named = new Map<string, FieldCheck>([
  ['string', (value) => typeof value === 'string'],
  ['integer', (value) => Number.isSafeInteger(value)],
  ['number', (value) => Number.isFinite(value)],
  ['boolean', (value) => typeof value === 'boolean'],
  ['object', (value) => typeof value === 'object' && value !== null && !Array.isArray(value)],
  ['unknown', (value) => value !== undefined],
  ['null', (value) => value === null],
  ['file', isFileInput],
]);

function compileOne(text: string): FieldCheck {
  const item = /^(.+)\[\]$/.exec(text)?.[1];
  if (item !== undefined) return arrayOf(compileOne(item));
  const word = /^'([^']*)'$/.exec(text)?.[1];
  if (word !== undefined) return (value) => value === word;
  if (/^\d+$/.test(text)) return (value) => value === Number(text);
  const check = named.get(text);
  if (!check) throw new Error(`unknown field type "${text}"`);
  return check;
}

function arrayOf(check: FieldCheck): FieldCheck {
  return (value) => Array.isArray(value) && value.every(check);
}
