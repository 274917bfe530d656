/**
 * Kinds of calls, most urgent first: `remove` takes access away, `change` is asked for by a provider, `look` reads to
 * compare, `pass` is anybody's call passed through.
 */
export const callClasses = ['remove', 'change', 'look', 'pass'] as const;

/** Classes that keep a tenth of all calls each, however much waits that is more urgent. */
export const keptClasses = ['look', 'pass'] as const;

/** Others may pass a waiting call of such a class this many times; then it goes. */
export const PASSED_MAX = 9;

/** How often others went while a call of such a class waited. */
export type PassedCounts = Readonly<Record<(typeof keptClasses)[number], number>>;

/** What kind of call it is; decides who goes first when there is a queue. */
export type CallClass = (typeof callClasses)[number];

/** How many of each class. */
export type ClassCounts = Readonly<Record<CallClass, number>>;
