import { toEntityField, toRoleText } from './entity.ts';
import type { Field } from './kinds.ts';
import { createMatcher } from './name.ts';
import { foldCase } from './values.ts';

/**
 * One rule of the configuration (settings: rules). In patterns `*` stands for any text. It drives fields of every group that
 * matches, makes the members of some groups admins of others (`*` of both patterns stands for the same text), or drives
 * fields of all users in a group that matches.
 */
export type Rule =
  | {
      readonly group: string;
      readonly permissions?: number;
      readonly addToCardsAndSpacesEnabled?: boolean;
      /** Roles, by their ids, in spaces or documents of the service, by their uids. */
      readonly entities?: readonly { readonly uid: string; readonly roles: readonly string[] }[];
    }
  | { readonly adminsOf: string; readonly from: string }
  | {
      readonly membersOf: string;
      readonly appsPermissions?: number;
      readonly temporarilyInactive?: boolean;
    };

/** The fields that rules can drive, beside the roles of groups in entities. */
export const RULED_FIELDS = {
  user: ['appsPermissions', 'temporarilyInactive'],
  group: ['permissions', 'addToCardsAndSpacesEnabled'],
} as const;

/** Value that a rule gives a field, and the place of the rule in the list, from 1. */
interface Ruling {
  readonly value: number | boolean | string;
  readonly rule: number;
}

/** Values that the rules give some fields; an absent field is driven by no rule. */
export type Rulings = { readonly [F in Field]?: Ruling };

/** Groups that a rule means: the one of this folded name, or all that match. */
export type NameQuery =
  | { readonly kind: 'name'; readonly folded: string }
  | { readonly kind: 'pattern'; readonly pattern: string };

/** Compiled rules. */
export type RuleBook = ReturnType<typeof createRuleBook>;

/** Compiles the rules of the settings. No result of a rule is an input of another one, so rules never form a circle. */
export function createRuleBook(rules: readonly Rule[]) {
  const compiled = rules.map((rule, index) => ({ number: index + 1, ...compile(rule) }));
  const groups = compiled.filter((one) => one.kind === 'group');
  const users = compiled.filter((one) => one.kind === 'membersOf');
  const admins = compiled.filter((one) => one.kind === 'adminsOf');
  /** Groups that may have admins because of a group of this name; `ruleAdmins` of each has the last word. */
  const listAdministered = (name: string) =>
    admins.flatMap(({ administeredBy }) => administeredBy(name));
  /** True when the members of a group of this name administer others. */
  const isSource = (name: string) => listAdministered(name).length > 0;
  return {
    rules,
    /** True without rules: then nothing is read and nothing computed. */
    isEmpty: rules.length === 0,
    /** Values for a group of this name, roles in entities as text: of each field the first rule that matches and sets it. */
    ruleGroup: (name: string): Rulings => rule(groups, [name]),
    ruleUser: (names: readonly string[]): Rulings => rule(users, names),
    /** Groups whose members administer a group of this name, by the first rule that matches, with its number. */
    ruleAdmins(name: string) {
      const first = admins.find(({ matches }) => matches([name]));
      return first && { rule: first.number, sources: first.sourcesOf(name) };
    },
    listAdministered,
    /** True when membership of a group of this name drives fields of a user. */
    drivesMembers: (name: string) => users.some(({ matches }) => matches([name])),
    isSource,
  };
}

function compile(rule: Rule) {
  if ('group' in rule) {
    const { group, entities = [], ...fields } = rule;
    const roles = entities.map((one) => [toEntityField(one.uid), toRoleText(one.roles)] as const);
    const values = [...Object.entries(fields), ...roles];
    return { kind: 'group', values, matches: createMatcher([group]) } as const;
  }
  if ('membersOf' in rule) {
    const { membersOf, ...fields } = rule;
    const values = Object.entries(fields);
    return { kind: 'membersOf', values, matches: createMatcher([membersOf]) } as const;
  }
  const { adminsOf, from } = rule;
  const isBound = hasStar(adminsOf) && hasStar(from);
  const isSource = createMatcher([from]);
  return {
    kind: 'adminsOf',
    values: [],
    matches: createMatcher([adminsOf]),
    sourcesOf: (target: string) =>
      isBound ? toName(from, findStarText(adminsOf, target)) : toQuery(from),
    administeredBy(source: string): NameQuery[] {
      if (!isSource([source])) return [];
      return [isBound ? toName(adminsOf, findStarText(from, source)) : toQuery(adminsOf)];
    },
  } as const;
}

/** First match wins, field by field: a rule that does not set a field leaves it to the next. */
function rule(
  rules: readonly (ReturnType<typeof compile> & { readonly number: number })[],
  names: readonly string[],
) {
  const rulings: { [field: string]: Ruling } = {};
  for (const { number, values, matches } of rules) {
    const isSet = values.every(([field]) => rulings[field] !== undefined);
    if (isSet || !matches(names)) continue;
    for (const [field, value] of values) rulings[field] ??= { value, rule: number };
  }
  return rulings;
}

/** True when the pattern stands for more than one name. */
export const hasStar = (pattern: string) => pattern.includes('*');

function toQuery(pattern: string): NameQuery {
  return hasStar(pattern)
    ? { kind: 'pattern', pattern }
    : { kind: 'name', folded: foldCase(pattern) };
}

/** The text that the only `*` of a pattern stands for in a name that matches. */
function findStarText(pattern: string, name: string): string {
  const [head = '', tail = ''] = foldCase(pattern).split('*');
  const folded = foldCase(name);
  return folded.slice(head.length, folded.length - tail.length);
}

function toName(pattern: string, starText: string): NameQuery {
  // A function, because `$` in a name must not be read as a reference.
  return { kind: 'name', folded: foldCase(pattern).replace('*', () => starText) };
}
