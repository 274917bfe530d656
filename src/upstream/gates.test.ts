import { expect, test } from 'vitest';
import { Gates, type PassageResult } from './gates.ts';
import { createFakeClock } from './testing/fake-clock.ts';

const answer = (status: number): PassageResult => ({ kind: 'answer', status });

function setUp() {
  const clock = createFakeClock();
  return { clock, gates: new Gates(clock) };
}

function meet(gates: Gates, key: string, result: PassageResult): void {
  gates.enter('x.y', key).record(result);
}

test('a refused token stops all calls; a probe after a while opens again', async () => {
  const { clock, gates } = setUp();
  meet(gates, 'a', answer(401));
  const refusal = { code: 'credentials-refused', outcome: 'not-sent', retryAfterMs: 10_000 };
  expect(() => gates.enter('x.y', 'b')).toThrow(expect.objectContaining(refusal));
  await clock.advance(10_000);
  const probe = gates.enter('x.y', 'b');
  expect(() => gates.enter('x.y', 'c')).toThrow(/credentials-refused/);
  probe.record(answer(200));
  expect(gates.state().credentials).toEqual({ kind: 'open' });
});

test('a probe that is refused too doubles the time', async () => {
  const { clock, gates } = setUp();
  const sinceMs = clock.now();
  meet(gates, 'a', answer(401));
  await clock.advance(10_000);
  meet(gates, 'a', answer(401));
  const nextProbeMs = sinceMs + 10_000 + 20_000;
  expect(gates.state().credentials).toEqual({ kind: 'shut', sinceMs, nextProbeMs });
});

test('a probe that found out nothing lets another one try', async () => {
  const { clock, gates } = setUp();
  meet(gates, 'a', answer(401));
  await clock.advance(10_000);
  meet(gates, 'a', { kind: 'not-tried' });
  expect(() => gates.assertOpen('x.y')).not.toThrow();
});

test('answers to calls from before do not move the gate', () => {
  const gates = new Gates(createFakeClock());
  const earlier = [gates.enter('x.y', 'a'), gates.enter('x.y', 'b'), gates.enter('x.y', 'c')];
  earlier[0]?.record(answer(401));
  const shut = gates.state().credentials;
  earlier[1]?.record(answer(401));
  earlier[2]?.record(answer(200));
  expect(gates.state().credentials).toEqual(shut);
});

test('one resource that always fails stops nobody', () => {
  const gates = new Gates(createFakeClock());
  for (let n = 0; n < 50; n += 1) meet(gates, 'a', answer(500));
  expect(gates.state().service).toEqual({ kind: 'open' });
});

test.each([{ result: answer(503) }, { result: { kind: 'no-answer' } as const }])(
  'failures of several resources open the circuit: $result',
  async ({ result }) => {
    const { clock, gates } = setUp();
    for (const key of ['a', 'b', 'c', 'a', 'b']) meet(gates, key, result);
    expect(() => gates.assertOpen('x.y')).toThrow(/circuit-open/);
    await clock.advance(5_000);
    meet(gates, 'a', answer(200));
    expect(gates.state().service).toEqual({ kind: 'open' });
  },
);

test.each([400, 401, 403, 404, 409, 429, 501])('%i proves that the service is there', (status) => {
  const gates = new Gates(createFakeClock());
  for (const key of ['a', 'b', 'c', 'd']) meet(gates, key, answer(500));
  meet(gates, 'a', answer(status));
  if (status !== 401) meet(gates, 'e', answer(500));
  expect(gates.state().service).toEqual({ kind: 'open' });
});
