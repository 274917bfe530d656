import { expect, test } from 'vitest';
import { createBudget } from './budget.ts';
import { createGates } from './gates.ts';
import { openCallScope } from './outgoing-call.ts';
import { createRateLimit } from './rate-limit.ts';
import { createFakeClock, runReady } from './testing/fake-clock.ts';

/** A host whose clock was wrong by a day and is set right meanwhile. */
const sets = [
  { why: 'back', ms: -86_400_000 },
  { why: 'forward', ms: 86_400_000 },
];

/** A clock whose time of day a test sets; what is slept stays as long. */
function createSetClock() {
  const { now, sleep, advance } = createFakeClock();
  let setMs = 0;
  return {
    ...{ sleep, advance, steady: now, now: () => now() + setMs },
    set(ms: number) {
      setMs += ms;
    },
  };
}

function setUp(spentAt?: number) {
  const clock = createSetClock();
  const budget = createBudget({
    ...{ clock, spentAt, requestsPerSecond: 2, marginMs: 0, inFlightMax: 10, queueMax: 100 },
  });
  let left = 0;
  const ask = async () => {
    const turn = await budget.take({
      ...{ operation: 'x.y', callClass: 'pass', key: undefined, signal: undefined, again: false },
    });
    left += 1;
    turn.sent();
    turn.end();
  };
  return { clock, budget, ask, left: () => left };
}

for (const { why, ms } of sets) {
  test(`a clock that is set ${why} neither stops the rate nor raises it`, async () => {
    const { clock, ask, left } = setUp();
    for (let n = 0; n < 5; n += 1) void ask();
    await runReady();

    clock.set(ms);
    await runReady();
    void ask();
    await clock.advance(499);
    const atOnce = left();
    await clock.advance(2_000);

    expect(atOnce).toBe(2);
    expect(left()).toBe(6);
  });

  test(`a pause that the service asked for lasts as long with a clock that is set ${why}`, async () => {
    const { clock, budget, ask, left } = setUp();
    const headers = { 'retry-after': '7' };
    const answer = { status: 429, headers, text: '' };
    createRateLimit(budget, clock).note(answer, clock.steady());
    void ask();

    clock.set(ms);
    await clock.advance(6_999);
    expect([left(), budget.state().pausedForMs]).toEqual([0, 1]);
    await clock.advance(1);
    expect(left()).toBe(1);
  });

  test(`a gate that is shut asks again when its time is over, with a clock that is set ${why}`, async () => {
    const clock = createSetClock();
    const gates = createGates(clock);
    gates.enter('x.y', 'a').record({ kind: 'answer', status: 401 });

    clock.set(ms);
    await clock.advance(9_999);
    expect(() => gates.enter('x.y', 'b')).toThrow(/credentials-refused/);
    await clock.advance(1);
    gates.enter('x.y', 'b').record({ kind: 'answer', status: 200 });
    expect(gates.credentials()).toEqual({ kind: 'open' });
  });

  test(`a call has its time with a clock that is set ${why}`, async () => {
    const clock = createSetClock();
    const scope = openCallScope(clock, 30_000, undefined);
    clock.set(ms);
    await clock.advance(1_000);
    expect(scope.remainingMs()).toBe(29_000);
    scope.close();
  });
}

test('a last call that lies ahead, by a clock that was set back since, holds the rate back for one window', async () => {
  const { clock, ask, left } = setUp(Date.UTC(2026, 0, 2));
  void ask();
  await clock.advance(999);
  expect(left()).toBe(0);
  await clock.advance(1);
  expect(left()).toBe(1);
});
