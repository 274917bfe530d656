import { isFileInput } from './file-input.ts';
import type { Fields } from './operation.ts';

/** An object whose names we look up by hand. */
export type Named = Readonly<Record<string, unknown>>;

/** True for an object with names that is no list. */
export function isNamed(value: unknown): value is Named {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/**
 * The check of one part of a call against its fields.
 * @param label names operation and part in errors. @throws TypeError naming the first name that is wrong, never a value.
 */
export function compilePart(label: string, fields: Fields): (values: Named | undefined) => void {
  const checks = new Map<string, { check: FieldCheck; type: string }>();
  const required: string[] = [];
  for (const [written, type] of Object.entries(fields)) {
    const name = toName(written);
    if (name !== written) required.push(name);
    checks.set(name, { check: compileFieldType(type), type });
  }
  return (values = {}) => {
    for (const name of required) {
      if (values[name] === undefined) throw new TypeError(`${label}.${name} is missing`);
    }
    for (const name of Object.keys(values)) {
      const field = checks.get(name);
      if (!field) throw new TypeError(`${label}.${name} is unknown`);
      const value = values[name];
      if (value !== undefined && !field.check(value)) {
        throw new TypeError(`${label}.${name} must be ${field.type}`);
      }
    }
  };
}

/** The types of fields by their names without stars. */
export function toTypes(fields: Fields): ReadonlyMap<string, string> {
  return new Map(Object.entries(fields).map(([written, type]) => [toName(written), type]));
}

/** True for the type of a file. */
export function isFileType(type: string | undefined): type is 'file' | 'file[]' {
  return type === 'file' || type === 'file[]';
}

/** The name of a field without the star that marks it as required. */
export function toName(written: string): string {
  return written.replace(/\*$/, '');
}

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

/** True for a type that is neither a union nor a word. */
export function isFieldType(text: string): boolean {
  return named.has(text.replace(/(\[\])+$/, '')) || /^(?:\d+|'.*')$/.test(text);
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
