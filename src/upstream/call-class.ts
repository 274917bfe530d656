/**
 * Kinds of calls, most urgent first: `remove` takes access away, `change` comes from a provider, `look` reads for a
 * comparison, `pass` is a call that the bridge passes through for an operator or a program.
 */
export const callClasses = ['remove', 'change', 'look', 'pass'] as const;

/** Classes that keep a tenth of all calls each, whatever more urgent calls wait. */
export const keptClasses = ['look', 'pass'] as const;

/** Times that other calls may pass a waiting call of such a class; then it goes. */
export const PASSED_MAX = 9;

/** Kind of a call; it decides the order in a queue. */
export type CallClass = (typeof callClasses)[number];

/** A number for each class. */
export type ClassCounts = Readonly<Record<CallClass, number>>;
