import type { CounterpartFault } from '../../support/counterpart.ts';

/** One call, or every call of any kind until the provider has its answer. */
export type Lasting = 'once' | 'lasting';

/** One way in which calls go wrong. */
export interface FaultCase {
  readonly name: string;
  readonly lasts: readonly Lasting[];
  /** `nowMs` is the bridge's clock: some faults name a time. */
  fault(nowMs: number): CounterpartFault;
  /** How the provider's request ends when one call meets it; `applied` when absent. */
  readonly ends?: 'applied' | 'refused';
  /** Operations with another end: there is another form, or the service's word is believed. */
  readonly otherwise?: Readonly<Record<string, 'applied' | 'refused' | 'left out'>>;
  /** settings: upstream.timeout. The clock does not hurry then, because the network's time is the machine's. */
  readonly timeout?: string;
}

const BOTH = ['once', 'lasting'] as const;
const ONCE = ['once'] as const;
const FORMS = {
  'create user': 'applied',
  'add members': 'applied',
  'remove members': 'applied',
} as const;

/** The service answers, but not with what was asked for. */
export const ANSWERS: readonly FaultCase[] = [
  { name: '400', lasts: ONCE, fault: () => status(400), ends: 'refused', otherwise: FORMS },
  { name: '401', lasts: BOTH, fault: () => status(401) },
  { name: '403', lasts: BOTH, fault: () => status(403), ends: 'refused' },
  {
    name: '404',
    lasts: ONCE,
    fault: () => status(404),
    otherwise: {
      'create user': 'refused',
      'create group': 'refused',
      // "Is not in it": what was wanted is believed to hold.
      'remove member': 'left out',
      'remove admin': 'left out',
    },
  },
  {
    name: '409',
    lasts: ONCE,
    fault: () => status(409),
    ends: 'refused',
    otherwise: {
      // Nobody has the name when it is looked for, so whoever had it gave it up.
      'create group': 'applied',
      'add members': 'applied',
      'remove members': 'applied',
      // "Is in it already": what was wanted is believed to hold.
      'add member': 'left out',
      'add admin': 'left out',
    },
  },
  {
    name: '413',
    lasts: ONCE,
    fault: () => status(413),
    ends: 'refused',
    otherwise: { 'add members': 'applied', 'remove members': 'applied' },
  },
  { name: '429 with Retry-After', lasts: BOTH, fault: () => status(429, { 'retry-after': '1' }) },
  { name: '429 without headers', lasts: BOTH, fault: () => status(429) },
];

/** Whether the service did what was asked is not known. */
export const LOST_ANSWERS: readonly FaultCase[] = [
  { name: '302', lasts: ONCE, fault: () => status(302, { location: '/login' }) },
  { name: '503', lasts: BOTH, fault: () => status(503) },
  { name: '503 after the effect', lasts: ONCE, fault: () => ({ ...status(503), effect: 'done' }) },
  {
    name: 'no answer after the effect',
    lasts: ONCE,
    fault: () => ({ kind: 'hang', effect: 'done' }),
    timeout: '100ms',
  },
  {
    name: 'cut before the effect',
    lasts: BOTH,
    fault: () => ({ kind: 'reset', at: 'before-effect' }),
  },
  {
    name: 'cut after the effect',
    lasts: ONCE,
    fault: () => ({ kind: 'reset', at: 'after-effect' }),
  },
  { name: '200 with HTML', lasts: BOTH, fault: () => ({ kind: 'html' }) },
  {
    name: '200 without a body',
    lasts: ONCE,
    fault: () => ({ ...status(200), body: 'empty', effect: 'done' }),
  },
];

function status(code: number, headers: Record<string, string> = {}) {
  return { kind: 'status', status: code, headers } as const;
}
