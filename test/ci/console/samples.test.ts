import { expect, test } from 'vitest';
import { createSampling } from '../../../src/reconcile/loop/sampling.ts';
import { insertSample, listSamples } from '../../../src/store/samples.ts';
import { createTrafficCounter } from '../../../src/telemetry/metrics.ts';
import { withTestBridge } from '../../support/bridge.ts';
import { addUser } from '../../support/provider.ts';
import { createSetClock } from '../../support/set-clock.ts';
import { describeStores } from '../../support/stores.ts';
import { askOps, SWEEP_SETTINGS } from '../../support/sweep.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const nothing = {
  ...{ calls: 0, calls_max: 300, due: 0, stuck: 0, drifts: 0 },
  requests: 0,
  refused: 0,
  seats: 0,
};

describeStores('samples', ({ makeStore }) => {
  test('keep what happened in a minute for two days, and begin again at nothing', async () => {
    const store = await makeStore();
    const clock = createSetClock();
    const traffic = createTrafficCounter();
    const failed = (fields: unknown) => expect.fail(JSON.stringify(fields));
    const events = new Proxy({}, { get: () => failed });
    const sampling = createSampling({
      store,
      clock,
      traffic,
      callsMax: 300,
      events: Object(events),
    });

    traffic.called();
    traffic.called();
    traffic.left(1_234.5);
    await sampling.sample();
    clock.state.aheadMs = MINUTE_MS;
    await sampling.sample();
    expect(await listSamples(store.read, 0)).toMatchObject([
      { ...nothing, calls: 2, leavers: '[1235]' },
      { ...nothing, leavers: '[]' },
    ]);

    clock.state.aheadMs = 48 * HOUR_MS + MINUTE_MS / 2;
    await sampling.sample();
    expect(await listSamples(store.read, 0)).toHaveLength(2);
  });
});

test('/ops/samples tells a day in steps of five minutes, and how long leavers take', () =>
  withTestBridge({ settings: SWEEP_SETTINGS }, async (bridge) => {
    await addUser(bridge, 'ada');
    const from = Math.floor((Date.now() - HOUR_MS / 2) / (5 * MINUTE_MS)) * 5 * MINUTE_MS;
    const rows = Array.from({ length: 10 }, (_, n) => ({
      ...{ ...nothing, at: from + n * MINUTE_MS, calls: n, due: 10 - n, refused: n === 9 ? 1 : 0 },
      leavers: JSON.stringify([n * 1_000]),
    }));
    await bridge.store.write(async (tx) => {
      for (const row of rows) await insertSample(tx, row);
    });

    const { body } = await askOps(bridge, 'GET', '/samples');
    expect(body).toMatchObject({
      everyMs: 5 * MINUTE_MS,
      callsMax: 300,
      leavers: { count: 10, p50Ms: 4_000, p95Ms: 9_000, slowestMs: 9_000 },
      items: [
        { at: new Date(from).toISOString(), calls: 2, due: 10, refused: 0 },
        { calls: 7, due: 5, refused: 1 },
      ],
    });
    expect(
      Object((await askOps(bridge, 'GET', '/samples?hours=1')).body).items.length,
    ).toBeGreaterThan(5);
    expect((await askOps(bridge, 'GET', '/samples?hours=2')).status).toBe(400);
  }));
