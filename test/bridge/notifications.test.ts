import { Webhook } from 'standardwebhooks';
import { expect, test } from 'vitest';
import { addNotificationsCommand } from '../../src/cli/notifications.ts';
import type { JsonObject } from '../../src/domain/json.ts';
import { type TestBridge, withTestBridge } from '../support/bridge.ts';
import { type CalmClock, withCalmBridge } from '../support/calm-clock.ts';
import { runner } from '../support/command.ts';
import { createLeapingClock } from '../support/leaping-clock.ts';
import { makeLives } from '../support/lives.ts';
import { readMetrics } from '../support/metrics.ts';
import { addGroup, addUser, send, toPatch, untilSettled } from '../support/provider.ts';
import { type Arrived, startReceiver, type TestReceiver } from '../support/receiver.ts';
import { makeStoreUrl } from '../support/store-url.ts';
import { askOps, OPS_TOKEN, SWEEP_SETTINGS, sweep } from '../support/sweep.ts';

/** The machine may be busy, and the state is looked at every few seconds. */
const PATIENT = { interval: 20 };
const MINUTE_MS = 60_000;

const listTypes = (arrived: readonly Arrived[]) => arrived.map(({ json }) => json.type);
const deactivate = (bridge: TestBridge, id: string) =>
  send(bridge, 'PATCH', `/Users/${id}`, toPatch({ op: 'replace', path: 'active', value: false }));

test('a reason is told when it begins and when it ends, signed as Standard Webhooks says', async () => {
  const receiver = await startReceiver();
  const settings = { ...SWEEP_SETTINGS, ...receiver.settings({ events: ['reason.*'] }) };
  await withCalmBridge({ settings }, async (bridge, clock) => {
    for (const path of ['/pause', '/resume']) {
      await askOps(bridge, 'POST', path, {});
      await clock.passFor(bridge.sandbox, MINUTE_MS);
    }
  });

  const webhook = new Webhook(receiver.secret);
  const signed = receiver.taken.map(({ body, headers }) => {
    const at = new Date(Number(headers['webhook-timestamp']) * 1_000);
    return webhook.sign(String(headers['webhook-id']), at, body);
  });
  const ids = receiver.taken.map(({ headers }) => headers['webhook-id']);
  expect(signed).toEqual(receiver.taken.map(({ headers }) => headers['webhook-signature']));
  const told = receiver.taken.filter(({ json }) => json.data.code === 'writes-paused');
  expect(listTypes(told)).toEqual(['reason.began', 'reason.ended']);
  expect(new Set(ids).size).toBe(receiver.taken.length);
  expect(told[0]?.json).toMatchObject({
    type: 'reason.began',
    timestamp: expect.stringMatching(/^\d{4}-/),
    data: { code: 'writes-paused', text: expect.stringContaining('writes-paused') },
  });
});

/** Lets minutes pass in which only waiting is left: in steps of seconds. */
async function passMinutes(clock: CalmClock, { sandbox }: TestBridge, minutes: number) {
  for (let step = 0; step < minutes * 12; step += 1) {
    await clock.untilCalm(sandbox);
    await clock.advance(MINUTE_MS / 12);
  }
}

/** Runs a test with somebody whose deactivation the service does not take. */
async function withLateLeaver(
  receiver: TestReceiver,
  more: object,
  run: (
    bridge: TestBridge,
    clock: CalmClock,
    leaver: { id: string; letGo(): void },
  ) => Promise<void>,
) {
  const settings = { ...SWEEP_SETTINGS, SCIM_WRITE_WAIT: '0', ...receiver.settings(more) };
  await withCalmBridge({ settings }, async (bridge, clock) => {
    const { sandbox } = bridge;
    const id = await addUser(bridge, 'ada');
    await clock.passFor(sandbox, MINUTE_MS);
    const fault = sandbox.faults.add({ operation: '*', fault: { kind: 'status', status: 401 } });
    await deactivate(bridge, id);
    await run(bridge, clock, { id, letGo: fault.remove });
  });
}

test('a leaver who is not out after five minutes is told, by id alone, and once more when that is over', async () => {
  const receiver = await startReceiver();
  await withLateLeaver(receiver, { events: ['leaver.*'] }, async (bridge, clock, leaver) => {
    const { sandbox } = bridge;
    await passMinutes(clock, bridge, 4.75);
    const early = listTypes(receiver.taken);
    await clock.pass(sandbox, () => receiver.taken.length > 0);
    const late = listTypes(receiver.taken);
    leaver.letGo();
    await clock.pass(sandbox, () => receiver.taken.length > 1);

    expect([early, late]).toEqual([[], ['leaver.late']]);
    expect(listTypes(receiver.taken)).toEqual(['leaver.late', 'leaver.done']);
    expect(receiver.taken[0]?.json.data).toMatchObject({ user: leaver.id });
    expect(receiver.taken.map(({ body }) => body).join()).not.toContain('example.com');
  });
});

for (const [heldBy, more] of [
  ['plan', { LIMITS_PROVIDER: '1', LIMITS_PROVIDER_PERCENT: '0' }],
  ['observe-mode', { MODE: 'observe' }],
  ['writes-paused', {}],
] as const) {
  test(`a leaver whom an operator's decision keeps in is told, counted and shown with the reason: ${heldBy}`, async () => {
    const receiver = await startReceiver();
    const asked = { events: ['leaver.*'] };
    const settings = {
      ...SWEEP_SETTINGS,
      SCIM_WRITE_WAIT: '0',
      ...more,
      ...receiver.settings(asked),
    };
    const sandbox = { seed: { users: 2 } };
    await withCalmBridge({ settings, sandbox }, async (bridge, clock) => {
      const ids = [await addUser(bridge, 'user00001'), await addUser(bridge, 'user00002')];
      await clock.passFor(bridge.sandbox, MINUTE_MS);
      if (heldBy === 'writes-paused') await askOps(bridge, 'POST', '/pause', {});
      for (const id of ids) {
        await deactivate(bridge, id);
        await clock.passFor(bridge.sandbox, MINUTE_MS);
      }
      const early = listTypes(receiver.taken);
      const kept = heldBy === 'plan' ? ids.slice(1) : ids;
      await passMinutes(clock, bridge, 6);
      await clock.pass(bridge.sandbox, () => receiver.taken.length >= kept.length);
      const metrics = await readMetrics(bridge, OPS_TOKEN);
      const { body: status } = await askOps(bridge, 'GET', '/status');
      const told = receiver.taken.map(({ json }) => json.data);

      expect(early).toEqual([]);
      expect(told).toMatchObject(kept.map((user) => ({ user, heldBy })));
      expect(metrics.get('changes_waiting{kind="leaver"}')).toBe(kept.length);
      expect(metrics.get('change_oldest_age_seconds{kind="leaver"}')).toBeGreaterThan(360);
      const first = kept.map((id) => ({ id, heldBy }));
      expect(status.leavers).toMatchObject({ count: kept.length, heldBy, first });
      if (heldBy !== 'plan') return;
      const plan = String(told[0]?.plan);
      const { body: held } = await askOps(bridge, 'GET', `/plans/${plan}`);
      await askOps(bridge, 'POST', `/plans/${plan}/approve`, { hash: held.hash ?? '' });
      await clock.pass(bridge.sandbox, () => receiver.taken.length > 1);
      expect(listTypes(receiver.taken)).toEqual(['leaver.late', 'leaver.done']);
      const after = await readMetrics(bridge, OPS_TOKEN);
      expect(after.get('change_duration_seconds_bucket{le="300",kind="leaver"}')).toBe(1);
      expect(after.get('change_duration_seconds_count{kind="leaver"}')).toBe(2);
    });
  });
}

test('more than ten leavers are told as a number, and who was told alone before is told when out', async () => {
  const receiver = await startReceiver();
  const settings = {
    ...SWEEP_SETTINGS,
    SCIM_WRITE_WAIT: '0',
    UPSTREAM_RATE: '0',
    ...receiver.settings({ events: ['leaver.*'] }),
  };
  const sandbox = { seed: { users: 12 } };
  await withCalmBridge({ settings, sandbox }, async (bridge, clock) => {
    const names = Array.from(
      { length: 12 },
      (_, index) => `user${String(index + 1).padStart(5, '0')}`,
    );
    const ids = await Promise.all(names.map((name) => addUser(bridge, name)));
    await clock.passFor(bridge.sandbox, MINUTE_MS);
    await askOps(bridge, 'POST', '/pause', {});
    const [first = '', second = '', ...others] = ids;
    await deactivate(bridge, first);
    await passMinutes(clock, bridge, 4.75);
    await clock.pass(bridge.sandbox, () => receiver.taken.length >= 1);
    for (const id of [second, ...others]) await deactivate(bridge, id);
    await passMinutes(clock, bridge, 4.75);
    await clock.pass(bridge.sandbox, () => receiver.taken.length >= 2);
    const before = receiver.taken.map(({ json }) => [json.type, json.data.user ?? json.data.count]);
    for (const id of [first, second]) {
      const back = toPatch({ op: 'replace', path: 'active', value: true });
      await send(bridge, 'PATCH', `/Users/${id}`, back);
    }
    await askOps(bridge, 'POST', '/resume');
    await clock.pass(bridge.sandbox, () => receiver.taken.length >= 4);

    expect(before).toEqual([
      ['leaver.late', first],
      ['leaver.late', 12],
    ]);
    const after = receiver.taken
      .slice(2)
      .map(({ json }) => [json.type, json.data.user ?? json.data.count]);
    expect(after).toEqual(
      expect.arrayContaining([
        ['leaver.done', first],
        ['leaver.done', 10],
      ]),
    );
  });
});

test('plans that wait, differences by kind and credentials that expire are told once each', async () => {
  const receiver = await startReceiver();
  const settings = {
    ...SWEEP_SETTINGS,
    DRIFT_POLICY: '{"member.added":"repair"}',
    LIMITS_REMOVE_MEMBER_COUNT: '0',
    ...receiver.settings({ events: ['plan.*', 'drift.found.member.*', 'credential.*'] }),
  };
  await withTestBridge({ settings, clock: createLeapingClock(10) }, async (bridge) => {
    await addUser(bridge, 'ada');
    await addUser(bridge, 'bob');
    await addGroup(bridge, 'Pilots');
    await untilSettled(bridge);
    // The first look tells nothing of what was there before.
    const token = await askOps(bridge, 'POST', '/tokens', { name: 'okta', expires: '29d' });
    expect(token.status).toBe(201);
    await expect.poll(() => listTypes(receiver.taken), PATIENT).toEqual(['credential.expires']);
    for (const name of ['ada', 'bob']) {
      bridge.sandbox.service.addMember('Pilots', `${name}@example.com`);
    }
    await sweep(bridge);
    const isTold = () => listTypes(receiver.taken).includes('drift.found.member.added');
    await expect.poll(isTold, PATIENT).toBe(true);
    const isHeld = () => listTypes(receiver.taken).includes('plan.held');
    await expect.poll(isHeld, PATIENT).toBe(true);

    const drift = receiver.taken.find(({ json }) => json.type.startsWith('drift'));
    expect(drift?.json.data).toMatchObject({ kind: 'member.added', count: 2 });
    expect(listTypes(receiver.taken).filter((type) => type === 'credential.expires')).toHaveLength(
      1,
    );
    expect(receiver.taken.map(({ body }) => body).join()).not.toMatch(/okta|example\.com/);
  });
});

test('a receiver that is down for ten minutes gets everything afterwards, in order', async () => {
  const receiver = await startReceiver();
  const log: JsonObject[] = [];
  const settings = { ...SWEEP_SETTINGS, ...receiver.settings({ events: ['reason.*'] }) };
  const onLog = (line: JsonObject) => void log.push(line);
  await withCalmBridge({ settings, onLog }, async (bridge, clock) => {
    await clock.passFor(bridge.sandbox, MINUTE_MS);
    const before = receiver.taken.length;
    receiver.answer(503);
    for (let round = 0; round < 3; round += 1) {
      await askOps(bridge, 'POST', '/pause', {});
      await clock.passFor(bridge.sandbox, MINUTE_MS);
      await askOps(bridge, 'POST', '/resume');
      await clock.passFor(bridge.sandbox, MINUTE_MS);
    }
    receiver.answer(204);
    // Other reasons may be told beside it.
    const listPauses = () =>
      receiver.taken.slice(before).filter(({ json }) => json.data.code === 'writes-paused');
    await clock.pass(bridge.sandbox, () => listPauses().length >= 6);

    const told = listPauses();
    const rounds = Array.from({ length: 3 }, () => ['reason.began', 'reason.ended']);
    expect(listTypes(told)).toEqual(rounds.flat());
    expect(receiver.refused.length).toBeLessThan(20);
    expect(new Set(receiver.refused.map(({ headers }) => headers['webhook-id'])).size).toBe(1);
    const messages = log.map(({ msg }) => msg).filter((msg) => /receiver/.test(String(msg)));
    expect(messages).toEqual([
      'a receiver takes no notifications',
      'a receiver takes notifications again',
    ]);
  });
});

for (const { form, toText } of [
  { form: 'seconds', toText: () => '600' },
  {
    form: 'a date',
    toText: (now: number) => new Date(now + 10 * MINUTE_MS).toUTCString(),
  },
]) {
  test(`a receiver that asks for a pause is left alone that long, as Retry-After says: ${form}`, async () => {
    const receiver = await startReceiver();
    const settings = { ...SWEEP_SETTINGS, ...receiver.settings({ events: ['reason.*'] }) };
    await withCalmBridge({ settings }, async (bridge, clock) => {
      await clock.passFor(bridge.sandbox, MINUTE_MS);
      const answeredAt = clock.now();
      receiver.answer(429, { 'retry-after': toText(answeredAt) });
      await askOps(bridge, 'POST', '/pause', {});
      // A delivery takes time of the machine, which the clock of the bridge does not wait for.
      const passUntil = async (isOver: () => boolean) => {
        for (let step = 0; step < 60 && !isOver(); step += 1) {
          await clock.passFor(bridge.sandbox, MINUTE_MS / 6);
        }
      };
      await passUntil(() => receiver.refused.length > 0);
      await passUntil(() => clock.now() >= answeredAt + 9 * MINUTE_MS);
      const refused = receiver.refused.length;
      receiver.answer(204);
      const before = receiver.taken.length;
      await passUntil(() => receiver.taken.length > before);

      expect(refused).toBe(1);
      expect(receiver.taken.length).toBeGreaterThan(before);
    });
  });
}

test('what was not delivered survives a restart, under the same id', async () => {
  const receiver = await startReceiver();
  const named = { DATABASE_URL: await makeStoreUrl(), ...receiver.settings({ events: ['test'] }) };
  const { live } = await makeLives({ settings: { ...SWEEP_SETTINGS, ...named } });
  receiver.answer(500);
  await live(async (first) => {
    await askOps(first, 'POST', '/notifications/test', {});
    await expect.poll(() => receiver.refused.length, PATIENT).toBeGreaterThan(0);
  });
  receiver.answer(204);

  await live(async (second) => {
    await expect.poll(() => receiver.taken.length, PATIENT).toBe(1);
    const readLeft = async () => (await askOps(second, 'GET', '/notifications')).body.items;
    await expect.poll(readLeft, PATIENT).toEqual([]);
  });

  const [asked, arrived] = [receiver.refused[0], receiver.taken[0]];
  expect(arrived?.headers['webhook-id']).toBe(asked?.headers['webhook-id']);
});

test('what a receiver wants no more is given up, listed, and sent again when an operator says so', async () => {
  const receiver = await startReceiver();
  const settings = { ...SWEEP_SETTINGS, ...receiver.settings({ events: ['test'] }) };
  await withTestBridge({ settings }, async (bridge) => {
    const run = runner(bridge, [addNotificationsCommand]);
    receiver.answer(410);
    const tried = await run('notifications', 'test', 'ops');
    const dead = await askOps(bridge, 'GET', '/notifications?status=dead');
    const listed = await run('notifications', 'list', '--dead');
    receiver.answer(204);
    const again = await run('notifications', 'retry', '--all');
    await expect.poll(() => receiver.taken.length, PATIENT).toBe(1);
    const works = await run('notifications', 'test');

    expect(tried).toMatchObject({ code: 1, text: expect.stringContaining('answered with 410') });
    expect(dead.body.items).toMatchObject([{ type: 'test', status: 'dead', attempts: 1 }]);
    expect(listed.text).toMatch(/ dead +1 +answered with 410\n/);
    expect(again.text).toBe('Tried again now: 1\n');
    expect(works).toMatchObject({ code: 0, text: 'Delivered: 1\n' });
    expect((await run('notifications', 'list', '--dead')).text).toBe('There is none like that.\n');
    expect(await run('notifications', 'list')).toMatchObject({
      text: 'Every receiver has everything.\n',
    });
  });
});

test('no redirect is followed', async () => {
  const [receiver, other] = [await startReceiver(), await startReceiver()];
  const settings = { ...SWEEP_SETTINGS, ...receiver.settings({ events: ['test'] }) };
  await withTestBridge({ settings }, async (bridge) => {
    receiver.answer(307, { location: other.url });
    const ended = await runner(bridge, [addNotificationsCommand])('notifications', 'test');

    expect(ended.text).toContain('answered with 307');
    expect(other.taken).toEqual([]);
  });
});

for (const host of ['localhost', '[::ffff:127.0.0.1]', '169.254.169.254']) {
  test(`a private address gets nothing unless that is allowed: ${host}`, async () => {
    const receiver = await startReceiver();
    const url = receiver.url.replace('http:', 'https:').replace('127.0.0.1', host);
    const settings = {
      ...SWEEP_SETTINGS,
      ...receiver.settings({ url }),
      NOTIFY_HOSTS: '*',
      NOTIFY_PRIVATE_ADDRESSES: 'refuse',
    };
    await withTestBridge({ settings }, async (bridge) => {
      const ended = await runner(bridge, [addNotificationsCommand])('notifications', 'test');

      expect(ended).toMatchObject({ code: 1, text: expect.stringContaining('a private network') });
      expect(receiver.taken).toEqual([]);
    });
  });
}
