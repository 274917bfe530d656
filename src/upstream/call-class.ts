/**
 * Kinds of calls, most urgent first: `remove` takes access away, `change` is asked for by a provider, `look` reads to
 * compare, `pass` is anybody's call passed through.
 */
export const callClasses = ['remove', 'change', 'look', 'pass'] as const;

/** What kind of call it is; decides who goes first when there is a queue. */
export type CallClass = (typeof callClasses)[number];

/** How many of each class. */
export type ClassCounts = Readonly<Record<CallClass, number>>;
