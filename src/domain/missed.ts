/**
 * What a look said after a call of the same run had been told "not there": the resource was `found`, so
 * saying so again is a refusal; or it is `gone`, so what was made in its place is not sought at once again.
 */
export type Missed = 'found' | 'gone';
