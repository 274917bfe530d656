import type { JsonObject, JsonValue } from './values.ts';
import { foldCase, isJsonObject, limitMarks } from './values.ts';

/** The parts of a name that the service takes. It keeps them as one full name. */
export interface PersonName {
  readonly givenName: string;
  readonly familyName: string;
}

/** One string for comparing and showing: parts joined, NFC, white space folded, trimmed. */
export const fullName = (name: PersonName) => normaliseName(`${name.givenName} ${name.familyName}`);

/** A name as it is compared: NFC, few combining marks in a row, runs of white space as one space, trimmed. Linear. */
export function normaliseName(text: string): string {
  if (PLAIN.test(text)) return text;
  return limitMarks(limitMarks(text).normalize('NFC')).replace(/\s+/g, ' ').trim();
}

/** Most names: words of ASCII with one space between them. Nothing of them would change. */
const PLAIN = /^[!-~]+(?: [!-~]+)*$/;

/** True for two spellings of one name, apart in case, white space or escapes of HTML alone. */
export const isSameSpelt = (a: string, b: string) => toSpelling(a) === toSpelling(b);

/** True for two ways to write the name of one person: in other letters, or with the family name first. */
export const isSamePersonName = (a: string, b: string) => toWords(a) === toWords(b);

const toWords = (name: string) => toSpelling(name).split(' ').toSorted().join(' ');

/** True if the service still shows the name of before a change, and not just another spelling of the new one. */
export function isNameKept(
  before: string | undefined,
  { sent, back }: Readonly<Record<'sent' | 'back', string>>,
  isSame: (a: string, b: string) => boolean,
): boolean {
  const isAsBefore = before !== undefined && normaliseName(back) === normaliseName(before);
  return isAsBefore && !isSame(back, sent);
}

/** The form by which a name is recognised, however the service writes it: folded, and without escapes of HTML. Linear. */
export const toSpelling = (text: string) =>
  foldCase(normaliseName(text.replace(ESCAPE, toCharacter)));

const ESCAPE = /&(?:#(\d{1,7})|#x([\da-f]{1,6})|(amp|lt|gt|quot|apos|nbsp));/gi;

function toCharacter(escaped: string, decimal?: string, hex?: string, word = ''): string {
  const number = decimal ?? (hex && `0x${hex}`);
  if (number === undefined) return ESCAPED[word.toLowerCase()] ?? escaped;
  const code = Number(number);
  return code > 0 && code <= 0x10_ffff ? String.fromCodePoint(code) : escaped;
}

const ESCAPED: Readonly<Record<string, string>> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
  nbsp: ' ',
};

/** Splits a full name at its first space, to show an account without name parts. */
export function splitName(full: string): PersonName {
  const text = normaliseName(full);
  const space = text.indexOf(' ');
  return space < 0
    ? { givenName: text, familyName: '' }
    : { givenName: text.slice(0, space), familyName: text.slice(space + 1) };
}

/** Finds the name that a provider gave; undefined: none. Only a formatted name is split; displayName is no name. */
export function findDesiredName(attributes: JsonObject): PersonName | undefined {
  const name = attributes.name;
  if (!isJsonObject(name)) return undefined;
  const givenName = text(name.givenName);
  const familyName = text(name.familyName);
  if (givenName !== '' || familyName !== '') return { givenName, familyName };
  const formatted = text(name.formatted);
  return formatted === '' ? undefined : splitName(formatted);
}

const text = (value: JsonValue | undefined) => (typeof value === 'string' ? value.trim() : '');

/** True when any of the texts matches any pattern; `*` stands for any text, case does not matter. */
export type Matcher = (texts: readonly (string | null | undefined)[]) => boolean;

/** The matcher of no patterns at all. */
export const MATCHES_NOTHING: Matcher = () => false;

/** Compiles the patterns of a setting once. */
export function createMatcher(patterns: readonly string[]): Matcher {
  if (patterns.length === 0) return MATCHES_NOTHING;
  const matches = patterns.map(toTest);
  const isMatch = (folded: string) => matches.some((match) => match(folded));
  return (texts) => texts.some((text) => text && isMatch(foldCase(text)));
}

/** Compiles a pattern with `*`, in linear time: a regular expression would try every combination. */
function toTest(pattern: string): (folded: string) => boolean {
  const [head = '', ...parts] = foldCase(pattern).split(/\*+/);
  const tail = parts.pop();
  if (tail === undefined) return (text) => text === head;
  return (text) => {
    if (!text.startsWith(head)) return false;
    let end = head.length;
    for (const part of parts) {
      const start = text.indexOf(part, end);
      if (start < 0) return false;
      end = start + part.length;
    }
    return text.length - tail.length >= end && text.endsWith(tail);
  };
}
