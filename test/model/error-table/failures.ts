import type { Verdict } from '../../../src/reconcile/verdict.ts';
import type { Fault } from '../../../src/sandbox/faults.ts';
import type { UpstreamErrorCode } from '../../../src/upstream/errors.ts';
import { failing } from '../../support/faults.ts';

/** The columns of the table, as docs/writes.md heads them. */
export type Column =
  | '400'
  | '403, one'
  | '403, all'
  | '404'
  | '404, gone'
  | '409'
  | '413'
  | 'lost'
  | 'down'
  | 'not now';

/** What a call that was judged so meets: every verdict has a column. */
export const COLUMNS_OF: Readonly<Record<Verdict, readonly Column[]>> = {
  refused: ['400'],
  forbidden: ['403, one', '403, all'],
  missing: ['404', '404, gone'],
  conflict: ['409'],
  smaller: ['413'],
  unknown: ['lost', 'down'],
  later: ['not now'],
};

/** What a provider is told of a refusal, where it is not 400. */
export const TOLD: { readonly [C in Column]?: number } = { '403, one': 403, '409': 409 };

/** What every code of an error is judged as. */
export const VERDICTS: Readonly<Record<UpstreamErrorCode, Verdict>> = {
  refused: 'refused',
  'not-permitted': 'forbidden',
  'not-found': 'missing',
  conflict: 'conflict',
  'too-large': 'smaller',
  'credentials-refused': 'later',
  'rate-limited': 'later',
  unavailable: 'unknown',
  redirected: 'unknown',
  unreadable: 'unknown',
  'response-too-large': 'unknown',
  connection: 'unknown',
  timeout: 'unknown',
  aborted: 'unknown',
  'circuit-open': 'later',
  overloaded: 'later',
  'observe-mode': 'later',
  'writes-paused': 'later',
  stopped: 'later',
  closed: 'later',
};

/** One way in which a call fails. */
export interface Failure {
  readonly name: string;
  readonly column: Column;
  readonly fault: Fault;
  /** All calls fail like this, the cheap read of the section too. */
  readonly everywhere?: true;
  /** A look fails like this too. */
  readonly alsoLooks?: true;
}

/** Longer than a call may take, so that it gives up at once. */
export const BUSY: Fault = { ...status(429), headers: { 'retry-after': '120' } };

/**
 * Failures, each group met by every step once: its steps take turns with the failures of the group. What else the
 * service may answer is judged like one of them.
 */
export const FAILURES: readonly (readonly [Failure, ...Failure[]])[] = [
  [fail('400', '400', status(400))],
  [fail('403 of one', '403, one', status(403))],
  [fail('403 of all', '403, all', status(403), { everywhere: true })],
  [fail('404', '404', status(404))],
  [fail('404, and nobody is there', '404, gone', status(404), { alsoLooks: true })],
  [fail('409', '409', status(409))],
  [fail('413', '413', status(413))],
  [
    fail('302', 'lost', status(302)),
    fail('200 with HTML', 'lost', { ...status(200), body: 'html' }),
  ],
  [
    fail('503', 'down', status(503)),
    fail('a cut connection', 'down', { kind: 'reset', at: 'before-effect' }),
    fail('503 after the effect', 'down', { ...status(503), effect: 'done' }),
    fail('a cut after the effect', 'down', { kind: 'reset', at: 'after-effect' }),
  ],
  [fail('401', 'not now', status(401)), fail('429', 'not now', BUSY)],
];

function fail(
  name: string,
  column: Column,
  fault: Fault,
  more: Pick<Failure, 'everywhere' | 'alsoLooks'> = {},
): Failure {
  return { name, column, fault, ...more };
}

function status(code: number) {
  return failing(code);
}
