import type { Verdict } from '../../../src/reconcile/verdict.ts';
import type { Fault } from '../../../src/sandbox/faults.ts';
import type { UpstreamErrorCode } from '../../../src/upstream/errors.ts';

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
  [{ name: '400', column: '400', fault: status(400) }],
  [{ name: '403 of one', column: '403, one', fault: status(403) }],
  [{ name: '403 of all', column: '403, all', fault: status(403), everywhere: true }],
  [{ name: '404', column: '404', fault: status(404) }],
  [
    {
      name: '404, and nobody is there',
      column: '404, gone',
      fault: status(404),
      alsoLooks: true,
    },
  ],
  [{ name: '409', column: '409', fault: status(409) }],
  [{ name: '413', column: '413', fault: status(413) }],
  [
    { name: '302', column: 'lost', fault: status(302) },
    { name: '200 with HTML', column: 'lost', fault: { ...status(200), body: 'html' } },
  ],
  [
    { name: '503', column: 'down', fault: status(503) },
    { name: 'a cut connection', column: 'down', fault: { kind: 'reset', at: 'before-effect' } },
    { name: '503 after the effect', column: 'down', fault: { ...status(503), effect: 'done' } },
    {
      name: 'a connection that was cut after the effect',
      column: 'down',
      fault: { kind: 'reset', at: 'after-effect' },
    },
  ],
  [
    { name: '401', column: 'not now', fault: status(401) },
    { name: '429', column: 'not now', fault: BUSY },
  ],
];

function status(code: number) {
  return { kind: 'status', status: code } as const;
}
