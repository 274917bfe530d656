import { z } from 'zod';

/** The type of JSON that a schema describes, read-only in all its depth. */
export type JsonOf<Schema extends z.ZodType> = DeepReadonly<z.output<Schema>>;

type DeepReadonly<T> = T extends object ? { readonly [Name in keyof T]: DeepReadonly<T[Name]> } : T;

/** A moment, as every answer below `/ops` gives it. */
export const moment = () => z.iso.datetime();

/** One of a closed list of words. */
export const word = <const Words extends readonly [string, ...string[]]>(words: Words) =>
  z.enum(words);

/** Any JSON; it is there. */
export const anything = () => z.unknown().refine((value): boolean => value !== undefined);

/** An id with its name; null: there is none. */
export const named = z.strictObject({
  id: z.string(),
  name: z.string().nullable(),
});

/** The author of an event of the audit log. */
export const author = z.strictObject({
  id: z.int().nullable(),
  username: z.string().nullable(),
  address: z.string().nullable(),
  operator: z
    .boolean()
    .describe('True: an operator did it through the bridge, under whose account it is logged.'),
});

/** A number of things. */
export const count = () => z.int().min(0);

/** The numbers of some kinds of things; kinds without any are left out. */
export const counts = () => z.record(z.string(), count());

/** A kind of resource. */
export const resourceType = () => z.enum(['user', 'group']);

/** A page of a list. */
export const listOf = <Item extends z.ZodType>(item: Item) =>
  z.strictObject({
    items: z.array(item),
    nextCursor: z
      .string()
      .nullable()
      .describe('Asks for what follows, as `cursor`; null: nothing does.'),
  });

/** A body with these members and no others; `allowed` is told to an operator who sends another one. */
export const bodyOf = <Members extends z.core.$ZodLooseShape>(allowed: string, members: Members) =>
  z.strictObject(members, { error: `The body may be ${allowed}, and nothing else.` });

/** The answer that something did not work: `code` is stable. Some codes have more beside them. */
export const problem = z
  .looseObject({
    code: z.string().describe('Stable, for programs.'),
    message: z.string().describe('For people.'),
  })
  .describe('Why it did not work. Some codes have more beside them: `hash`, `near`, `found`.');

/** The words of the service about a refusal or a failure. */
export const serviceWords = z.looseObject({
  code: z.string(),
  words: z.string().describe('In the words of the service; may be personal.'),
});

/** Progress of a complete read of the service. */
export const readingProgress = z.strictObject({
  step: z.string().describe('The list that is read.'),
  read: count().describe('Entries of it, so far.'),
  expected: count().nullable().describe('How many it has; null: the service does not say.'),
  endsAt: moment()
    .nullable()
    .describe('When it is read at the rate so far; null within the first two seconds.'),
});
/** How far a complete read of the service has come, as an operator is shown it. */
export type ReadingView = JsonOf<typeof readingProgress>;

/** Progress of an approved plan of going live, or of recovery. */
export const releaseProgress = z.strictObject({
  startedAt: moment(),
  total: count().describe('People and groups with changes in the plan.'),
  done: count(),
  stuck: count().describe(
    'Those of the others that the service refuses; they are tried again slowly.',
  ),
  endsAt: moment()
    .nullable()
    .describe('When it is done at the rate so far; null: nothing is done yet, or nothing left.'),
});
/** The progress of an approved plan as an operator is shown it. */
export type ReleaseView = JsonOf<typeof releaseProgress>;
