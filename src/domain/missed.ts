/**
 * Result of a look after a call of the same run was answered "not there". `found`: the same answer again is a refusal.
 * `gone`: its replacement is not looked for at once again.
 */
export type Missed = 'found' | 'gone';
