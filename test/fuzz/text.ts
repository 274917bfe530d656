import type { SeededRandom } from '../model/interleavings/seeded-random.ts';

const toWords = (text: string) => text.trim().split(/\s+/);
const RUBBISH = [
  ...toWords(`null undefined NaN -1 0 1e999 99999999999999999999 true [] {} __proto__ constructor
    prototype toString é 日本 🙂 % %00 %zz %25 .. ../../etc/passwd {{7*7}} <script> * users schemas
    urn:ietf:params:scim:schemas:core:2.0:User`),
  ...['', ' ', '\u0000', '\ud800', '\udfff', '\u202e', '\r\nX-A: b', 'a'.repeat(600)],
  ...["' or 1=1 --", '"; drop table users; --'],
];
const ATTRIBUTES = [
  'emails[type eq "work"].value',
  ...toWords(`userName displayName active emails emails.value name name.givenName externalId id
    meta.lastModified meta members members.value members.display groups.value title roles schemas
    password shoeSize
    urn:ietf:params:scim:schemas:extension:enterprise:2.0:User:department
    urn:ietf:params:scim:schemas:extension:enterprise:2.0:User
    urn:ietf:params:scim:schemas:extension:workmanagement:2.0:Group:admins`),
];
const OPERATORS = [...toWords('eq ne co sw ew gt ge lt le pr EQ xx'), ''];
const LITERALS = toWords(
  '"a" "person1" true false null 1 -1.5e3 "2026-01-01T00:00:00Z" True "" "\\u0000" "\\ud800" word',
);

/** Texts that strangers send. */
export interface StrangeText {
  /** Something that belongs nowhere. */
  rubbish(): string;
  /** A path of an attribute, mostly one that exists. */
  path(): string;
  /** A filter of the grammar, now and then with a fault in it. @param depth how deep it may nest */
  filter(depth?: number): string;
  /** The text with a piece left out, doubled or put in. */
  mutate(text: string): string;
}

/** Makes them by chance. */
export function createText({ next, pick, chance }: SeededRandom): StrangeText {
  function rubbish(): string {
    return pick(RUBBISH).repeat(chance(0.1) ? 1 + Math.floor(next() * 50) : 1);
  }

  function path(): string {
    const name = pick(ATTRIBUTES);
    if (chance(0.15)) return mutate(name);
    return chance(0.2) ? `${name}[${filter(1)}]` : name;
  }

  function filter(depth = 4): string {
    const one = term(depth);
    if (chance(0.02))
      return Array<string>(60)
        .fill(one)
        .join(pick([' or ', ' and ']));
    return chance(0.15) ? mutate(one) : one;
  }

  function term(depth: number): string {
    const inner = () => term(depth - 1);
    const compare = () => `${pick(ATTRIBUTES)} ${pick(OPERATORS)} ${pick(LITERALS)}`;
    if (depth === 0) return compare();
    return pick([
      () => `${inner()} and ${inner()}`,
      () => `${inner()} or ${inner()}`,
      () => `not (${inner()})`,
      () => `(${inner()})`,
      () => `${pick(ATTRIBUTES)}[${inner()}]`,
      ...[compare, compare, compare],
    ])();
  }

  function mutate(text: string): string {
    const at = Math.floor(next() * (text.length + 1));
    const end = at + Math.floor(next() * 5);
    return pick([
      () => text.slice(0, at) + text.slice(end),
      () => text.slice(0, end) + text.slice(at),
      () => text.slice(0, at) + rubbish() + text.slice(at),
    ])();
  }

  return { rubbish, path, filter, mutate };
}
