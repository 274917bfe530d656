import { expect, test } from 'vitest';
import { userId } from '../../domain/ids.ts';
import type { SectionStates } from '../../reconcile/sections.ts';
import type { GateState } from '../../upstream/probe-gate.ts';
import type { ReadinessFacts } from './readiness-facts.ts';
import { toReadiness } from './reasons.ts';

const nowMs = Date.UTC(2026, 3, 1, 12);
const shut: GateState = { kind: 'shut', sinceMs: nowMs - 60_000, nextProbeMs: nowMs };
const closed: SectionStates = {
  companyUsers: { problem: { code: 'not-permitted', words: 'ask ada', status: 403 }, at: nowMs },
  groups: { problem: { code: 'not-permitted', words: 'no', status: 402 }, at: nowMs },
  users: { problem: null, at: nowMs },
};

type Stored = Extract<ReadinessFacts['store'], { kind: 'ok' }>;
interface Given extends Partial<Omit<Stored, 'backlog' | 'access'>> {
  readonly backlog?: Partial<Stored['backlog']>;
  readonly access?: Partial<Stored['access']>;
}

function toStore({
  firstRead = { kind: 'finished' },
  sections = {},
  backlog,
  writeTrouble,
  weaknesses = [],
  recovery,
  auditFailure,
  waitingPlans = [],
  lateLeavers = { count: 0, some: [] },
  leftOut,
  recycled,
  providerHarm = [],
  access,
}: Given = {}) {
  const waiting = {
    due: 0,
    changes: 0,
    stuck: 0,
    failing: 0,
    disputed: 0,
    failingSince: null,
    queued: { removals: 0, changes: 0, looks: 0 },
    noSeat: 0,
    noSeatSince: null,
    oldestSince: null,
    ...backlog,
  };
  return {
    store: {
      kind: 'ok',
      firstRead,
      sections,
      backlog: waiting,
      writeTrouble,
      weaknesses,
      recovery,
      auditFailure,
      waitingPlans,
      lateLeavers,
      leftOut,
      recycled,
      providerHarm,
      access: { hasProvider: true, expiring: [], failedAttempts: 0, ...access },
    },
  } as const;
}

const well: ReadinessFacts = {
  ...toStore(),
  draining: false,
  writes: { mode: 'live', pause: undefined },
  upstream: { credentials: { kind: 'open' }, service: { kind: 'open' }, pausedForMs: 0 },
  leader: { isSelf: true, epoch: 3, since: 0, isAlive: true },
  nowMs,
};

/** The facts, the codes that are answered, and the status where it is not `degraded`. */
const rows: [why: string, change: Partial<ReadinessFacts>, codes: string, status?: string][] = [
  ['nothing is wrong', {}, '', 'ok'],
  [
    'writes are accepted while no process leads',
    { leader: { isSelf: false, epoch: 3, since: 0, isAlive: false } },
    'no-leader',
  ],
  [
    'an unusable store is no place to keep a write',
    { store: { kind: 'problem', code: 'store-full' } },
    'store-unusable',
    'unavailable',
  ],
  [
    'nobody who could come in is told, and is no reason to be taken out',
    toStore({ access: { hasProvider: false } }),
    'no-credential',
  ],
  [
    'many wrong tokens are told',
    toStore({ access: { failedAttempts: 50 } }),
    'authentication-failing',
  ],
  [
    'a store that can only be read still answers',
    toStore({ writeTrouble: { code: 'store-full', sinceMs: nowMs } }),
    'store-read-only',
  ],
  [
    'a restored backup waits for an operator, and new writes do not',
    toStore({
      recovery: { phase: 'reading', since: nowMs, reason: { code: 'restored' }, planId: 'p' },
    }),
    'recovery',
  ],
  [
    'what is accepted while observing is told, and is not behind',
    {
      ...toStore({ backlog: { due: 3, changes: 2, oldestSince: nowMs - 15 * 60_000 } }),
      writes: { mode: 'observe', pause: undefined },
    },
    'observe-mode',
  ],
  [
    'a pause is told, and what waits is not behind',
    {
      ...toStore({ backlog: { due: 3, changes: 2, oldestSince: nowMs - 15 * 60_000 } }),
      writes: { mode: 'live', pause: { since: nowMs, reason: null } },
    },
    'writes-paused',
  ],
  [
    'an audit log that cannot be read for five minutes is told',
    toStore({ auditFailure: { since: nowMs - 300_000, code: 'unavailable' } }),
    'audit-behind',
  ],
  [
    'a plan that waits for an operator is told',
    toStore({
      waitingPlans: [{ id: 'p', source: 'provider', created_at: nowMs, waiting: 3, reason: null }],
    }),
    'plan-held',
  ],
  [
    'people who left and are not out after five minutes are told, with how many they are',
    toStore({
      lateLeavers: {
        count: 12,
        some: [{ id: userId('a'), left_at: nowMs - 301_000, name: 'ada', plan: null }],
      },
    }),
    'leavers-late',
  ],
  [
    'a provider that takes away a lot is told',
    toStore({ providerHarm: [{ harm: 'deactivate', count: 21 }] }),
    'provider-harm',
  ],
  [
    'one that could not be read just now is not',
    toStore({ auditFailure: { since: nowMs - 299_999, code: 'unavailable' } }),
    '',
    'ok',
  ],
  [
    'an audit log that the service refuses is told once',
    toStore({
      auditFailure: { since: nowMs - 300_000, code: 'not-permitted' },
      sections: {
        audit: { problem: { code: 'not-permitted', words: 'no', status: 403 }, at: nowMs },
      },
    }),
    'section-closed',
  ],
  [
    'before the first read is finished nobody is "not found"',
    toStore({ firstRead: { kind: 'running', step: 'users', count: 300 } }),
    'first-read',
    'unavailable',
  ],
  [
    'an outage of the service is when accepting writes matters',
    { upstream: { ...well.upstream, service: shut } },
    'service-down',
  ],
  [
    'an address that sends calls elsewhere is told, when calls of others are answered too',
    { upstream: { ...well.upstream, redirectedSinceMs: nowMs } },
    'redirected',
  ],
  [
    'what failed some times is ordinary backoff',
    toStore({ backlog: { failing: 2, failingSince: nowMs - 59_999 } }),
    '',
    'ok',
  ],
  [
    'what fails for a minute is told, before the breaker has an opinion',
    toStore({ backlog: { failing: 2, failingSince: nowMs - 60_000 } }),
    'failing',
  ],
  [
    'closed sections are told, each with its remedy',
    toStore({ sections: closed }),
    'section-closed, section-closed',
  ],
  [
    'ordinary backoff is no news',
    toStore({ backlog: { due: 5, oldestSince: nowMs - 60_000 } }),
    '',
    'ok',
  ],
  [
    'a backlog that does not move is',
    toStore({ backlog: { due: 1, oldestSince: nowMs - 15 * 60_000 } }),
    'behind',
  ],
  [
    'what degrades is told beside what blocks',
    { draining: true, upstream: { credentials: shut, service: shut, pausedForMs: 0 } },
    'draining, credentials-refused, service-down',
    'unavailable',
  ],
];

for (const [why, change, codes, status = 'degraded'] of rows) {
  test(`toReadiness: ${why}`, () => {
    const readiness = toReadiness({ ...well, ...change });

    expect(readiness.status).toBe(status);
    expect(readiness.reasons.map(({ code }) => code).join(', ')).toBe(codes);
    for (const { detail, remedy } of readiness.reasons) {
      expect(detail).toMatch(/\.$/);
      expect(remedy).toMatch(/\.$/);
    }
  });
}

test('a section that is not understood is not told as refused', () => {
  const problem = { code: 'unreadable', words: 'company user: role is not a whole number' };
  const sections = { companyUsers: { problem, at: nowMs } };
  const { reasons } = toReadiness({ ...well, ...toStore({ sections }) });

  expect(reasons).toMatchObject([
    { code: 'section-closed', remedy: expect.stringContaining('See the log') },
  ]);
  expect(reasons[0]?.detail).toMatch(/does not show readably \(unreadable\) company users/);
  expect(reasons[0]?.detail).not.toMatch(/role is/);
});

test('a closed section names the right or the module, never the words of the service', () => {
  const { reasons } = toReadiness({ ...well, ...toStore({ sections: closed }) });

  const told = JSON.stringify(reasons);
  expect(told).toContain('\\"Members\\"');
  expect(told).toContain('\\"User group management\\"');
  expect(told).not.toContain('ada');
});

test('one is told as one', () => {
  const plan = {
    id: 'a',
    source: 'provider',
    created_at: nowMs,
    reason: null,
    waiting: 1,
  } as const;
  const sources = ['provider', 'handover', 'sweep'] as const;
  const waitingPlans = sources.map((source) => ({ ...plan, source }));
  const facts = {
    ...well,
    ...toStore({ waitingPlans }),
    upstream: { ...well.upstream, pausedForMs: 1 },
  };
  const details = toReadiness(facts).reasons.map(({ detail }) => detail);

  expect(details).toEqual([
    'The service asks for a pause of all calls, for 1 more second; writes are kept for later.',
    'A plan of 1 removal by identity providers waits for an operator since 2026-04-01T12:00:00.000Z, because more were asked for than limits.provider allows in 24 hours.',
    'A plan of 1 handover waits for an operator since 2026-04-01T12:00:00.000Z, because an operator is to approve each.',
    'A plan of 1 repair waits for an operator since 2026-04-01T12:00:00.000Z, because it would take away more than the limits allow.',
  ]);
});
