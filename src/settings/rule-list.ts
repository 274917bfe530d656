import { z } from 'zod';
import { foldCase } from '../domain/fold.ts';
import type { Rule } from '../domain/rule-book.ts';
import { hasStar } from '../domain/rule-book.ts';
import { matching, structured } from './kinds.ts';

/** More rules than this are a mistake: each one is evaluated at each change of a group. */
const RULES_MAX = 500;
const NUMBER_MAX = 2_147_483_647;
const ENTITIES_MAX = 200;
const ROLES_MAX = 20;

const pattern = matching(
  'the name of a group, `*` stands for any text',
  (text) => text.trim() === text && text !== '' && text.length <= 1_000,
).exactOptional();
const amount = z.int().min(0).max(NUMBER_MAX).exactOptional();
const flag = z.boolean().exactOptional();
const id = matching('an id', (text) => /^[\w-]{1,64}$/.test(text));
const entities = z
  .array(z.strictObject({ uid: id, roles: z.array(id).min(1).max(ROLES_MAX) }))
  .min(1)
  .max(ENTITIES_MAX)
  .refine(
    (some) => new Set(some.map(({ uid }) => uid)).size === some.length,
    'names an entity twice',
  );

const entry = z.strictObject({
  group: pattern,
  adminsOf: pattern,
  membersOf: pattern,
  from: pattern,
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
        const message = findSenseless(one);
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
    return `has the key ${stranger}, which a rule with ${kind} does not have`;
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
