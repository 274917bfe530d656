import { z } from 'zod';

// The words in which answers and bodies below `/ops` are described. `about` is the description of a member.

/** The type of JSON that a schema describes, read-only in all its depth. */
export type JsonOf<Schema extends z.ZodType> = DeepReadonly<z.output<Schema>>;

type DeepReadonly<T> = T extends object ? { readonly [Name in keyof T]: DeepReadonly<T[Name]> } : T;

function describe<Schema extends z.ZodType>(schema: Schema, about: string | undefined): Schema {
  return about === undefined ? schema : schema.describe(about);
}

/** An object with these members and no others. */
export const object = <Members extends z.core.$ZodLooseShape>(members: Members, about?: string) =>
  describe(z.strictObject(members), about);

/** A list. */
export const list = <Item extends z.ZodType>(item: Item, about?: string) =>
  describe(z.array(item), about);

/** A value, or null. */
export const orNull = <Schema extends z.ZodType>(schema: Schema, about?: string) =>
  describe(z.nullable(schema), about);

/** A value that may be left out. */
export const optional = <Schema extends z.ZodType>(schema: Schema, about?: string) =>
  describe(z.optional(schema), about);

/** A text. */
export const text = (about?: string) => describe(z.string(), about);

/** True or false. */
export const flag = (about?: string) => describe(z.boolean(), about);

/** A whole number, which may be below 0. */
export const whole = (about?: string) => describe(z.int(), about);

/** A number of things. */
export const count = (about?: string) => describe(z.int().min(0), about);

/** The numbers of some kinds of things; kinds without any are left out. */
export const counts = (about?: string) => describe(z.record(z.string(), count()), about);

/** A moment, as every answer below `/ops` gives it. */
export const moment = (about?: string) => describe(z.iso.datetime(), about);

/** A text, or null. */
export const textOrNull = (about?: string) => orNull(text(), about);

/** A moment, or null. */
export const momentOrNull = (about?: string) => orNull(moment(), about);

/** A number of things, or null. */
export const countOrNull = (about?: string) => orNull(count(), about);

/** A text that may be left out. */
export const optionalText = (about: string) => optional(text(), about);

/** A flag that may be left out. */
export const optionalFlag = (about: string) => optional(flag(), about);

/** One of a closed list of words. */
export const word = <const Words extends readonly string[]>(words: Words, about?: string) =>
  describe(z.enum(words), about);

/** Any JSON; it is there. */
export const anything = (about?: string) =>
  describe(
    z.unknown().refine((value): boolean => value !== undefined),
    about,
  );

/** A kind of resource. */
export const resourceType = () => z.enum(['user', 'group']);

/** An id with its name; null: there is none. */
export const named = object({ id: text(), name: textOrNull() });

/** A user or group with its name. */
export const namedResource = named.extend({ type: resourceType() });

/** The author of an event of the audit log. */
export const author = object({
  id: orNull(whole()),
  username: textOrNull(),
  address: textOrNull(),
});

/** A page of a list. */
export const listOf = <Item extends z.ZodType>(item: Item) =>
  object({
    items: list(item),
    nextCursor: textOrNull('Asks for what follows, as `cursor`; null: nothing does.'),
  });

/** The words of the service about a refusal or a failure. */
export const serviceWords = z.looseObject({
  code: text(),
  words: text('In the words of the service; may be personal.'),
});

/** Progress of a complete read of the service. */
export const reading = object({
  step: text('The list that is read.'),
  read: count('Entries of it, so far.'),
  expected: countOrNull('How many it has; null: the service does not say.'),
  endsAt: momentOrNull('When it is read at the rate so far; null within the first two seconds.'),
});

const freeSeats = () =>
  countOrNull('0 while somebody waits for one; null: not known, see `seats.total`.');

/** Seats of the service, as far as they are known. */
export const seats = object({
  total: countOrNull('`seats.total`; null: not set.'),
  used: count('Accounts that were seen to take one.'),
  waiting: count('People who wait for a free one.'),
  free: freeSeats(),
  daysLeft: orNull(
    z.number(),
    'Until they run out if as many more are taken as in the last two days; null: not known, or they do not.',
  ),
});

/** Seats that a plan needs, beside those that there are. */
export const planSeats = object({
  needs: count('For accounts that it creates or activates.'),
  frees: count('By accounts that it deactivates or deletes.'),
  has: freeSeats(),
});
