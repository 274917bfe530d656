import { expect, test } from 'vitest';
import { userId } from '../../domain/values.ts';
import type { SectionStates } from '../../reconcile/deps.ts';
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

function toStore({ backlog, access, ...given }: Given = {}) {
  const store: Stored = {
    ...{ kind: 'ok', firstRead: null, sections: {}, writeTrouble: undefined },
    ...{ notFlushed: false, recovery: undefined, auditFailure: undefined, waitingPlans: [] },
    ...{ lateLeavers: { count: 0, some: [] }, leftOut: undefined, recycled: undefined },
    providerHarm: [],
    ...given,
    backlog: {
      ...{ due: 0, changes: 0, stuck: 0, failing: 0, disputed: 0, failingSince: null },
      ...{ noSeat: 0, noSeatSince: null, oldestSince: null },
      ...backlog,
    },
    access: { hasProvider: true, expiring: [], failedAttempts: 0, ...access },
  };
  return { store };
}

const well: ReadinessFacts = {
  ...toStore(),
  draining: false,
  writes: { mode: 'live', pause: undefined },
  upstream: { credentials: { kind: 'open' }, service: { kind: 'open' }, pausedForMs: 0 },
  leader: { isSelf: true, epoch: 3, since: 0, isAlive: true },
  nowMs,
};

type Told = readonly [codes: string, status?: string];

function tells(why: string, [codes, status = 'degraded']: Told, change: Partial<ReadinessFacts>) {
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

const stored = (why: string, told: Told, given: Given) => tells(why, told, toStore(given));

const OK: Told = ['', 'ok'];
const late = nowMs - 15 * 60_000;
const behind = toStore({ backlog: { due: 3, changes: 2, oldestSince: late } });
const { upstream } = well;

tells('nothing is wrong', OK, {});
tells('writes are accepted while no process leads', ['no-leader'], {
  leader: { isSelf: false, epoch: 3, since: 0, isAlive: false },
});
stored('a bridge that no provider can reach says so, and stays ready', ['no-credential'], {
  access: { hasProvider: false },
});
stored('many wrong tokens are a reason', ['authentication-failing'], {
  access: { failedAttempts: 50 },
});
tells('what is accepted while observing is counted, and is not behind', ['observe-mode'], {
  ...behind,
  writes: { mode: 'observe', pause: undefined },
});
tells('a pause is told, and what waits is not behind', ['writes-paused'], {
  ...behind,
  writes: { mode: 'live', pause: { since: nowMs, reason: null } },
});
const ada = { id: userId('a'), left_at: nowMs - 301_000, name: 'ada', plan: null };
stored(
  'people who left and are not out after five minutes are told, with how many they are',
  ['leavers-late'],
  { lateLeavers: { count: 12, some: [ada] } },
);
stored('a provider that takes away a lot is told', ['provider-harm'], {
  providerHarm: [{ harm: 'deactivate', count: 21 }],
});
stored('an audit log that the service refuses is told once', ['section-closed'], {
  auditFailure: { since: nowMs - 300_000, code: 'not-permitted' },
  sections: { audit: { problem: { code: 'not-permitted', words: 'no', status: 403 }, at: nowMs } },
});
stored('what failed some times is ordinary backoff', OK, {
  backlog: { failing: 2, failingSince: nowMs - 59_999 },
});
stored('what fails for a minute is told, before the breaker has an opinion', ['failing'], {
  backlog: { failing: 2, failingSince: nowMs - 60_000 },
});
stored('closed sections are told, each with its remedy', ['section-closed, section-closed'], {
  sections: closed,
});
stored('ordinary backoff is no news', OK, { backlog: { due: 5, oldestSince: nowMs - 60_000 } });
stored('a backlog that does not move is', ['behind'], { backlog: { due: 1, oldestSince: late } });
tells(
  'what degrades is told beside what blocks',
  ['draining, credentials-refused, service-down', 'unavailable'],
  { draining: true, upstream: { credentials: shut, service: shut, pausedForMs: 0 } },
);

test('a section that is not understood is not told as refused', () => {
  const problem = { code: 'unreadable', words: 'company user: role is not a whole number' };
  const sections = { companyUsers: { problem, at: nowMs } };
  const { reasons } = toReadiness({ ...well, ...toStore({ sections }) });

  const remedy = expect.stringContaining('See the log');
  expect(reasons).toMatchObject([{ code: 'section-closed', remedy }]);
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
  const plan = { id: 'a', created_at: nowMs, reason: null, waiting: 1 } as const;
  const sources = ['provider', 'handover', 'sweep'] as const;
  const waitingPlans = sources.map((source) => ({ ...plan, source }));
  const change = { ...toStore({ waitingPlans }), upstream: { ...upstream, pausedForMs: 1 } };
  const details = toReadiness({ ...well, ...change }).reasons.map(({ detail }) => detail);

  expect(details).toEqual([
    'The service asks for a pause of all calls, for 1 more second; writes are kept for later.',
    'A plan of 1 change (removals by a provider above the limit) has waited for an operator since 2026-04-01T12:00:00.000Z.',
    'A plan of 1 change (a switch of providers) has waited for an operator since 2026-04-01T12:00:00.000Z.',
    'A plan of 1 change (a sweep) has waited for an operator since 2026-04-01T12:00:00.000Z.',
  ]);
});
