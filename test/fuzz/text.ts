import type { SeededRandom } from '../model/interleavings/seeded-random.ts';

const RUBBISH = [
  '',
  ' ',
  'null',
  'undefined',
  'NaN',
  '-1',
  '0',
  '1e999',
  '99999999999999999999',
  'true',
  '[]',
  '{}',
  '__proto__',
  'constructor',
  'prototype',
  'toString',
  '\u0000',
  '\ud800',
  '\udfff',
  'é',
  '日本',
  '🙂',
  '\u202e',
  '%',
  '%00',
  '%zz',
  '..',
  '../../etc/passwd',
  '{{7*7}}',
  "' or 1=1 --",
  '"; drop table users; --',
  '<script>',
  '\r\nX-A: b',
  'a'.repeat(600),
  '*',
  '%25',
  'users',
  'schemas',
  'urn:ietf:params:scim:schemas:core:2.0:User',
] as const;
const ATTRIBUTES = [
  'userName',
  'displayName',
  'active',
  'emails',
  'emails.value',
  'emails[type eq "work"].value',
  'name',
  'name.givenName',
  'externalId',
  'id',
  'meta.lastModified',
  'meta',
  'members',
  'members.value',
  'members.display',
  'groups.value',
  'title',
  'roles',
  'schemas',
  'password',
  'shoeSize',
  'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User:department',
  'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User',
  'urn:ietf:params:scim:schemas:extension:workmanagement:2.0:Group:admins',
] as const;
const OPERATORS = [
  'eq',
  'ne',
  'co',
  'sw',
  'ew',
  'gt',
  'ge',
  'lt',
  'le',
  'pr',
  'EQ',
  'xx',
  '',
] as const;
const LITERALS = [
  '"a"',
  '"person1"',
  'true',
  'false',
  'null',
  '1',
  '-1.5e3',
  '"2026-01-01T00:00:00Z"',
  'True',
  '""',
  '"\\u0000"',
  '"\\ud800"',
  'word',
] as const;

/** Something that belongs nowhere. */
export function makeRubbish(random: SeededRandom): string {
  if (random.chance(0.1)) return random.pick(RUBBISH).repeat(1 + Math.floor(random.next() * 50));
  return random.pick(RUBBISH);
}

/** A path of an attribute, mostly one that exists. */
export function makePath(random: SeededRandom): string {
  const path = random.pick(ATTRIBUTES);
  if (random.chance(0.15)) return mutateText(random, path);
  return random.chance(0.2) ? `${path}[${makeFilter(random, 1)}]` : path;
}

/** A filter of the grammar, now and then with a fault in it. @param depth how deep it may nest */
export function makeFilter(random: SeededRandom, depth = 4): string {
  const filter = makeTerm(random, depth);
  if (random.chance(0.02))
    return Array(60)
      .fill(filter)
      .join(random.pick([' or ', ' and ']));
  return random.chance(0.15) ? mutateText(random, filter) : filter;
}

function makeTerm(random: SeededRandom, depth: number): string {
  const kind = depth === 0 ? 0 : Math.floor(random.next() * 8);
  const inner = () => makeTerm(random, depth - 1);
  if (kind === 1) return `${inner()} and ${inner()}`;
  if (kind === 2) return `${inner()} or ${inner()}`;
  if (kind === 3) return `not (${inner()})`;
  if (kind === 4) return `(${inner()})`;
  if (kind === 5) return `${random.pick(ATTRIBUTES)}[${inner()}]`;
  return `${random.pick(ATTRIBUTES)} ${random.pick(OPERATORS)} ${random.pick(LITERALS)}`;
}

/** The text with a piece left out, doubled or put in. */
export function mutateText(random: SeededRandom, text: string): string {
  const at = Math.floor(random.next() * (text.length + 1));
  const end = at + Math.floor(random.next() * 5);
  const kind = Math.floor(random.next() * 3);
  if (kind === 0) return text.slice(0, at) + text.slice(end);
  if (kind === 1) return text.slice(0, end) + text.slice(at);
  return text.slice(0, at) + makeRubbish(random) + text.slice(at);
}
