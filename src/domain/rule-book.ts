import { type EntityField, toEntityField, toRoleText } from './entity.ts';
import type { GroupField, UserField } from './kinds.ts';
import { createMatcher } from './name.ts';
import { foldCase } from './values.ts';

/** Rule that drives fields of every group whose name matches. */
export interface GroupRule {
  readonly group: string;
  readonly permissions?: number;
  readonly addToCardsAndSpacesEnabled?: boolean;
  readonly entities?: readonly EntityRule[];
}

/** Roles that a rule gives a group in one entity: a space or document of the service. */
export interface EntityRule {
  /** The uid of the entity. */
  readonly uid: string;
  /** The ids of the roles. */
  readonly roles: readonly string[];
}

/** Makes the members of some groups admins of others. `*` of both patterns stands for the same text. */
export interface AdminsRule {
  readonly adminsOf: string;
  readonly from: string;
}

/** Rule that drives fields of all users in a group whose name matches. */
export interface MembersRule {
  readonly membersOf: string;
  readonly appsPermissions?: number;
  readonly temporarilyInactive?: boolean;
}

/** One rule of the configuration (settings: rules). In patterns `*` stands for any text. */
export type Rule = GroupRule | AdminsRule | MembersRule;

/** The fields of a group that rules can drive. */
export const RULED_GROUP_FIELDS = [
  'permissions',
  'addToCardsAndSpacesEnabled',
] as const satisfies readonly GroupField[];

/** The fields of a user that rules can drive. */
export const RULED_USER_FIELDS = [
  'appsPermissions',
  'temporarilyInactive',
] as const satisfies readonly UserField[];

/** A rule as text, as in the configuration. */
export function toRuleText(rule: Rule): string {
  const parts = Object.entries(rule).map(([key, value]) =>
    typeof value === 'string' ? `${key}: '${value}'` : `${key}: ${toText(value)}`,
  );
  return `{ ${parts.join(', ')} }`;
}

function toText(value: number | boolean | readonly EntityRule[]): string {
  if (typeof value !== 'object') return String(value);
  const entities = value.map(({ uid, roles }) => `{ uid: ${uid}, roles: [${roles.join(', ')}] }`);
  return `[${entities.join(', ')}]`;
}

/** Value that a rule gives a field, and the place of the rule in the list, from 1. */
export interface Ruling {
  readonly value: number | boolean | string;
  readonly rule: number;
}

/** Values that the rules give some fields; an absent field is driven by no rule. */
export type Rulings<Field extends string> = { readonly [F in Field]?: Ruling };

/** Groups that a rule means: the one of this folded name, or all that match. */
export type NameQuery =
  | { readonly kind: 'name'; readonly folded: string }
  | { readonly kind: 'pattern'; readonly pattern: string };

/** Compiled rules. */
export type RuleBook = ReturnType<typeof createRuleBook>;

/** Compiles the rules of the settings. No result of a rule is an input of another one, so rules never form a circle. */
export function createRuleBook(rules: readonly Rule[]) {
  const numbered = rules.map((rule, index) => ({ rule, number: index + 1 }));
  const groups = numbered.flatMap(({ rule, number }) =>
    'group' in rule ? compile(rule, number, rule.group) : [],
  );
  const users = numbered.flatMap(({ rule, number }) =>
    'membersOf' in rule ? compile(rule, number, rule.membersOf) : [],
  );
  const admins = numbered.flatMap(({ rule, number }) =>
    'adminsOf' in rule ? compileAdmins(rule, number) : [],
  );
  /** Groups that may have admins because of a group of this name; `ruleAdmins` of each has the last word. */
  const listAdministered = (name: string) => admins.flatMap((rule) => rule.administeredBy(name));
  /** True when the members of a group of this name administer others. */
  const isSource = (name: string) => listAdministered(name).length > 0;
  return {
    rules,
    /** True without rules: then nothing is read and nothing computed. */
    isEmpty: rules.length === 0,
    /** Values for a group of this name: per field the first rule that matches and sets it. */
    ruleGroup: (name: string) => ruleFields(RULED_GROUP_FIELDS, groups, [name]),
    /** Roles in entities for a group of this name, as text: of each entity the first rule that matches and names it. */
    ruleEntities: (name: string) => ruleEntities(groups, name),
    ruleUser: (names: readonly string[]) => ruleFields(RULED_USER_FIELDS, users, names),
    /** Groups whose members administer a group of this name, by the first rule that matches, with its number. */
    ruleAdmins(name: string) {
      const first = admins.find(({ matches }) => matches([name]));
      return first && { rule: first.number, sources: first.sourcesOf(name) };
    },
    listAdministered,
    /** True when any rule has a say about a group of this name, or about others because of it. */
    reads: (name: string) =>
      [...groups, ...users, ...admins].some(({ matches }) => matches([name])) || isSource(name),
    /** True when membership of a group of this name drives fields of a user. */
    drivesMembers: (name: string) => users.some(({ matches }) => matches([name])),
    isSource,
  };
}

interface Compiled<R> {
  readonly rule: R;
  readonly number: number;
  readonly matches: (names: readonly string[]) => boolean;
}

function compile<R extends Rule>(rule: R, number: number, pattern: string): Compiled<R> {
  return { rule, number, matches: createMatcher([pattern]) };
}

/** First match wins, field by field: a rule that does not set a field leaves it to the next. */
function ruleFields<Field extends string>(
  fields: readonly Field[],
  rules: readonly Compiled<{ readonly [F in Field]?: number | boolean }>[],
  names: readonly string[],
): Rulings<Field> {
  const rulings: { [F in Field]?: Ruling } = {};
  for (const { rule, number, matches } of rules) {
    const open = fields.filter((field) => rule[field] !== undefined && !rulings[field]);
    if (open.length === 0 || !matches(names)) continue;
    for (const field of open) {
      const value = rule[field];
      if (value !== undefined) rulings[field] = { value, rule: number };
    }
  }
  return rulings;
}

function ruleEntities(rules: readonly Compiled<GroupRule>[], name: string): Rulings<EntityField> {
  const rulings: { [Entity in EntityField]?: Ruling } = {};
  for (const { rule, number, matches } of rules) {
    if (rule.entities === undefined || !matches([name])) continue;
    for (const { uid, roles } of rule.entities) {
      rulings[toEntityField(uid)] ??= { value: toRoleText(roles), rule: number };
    }
  }
  return rulings;
}

function compileAdmins(rule: AdminsRule, number: number) {
  const { adminsOf, from } = rule;
  const isBound = hasStar(adminsOf) && hasStar(from);
  const isSource = createMatcher([from]);
  return {
    ...compile(rule, number, adminsOf),
    sourcesOf: (target: string) =>
      isBound ? toName(from, findStarText(adminsOf, target)) : toQuery(from),
    administeredBy(source: string): NameQuery[] {
      if (!isSource([source])) return [];
      return [isBound ? toName(adminsOf, findStarText(from, source)) : toQuery(adminsOf)];
    },
  };
}

/** True when the pattern stands for more than one name. */
export function hasStar(pattern: string): boolean {
  return pattern.includes('*');
}

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
