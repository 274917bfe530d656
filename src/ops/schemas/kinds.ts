import { z } from 'zod';

/** The type of JSON that a schema describes, read-only in all its depth. */
export type JsonOf<Schema extends z.ZodType> = DeepReadonly<z.output<Schema>>;

type DeepReadonly<T> = T extends object ? { readonly [Name in keyof T]: DeepReadonly<T[Name]> } : T;

function describe<Schema extends z.ZodType>(schema: Schema, about?: string | null): Schema {
  return about ? schema.describe(about) : schema;
}

const dates = z.union([z.iso.date(), z.iso.datetime({ offset: true })]);

/** True for a date or a moment that there is: 30 February is none. */
export const isDate = (text: string): boolean => dates.safeParse(text).success;

/** Any JSON; undefined is none. */
const json = z.unknown().refine((value): boolean => value !== undefined);
const count = z.int().min(0);
const moment = z.iso.datetime();

const kinds = {
  /** A text with a test, whose description is also the reason of its refusal. */
  checked: (about: string, isFine: (text: string) => boolean) =>
    z.string().refine(isFine, about).describe(about),
  object: <Members extends z.core.$ZodLooseShape>(members: Members) => z.strictObject(members),
  /** The same with its description, which is null where there is nothing to say. */
  part: <Members extends z.core.$ZodLooseShape>(about: string | null, members: Members) =>
    describe(z.strictObject(members), about),
  partOrNull: <Members extends z.core.$ZodLooseShape>(about: string | null, members: Members) =>
    describe(z.strictObject(members).nullable(), about),
  parts: <Members extends z.core.$ZodLooseShape>(about: string | null, members: Members) =>
    describe(z.array(z.strictObject(members)), about),
  list: <Item extends z.ZodType>(item: Item, about?: string) => describe(z.array(item), about),
  orNull: <Schema extends z.ZodType>(schema: Schema, about?: string) =>
    describe(z.nullable(schema), about),
  optional: <Schema extends z.ZodType>(schema: Schema, about?: string) =>
    describe(z.optional(schema), about),
  word: <const Words extends readonly string[]>(words: Words, about?: string) =>
    describe(z.enum(words), about),
  text: (about?: string) => describe(z.string(), about),
  textOrNull: (about?: string) => describe(z.string().nullable(), about),
  optionalText: (about: string) => describe(z.string().optional(), about),
  flag: (about?: string) => describe(z.boolean(), about),
  optionalFlag: (about: string) => describe(z.boolean().optional(), about),
  /** A whole number, which may be below 0. */
  whole: (about?: string) => describe(z.int(), about),
  count: (about?: string) => describe(count, about),
  countOrNull: (about?: string) => describe(count.nullable(), about),
  /** The numbers of some kinds of things; kinds without any are left out. */
  counts: (about?: string) => describe(z.record(z.string(), count), about),
  moment: (about?: string) => describe(moment, about),
  momentOrNull: (about?: string) => describe(moment.nullable(), about),
  anything: (about?: string) => describe(json, about),
  resourceType: () => z.enum(['user', 'group']),
};

const { object, text, textOrNull } = kinds;

const named = object({ id: text(), name: textOrNull() });

/** The kinds of members of answers and bodies below `/ops`; `about` is the description of a member. */
export const t = {
  ...kinds,
  named,
  namedResource: named.extend({ type: kinds.resourceType() }),
  author: object({ id: z.int().nullable(), username: textOrNull(), address: textOrNull() }),
  listOf: <Item extends z.ZodType>(item: Item) =>
    object({
      items: z.array(item),
      nextCursor: textOrNull('Asks for what follows, as `cursor`; null: nothing does.'),
    }),
  serviceWords: z.looseObject({
    code: text(),
    words: text('In the words of the service; may be personal.'),
  }),
};

/** Keys by which a census knows a person again, the surest first. */
export const MATCH_KEYS = ['externalId', 'userName', 'email'] as const;

/** Reasons why a user is not erased yet, as the steps that have to come first, in sentences for an operator. */
export const OBSTACLE_WORDS = {
  managed:
    'A provider still has this person: have them deleted there, or send DELETE /scim/v2/Users/{id}.',
  'in-service':
    'The service shows this account, which would bring everything back: remove it there, then compare (scim-bridge sweep).',
  active:
    'The account works in the service: deactivate it there, or have the drift user.activated repaired.',
  pending:
    'Something of the deletion has not reached the service yet: GET /ops/users/{id} says what waits.',
  held: 'A plan or a recovery that is about this person waits: decide about it, or wait until it is done.',
  drifting: 'The service differs in something that is about this person: GET /ops/drifts shows it.',
  recent:
    'The bridge changed this person less than ten minutes ago, and the audit log may still tell of it: try again then.',
  erased: 'It was done before: nothing personal is left.',
} as const;
