import { z } from 'zod';
import { foldCase } from '../domain/fold.ts';
import type { EntityRule, Rule } from '../domain/rule-book.ts';
import { hasStar } from '../domain/rule-book.ts';
import { matching, parts, structured, toHint } from './kinds.ts';

/** More rules than this are a mistake: each one is evaluated at each change of a group. */
const RULES_MAX = 500;
const NUMBER_MAX = 2_147_483_647;
const ENTITIES_MAX = 200;
const ROLES_MAX = 20;

const pattern = matching(
  'the name of a group, `*` stands for any text',
  (text) => text.trim() === text && text !== '' && text.length <= 1_000,
).exactOptional();
const AMOUNT = `has to be a whole number from 0 to ${NUMBER_MAX}`;
const amount = z.int(AMOUNT).min(0, AMOUNT).max(NUMBER_MAX, AMOUNT).exactOptional();
const flag = z.boolean('has to be true or false').exactOptional();
const id = z.string().regex(/^[\w-]{1,64}$/);
const entityList = z
  .array(z.strictObject({ uid: id, roles: z.array(id).min(1).max(ROLES_MAX) }))
  .min(1)
  .max(ENTITIES_MAX)
  .refine((entities) => new Set(entities.map(({ uid }) => uid)).size === entities.length);
const entities = z.custom<EntityRule[]>(
  (value) => entityList.safeParse(value).success,
  `has to be a list of 1 to ${ENTITIES_MAX} entities, each once and as { uid, roles } with 1 to ${ROLES_MAX} ids of roles`,
);

const entry = parts({
  ...{ group: pattern, adminsOf: pattern, membersOf: pattern, from: pattern },
  permissions: amount,
  addToCardsAndSpacesEnabled: flag,
  entities: entities.exactOptional(),
  appsPermissions: amount,
  temporarilyInactive: flag,
});

type Entry = z.output<typeof entry>;

/** The keys of rules, each with what a rule of this kind sets. */
const KINDS = {
  group: ['permissions', 'addToCardsAndSpacesEnabled', 'entities'],
  adminsOf: ['from'],
  membersOf: ['appsPermissions', 'temporarilyInactive'],
} as const;
type Kind = keyof typeof KINDS;

/** The rules of the configuration. */
export function ruleList() {
  const list = z
    .array(entry)
    .max(RULES_MAX)
    .superRefine((entries, context) => {
      for (const [index, one] of entries.entries()) {
        const message = findSenseless(one) ?? findShadow(one, entries.slice(0, index));
        if (message !== undefined) context.addIssue({ code: 'custom', path: [index], message });
      }
    })
    .transform(parseRules);
  return structured(list, {
    allowed:
      'a list of rules, each with the key group, adminsOf or membersOf; JSON in the variable',
  });
}

/** Parses entries that make sense. */
function parseRules(entries: readonly Entry[]): Rule[] {
  return entries as Rule[];
}

function listKinds(one: Entry): Kind[] {
  return (['group', 'adminsOf', 'membersOf'] as const).filter((key) => one[key] !== undefined);
}

function findSenseless(one: Entry): string | undefined {
  const [kind, ...others] = listKinds(one);
  if (kind === undefined || others.length > 0) {
    return 'has to have exactly one of the keys group, adminsOf and membersOf';
  }
  const keys: readonly string[] = [kind, ...KINDS[kind]];
  const stranger = Object.keys(one).find((key) => !keys.includes(key));
  if (stranger !== undefined) {
    return `has the key ${stranger}, which a rule with ${kind} does not have${toHint(stranger, keys)}`;
  }
  if (Object.keys(one).length === 1) {
    return `sets nothing; a rule with ${kind} needs ${KINDS[kind].join(' or ')}`;
  }
  return kind === 'adminsOf' ? findSenselessAdmins(one) : undefined;
}

function findSenselessAdmins({ adminsOf = '', from = '' }: Entry): string | undefined {
  if (foldCase(adminsOf) === foldCase(from)) {
    return 'makes every member of a group an admin of the same group: adminsOf and from are equal';
  }
  const isAmbiguous = [adminsOf, from].some((text) => text.split('*').length > 2);
  return hasStar(adminsOf) && hasStar(from) && isAmbiguous
    ? 'has more than one * where * stands for the same text in adminsOf and from'
    : undefined;
}

/** Finds that earlier rules match all of these groups and set all of these fields, so that this one has no effect. */
function findShadow(one: Entry, earlier: readonly Entry[]): string | undefined {
  const [kind = 'group'] = listKinds(one);
  const own = foldCase(one[kind] ?? '');
  const left = new Set(listSet(one, kind));
  for (const other of earlier) {
    const theirs = other[kind];
    if (theirs === undefined || !['*', own].includes(foldCase(theirs))) continue;
    for (const name of listSet(other, kind)) left.delete(name);
  }
  return left.size === 0
    ? 'never applies: earlier entries match the same groups and come first'
    : undefined;
}

/** Lists what a rule sets: its fields, and of entities each one. */
function listSet(one: Entry, kind: Kind): string[] {
  const names = KINDS[kind].filter((name) => one[name] !== undefined && name !== 'entities');
  return [...names, ...(one.entities ?? []).map(({ uid }) => `entity ${uid}`)];
}
