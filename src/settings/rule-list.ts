import { z } from 'zod';
import { foldCase } from '../domain/fold.ts';
import { hasStar } from '../domain/rule-book.ts';
import type { EntityRule, Rule } from '../domain/rules.ts';
import { jsonList, kindFacts } from './kinds.ts';
import { findNearest } from './nearest.ts';
import { isTree, type Tree } from './tree.ts';

/** More rules than this are a mistake: each one is evaluated at each change of a group. */
const RULES_MAX = 500;
const PATTERN_LENGTH_MAX = 1_000;
const NUMBER_MAX = 2_147_483_647;

/** The rules of the configuration: a YAML list, or JSON text in the environment. */
export function ruleList() {
  return jsonList(RULES_MAX)
    .transform((entries, context) => {
      const problems = entries.flatMap((entry, index) =>
        findProblems(entry, entries.slice(0, index)).map((what) => ({ what, entry: index + 1 })),
      );
      for (const { what, entry } of problems) {
        context.addIssue({ code: 'custom', message: what, params: { entry } });
      }
      return problems.length > 0 ? z.NEVER : entries.map(parseRule);
    })
    .register(kindFacts, {
      allowed:
        'a list of rules, each with the key group, adminsOf or membersOf; JSON in the variable',
    });
}

type Test = { readonly allowed: string; readonly holds: (value: unknown) => boolean };

const pattern: Test = {
  allowed: 'the name of a group, `*` stands for any text',
  holds: (value) =>
    typeof value === 'string' &&
    value.trim() === value &&
    value !== '' &&
    value.length <= PATTERN_LENGTH_MAX,
};
const amount: Test = {
  allowed: `a whole number from 0 to ${NUMBER_MAX}`,
  holds: (value) => Number.isInteger(value) && Number(value) >= 0 && Number(value) <= NUMBER_MAX,
};
const ENTITIES_MAX = 200;
const ROLES_MAX = 20;
const isId = (value: unknown) => typeof value === 'string' && /^[\w-]{1,64}$/.test(value);
const entities: Test = {
  allowed: `a list of 1 to ${ENTITIES_MAX} entities, each once and as { uid, roles } with 1 to ${ROLES_MAX} ids of roles`,
  holds: (value) =>
    Array.isArray(value) &&
    value.length > 0 &&
    value.length <= ENTITIES_MAX &&
    value.every(isEntity) &&
    new Set(value.map(({ uid }) => uid)).size === value.length,
};
const flag: Test = { allowed: 'true or false', holds: (value) => typeof value === 'boolean' };

function isEntity(value: unknown): value is EntityRule {
  if (!isTree(value) || Object.keys(value).length !== 2) return false;
  const { uid, roles } = value;
  const isList = Array.isArray(roles) && roles.length > 0 && roles.length <= ROLES_MAX;
  return isId(uid) && isList && roles.every(isId);
}

interface Kind {
  readonly key: string;
  /** Further keys of this kind of rule. */
  readonly keys: Readonly<Record<string, Test>>;
}

const kinds: readonly Kind[] = [
  { key: 'group', keys: { permissions: amount, addToCardsAndSpacesEnabled: flag, entities } },
  { key: 'adminsOf', keys: { from: pattern } },
  { key: 'membersOf', keys: { appsPermissions: amount, temporarilyInactive: flag } },
];

/** Problems of one entry, each the rest of a sentence about it. */
function findProblems(entry: unknown, earlier: readonly unknown[]): string[] {
  if (!isTree(entry)) return ['is no rule: it has to hold keys and values'];
  const [kind, ...others] = kinds.filter(({ key }) => Object.hasOwn(entry, key));
  if (kind === undefined || others.length > 0) {
    return ['has to have exactly one of the keys group, adminsOf and membersOf'];
  }
  const problems = findBadValues(entry, kind);
  if (problems.length > 0) return problems;
  const senseless = findSenseless(entry, kind) ?? findShadow(entry, kind, earlier);
  return senseless === undefined ? [] : [senseless];
}

function findBadValues(entry: Tree, kind: Kind): string[] {
  const tests = new Map(Object.entries({ [kind.key]: pattern, ...kind.keys }));
  return Object.entries(entry).flatMap(([key, value]) => {
    const test = tests.get(key);
    if (test === undefined) {
      const nearest = findNearest(key, [...tests.keys()]);
      const hint = nearest === undefined ? '' : `; did you mean ${nearest}?`;
      return [`has the key ${key}, which a rule with ${kind.key} does not have${hint}`];
    }
    if (test.holds(value)) return [];
    const shown = JSON.stringify(value)?.slice(0, 100);
    return [`has ${shown} as ${key}; allowed: ${test.allowed}`];
  });
}

function findSenseless(entry: Tree, { key, keys }: Kind): string | undefined {
  const names = Object.keys(keys);
  if (!names.some((name) => Object.hasOwn(entry, name))) {
    return `sets nothing; a rule with ${key} needs ${names.join(' or ')}`;
  }
  if (key !== 'adminsOf') return undefined;
  const [adminsOf, from] = [String(entry.adminsOf), String(entry.from)];
  if (foldCase(adminsOf) === foldCase(from)) {
    return 'makes every member of a group an admin of the same group: adminsOf and from are equal';
  }
  if (
    hasStar(adminsOf) &&
    hasStar(from) &&
    [adminsOf, from].some((text) => text.split('*').length > 2)
  ) {
    return 'has more than one * where * stands for the same text in adminsOf and from';
  }
  return undefined;
}

/**
 * The earlier rule that matches all of these groups and sets all of these fields, so that this rule would have no
 * effect.
 */
function findShadow(
  entry: Tree,
  { key, keys }: Kind,
  earlier: readonly unknown[],
): string | undefined {
  const own = foldCase(String(entry[key]));
  const left = new Set(key === 'adminsOf' ? [key] : listSet(entry, keys));
  for (const other of earlier) {
    if (!isTree(other) || typeof other[key] !== 'string') continue;
    const theirs = foldCase(other[key]);
    if (theirs !== own && theirs !== '*') continue;
    for (const name of key === 'adminsOf' ? [key] : listSet(other, keys)) left.delete(name);
  }
  return left.size === 0
    ? 'never applies: earlier entries match the same groups and come first'
    : undefined;
}

/** Lists what an entry sets: its fields, and of entities each one. */
function listSet(entry: Tree, keys: Kind['keys']): string[] {
  return Object.keys(keys).flatMap((name) => {
    const value = entry[name];
    if (value === undefined) return [];
    if (!Array.isArray(value)) return [name];
    return value.filter(isEntity).map(({ uid }) => `${name} ${uid}`);
  });
}

/** Parses an entry without problems. */
function parseRule(entry: unknown): Rule {
  return entry as Rule;
}
