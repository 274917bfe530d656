import { z } from 'zod';
import type { Rule } from '../domain/rule-book.ts';
import { hasStar } from '../domain/rule-book.ts';
import { foldCase } from '../domain/values.ts';
import { matching, structured } from './kinds.ts';

/** More rules than this are a mistake: each one is evaluated at each change of a group. */
const RULES_MAX = 500;
const NUMBER_MAX = 2_147_483_647;
const ENTITIES_MAX = 200;
const ROLES_MAX = 20;

const pattern = matching(
  'the name of a group, `*` stands for any text',
  (text) => text.trim() === text && text !== '' && text.length <= 1_000,
);
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

/** Each kind of rule, by the key that tells it from the others. */
const RULES = {
  group: z.strictObject({
    group: pattern,
    permissions: amount,
    addToCardsAndSpacesEnabled: flag,
    entities: entities.exactOptional(),
  }),
  adminsOf: z.strictObject({ adminsOf: pattern, from: pattern }).superRefine((rule, context) => {
    const message = findSenseless(rule);
    if (message !== undefined) context.addIssue(message);
  }),
  membersOf: z.strictObject({
    membersOf: pattern,
    appsPermissions: amount,
    temporarilyInactive: flag,
  }),
};
const KINDS = ['group', 'adminsOf', 'membersOf'] as const;

const rule = z.looseObject({}).transform((entry, context): Rule => {
  const [kind, ...others] = KINDS.filter((key) => key in entry);
  if (kind === undefined || others.length > 0) {
    context.addIssue('has to have exactly one of the keys group, adminsOf and membersOf');
    return z.NEVER;
  }
  if (Object.keys(entry).length === 1) context.addIssue('sets nothing');
  const { success, data, error } = RULES[kind].safeParse(entry);
  for (const { path, message } of error?.issues ?? [])
    context.addIssue({ code: 'custom', path: [...path], message });
  return success ? data : z.NEVER;
});

/** The rules of the configuration. */
export function ruleList() {
  return structured(z.array(rule).max(RULES_MAX), {
    allowed:
      'a list of rules, each with the key group, adminsOf or membersOf; JSON in the variable',
  });
}

function findSenseless({ adminsOf, from }: { adminsOf: string; from: string }) {
  if (foldCase(adminsOf) === foldCase(from)) {
    return 'makes every member of a group an admin of the same group: adminsOf and from are equal';
  }
  const isAmbiguous = [adminsOf, from].some((text) => text.split('*').length > 2);
  return hasStar(adminsOf) && hasStar(from) && isAmbiguous
    ? 'has more than one * where * stands for the same text in adminsOf and from'
    : undefined;
}
