import { writeFileSync } from 'node:fs';
import type { IncomingHttpHeaders, RequestListener } from 'node:http';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { Webhook } from 'standardwebhooks';
import { expect, test } from 'vitest';
import type { JsonObject } from '../../src/domain/values.ts';
import type { TestBridge } from '../support/bridge.ts';
import { bridgeForTest } from '../support/bridge.ts';
import type { CalmClock } from '../support/calm-clock.ts';
import { startCalmBridge } from '../support/calm-clock.ts';
import { runner } from '../support/command.ts';
import { failing } from '../support/faults.ts';
import { createLeapingClock, createSetClock } from '../support/leaping-clock.ts';
import { forTest, makeFolder } from '../support/lifetimes.ts';
import { makeLives } from '../support/lives.ts';
import { serve } from '../support/local-server.ts';
import { readMetrics } from '../support/metrics.ts';
import { decide, readPlan } from '../support/pilots.ts';
import { replace } from '../support/provider.ts';

interface Arrived {
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
  readonly json: {
    readonly type: string;
    readonly timestamp: string;
    readonly data: Readonly<Record<string, unknown>>;
  };
}

async function startReceiver() {
  let reply = { status: 204, headers: {} };
  const [taken, refused]: [Arrived[], Arrived[]] = [[], []];
  const answer: RequestListener = async (req, res) => {
    const body = await text(req);
    const { status, headers } = reply;
    const list = status < 300 ? taken : refused;
    list.push({ headers: req.headers, body, json: JSON.parse(body) });
    res.writeHead(status, headers).end();
  };
  const { url: base } = await forTest(serve(answer));
  const secret = `whsec_${Buffer.from('a secret of twenty-four bytes').toString('base64')}`;
  const secretFile = join(makeFolder(), 'secret');
  writeFileSync(secretFile, `${secret}\n`);
  const url = `${base}/hook`;
  return {
    url,
    taken,
    refused,
    secret,
    secretFile,
    answer(status: number, headers: Readonly<Record<string, string>> = {}) {
      reply = { status, headers };
    },
    settings: (more: object = {}): Record<string, string> => ({
      NOTIFY_RECEIVERS: JSON.stringify([{ name: 'ops', url, secretFile, ...more }]),
      NOTIFY_HOSTS: '127.0.0.1',
      NOTIFY_PRIVATE_ADDRESSES: 'allow',
    }),
  };
}

/** The machine may be busy, and the state is looked at every few seconds. */
const PATIENT = { interval: 50 };
const MINUTE_MS = 60_000;

const listTypes = (arrived: readonly Arrived[]) => arrived.map(({ json }) => json.type);
const deactivate = (bridge: TestBridge, id: string) =>
  bridge.patch(`/Users/${id}`, replace('active', false));

test('a reason is told when it begins and when it ends, signed as Standard Webhooks says; a receiver that was down is told what holds', async () => {
  const receiver = await startReceiver();
  const log: JsonObject[] = [];
  const settings = receiver.settings({ events: ['reason.*'] });
  const onLog = (line: JsonObject) => void log.push(line);
  // Other reasons may be told beside it.
  const listPauses = () => receiver.taken.filter(({ json }) => json.data.code === 'writes-paused');
  const { bridge, clock } = await forTest(startCalmBridge({ settings, onLog }));
  const { taken, refused } = receiver;
  const pass = (isSo: () => boolean) => clock.pass(bridge.sandbox, isSo);
  /** Pauses or resumes, and waits until the receiver has taken so many of it: what is on its way takes real time. */
  const ask = async (path: '/pause' | '/resume', count: number) => {
    await bridge.ops('POST', path, {});
    await pass(() => listPauses().length >= count);
  };

  await ask('/pause', 1);
  await ask('/resume', 2);
  receiver.answer(503);
  for (const path of ['/pause', '/resume']) {
    await bridge.ops('POST', path, {});
    await clock.passFor(bridge.sandbox, MINUTE_MS);
  }
  const pausedAt = clock.now();
  await bridge.ops('POST', '/pause', {});
  // One message is sent after the other: once this one was refused, none from before is on its way.
  const isNew = ({ json: { type, timestamp, data } }: Arrived) =>
    `${type} ${data.code}` === 'reason.began writes-paused' && Date.parse(timestamp) >= pausedAt;
  await pass(() => refused.some(isNew));
  receiver.answer(204);
  await pass(() => listPauses().length >= 3);
  await ask('/resume', 4);
  await ask('/pause', 5);
  receiver.answer(503);
  for (const path of ['/resume', '/pause', '/resume']) {
    await bridge.ops('POST', path, {});
    await clock.passFor(bridge.sandbox, MINUTE_MS);
  }
  receiver.answer(204);
  await pass(() => listPauses().length >= 6);

  const listMessages = () => log.map(({ msg }) => msg).filter((msg) => /receiver/.test(`${msg}`));
  const told = listPauses();
  const webhook = new Webhook(receiver.secret);
  const signed = taken.map(({ body, headers }) => {
    const at = new Date(Number(headers['webhook-timestamp']) * 1_000);
    return webhook.sign(String(headers['webhook-id']), at, body);
  });
  const listIds = (arrived: readonly Arrived[]) =>
    new Set(arrived.map(({ headers }) => headers['webhook-id']));
  expect(signed).toEqual(taken.map(({ headers }) => headers['webhook-signature']));
  expect(listIds(taken).size).toBe(taken.length);
  expect(told[0]?.json).toMatchObject({
    type: 'reason.began',
    timestamp: expect.stringMatching(/^\d{4}-/),
    data: { code: 'writes-paused', text: expect.stringContaining('writes-paused') },
  });
  const rounds = Array.from({ length: 3 }, () => ['reason.began', 'reason.ended']);
  expect(listTypes(told)).toEqual(rounds.flat());
  expect(refused.length).toBeLessThan(30);
  const outage = ['a receiver takes no notifications', 'a receiver takes notifications again'];
  await expect.poll(listMessages).toEqual([...outage, ...outage]);
});

test('a condition that is over before its receiver has taken it is told by its end alone', async () => {
  const receiver = await startReceiver();
  const secretFile = join(makeFolder(), 'secret');
  const heard: string[] = [];
  let isMended = false;
  const { url } = await forTest(
    serve(async (req, res) => {
      const what = /reason.(began|ended).*writes-paused/.exec(await text(req))?.[1];
      if (!isMended && req.url === '/silent') return res.destroy();
      if (isMended && what) heard.push(`${req.url} ${what}`);
      return res.writeHead(isMended ? 204 : 500).end();
    }),
  );
  const receivers = ['answered', 'silent', 'unsigned'].map((name) => ({
    name,
    url: `${url}/${name}`,
    secretFile: name === 'unsigned' ? secretFile : receiver.secretFile,
  }));
  const settings = { ...receiver.settings(), NOTIFY_RECEIVERS: JSON.stringify(receivers) };
  const { bridge, clock } = await forTest(startCalmBridge({ settings }));
  for (const path of ['/pause', '/resume']) {
    await bridge.ops('POST', path, {});
    await clock.passFor(bridge.sandbox, MINUTE_MS);
  }
  isMended = true;
  writeFileSync(secretFile, receiver.secret);
  await clock.pass(bridge.sandbox, () => heard.length > 2);
  await clock.passFor(bridge.sandbox, 6 * MINUTE_MS);
  await expect.poll(() => bridge.listOps('/notifications'), PATIENT).toEqual([]);
  const ends = ['/answered', '/silent', '/unsigned'].map((path) => `${path} ended`);
  expect(heard.toSorted()).toEqual(ends);
});

async function passMinutes(clock: CalmClock, { sandbox }: TestBridge, minutes: number) {
  for (let step = 0; step < minutes * 4; step += 1) {
    await clock.untilCalm(sandbox);
    await clock.advance(MINUTE_MS / 4);
  }
}

test("a leaver whom an operator's decision keeps in is told, counted and shown with the reason", async () => {
  const receiver = await startReceiver();
  const heldBy = 'plan';
  const settings = {
    ...{ SCIM_WRITE_WAIT: '0', LIMITS_PROVIDER: '1', LIMITS_PROVIDER_PERCENT: '0' },
    ...receiver.settings({ events: ['leaver.*'] }),
  };
  const sandbox = { seed: { users: 2 } };
  const { bridge, clock } = await forTest(startCalmBridge({ settings, sandbox }));
  const ids = await bridge.addPeople('user00001', 'user00002');
  await clock.passFor(bridge.sandbox, MINUTE_MS);
  for (const id of ids) {
    await deactivate(bridge, id);
    await clock.passFor(bridge.sandbox, MINUTE_MS);
  }
  const early = listTypes(receiver.taken);
  const kept = ids.slice(1);
  await passMinutes(clock, bridge, 6);
  await clock.pass(bridge.sandbox, () => receiver.taken.length >= kept.length);
  const metrics = await readMetrics(bridge);
  const { body: status } = await bridge.ops('GET', '/status');
  const told = receiver.taken.map(({ json }) => json.data);

  expect(early).toEqual([]);
  expect(told).toMatchObject(kept.map((user) => ({ user, heldBy })));
  expect(metrics.get('changes_waiting{kind="leaver"}')).toBe(kept.length);
  expect(metrics.get('change_oldest_age_seconds{kind="leaver"}')).toBeGreaterThan(360);
  const first = kept.map((id) => ({ id, heldBy }));
  expect(status.leavers).toMatchObject({ count: kept.length, heldBy, first });
  const plan = String(told[0]?.plan);
  await decide(bridge, await readPlan(bridge, plan), 'approve');
  await clock.pass(bridge.sandbox, () => receiver.taken.length > 1);
  expect(listTypes(receiver.taken)).toEqual(['leaver.late', 'leaver.done']);
  const after = await readMetrics(bridge);
  expect(after.get('change_duration_seconds_bucket{le="300",kind="leaver"}')).toBe(1);
  expect(after.get('change_duration_seconds_count{kind="leaver"}')).toBe(2);
});

test('a leaver who is not out after five minutes is told by id alone, and so is that he is out; ten of many are told', async () => {
  const receiver = await startReceiver();
  const settings = { SCIM_WRITE_WAIT: '0', ...receiver.settings({ events: ['leaver.*'] }) };
  const { bridge, clock } = await forTest(startCalmBridge({ settings }));
  const { sandbox } = bridge;
  // A receiver that answers late is told again, under the same id.
  const listOnce = () => {
    const byId = new Map(receiver.taken.map(({ headers, json }) => [headers['webhook-id'], json]));
    return [...byId.values()];
  };
  const listTold = () => listOnce().map(({ type, data }) => [type, data.user]);
  const passUntilTold = (count: number) => clock.pass(sandbox, () => listTold().length >= count);
  const [refused = '', first = '', second = '', ...others] = await bridge.addUsers(13);
  await clock.passFor(sandbox, MINUTE_MS);
  const fault = sandbox.faults.add({ operation: '*', fault: failing(401) });
  await deactivate(bridge, refused);
  await passMinutes(clock, bridge, 4.75);
  expect(listTold()).toEqual([]);
  await passUntilTold(1);
  fault.remove();
  await passUntilTold(2);
  await bridge.ops('POST', '/pause', {});
  await deactivate(bridge, first);
  await passUntilTold(3);
  const { body: status } = await bridge.ops('GET', '/status');
  for (const id of [second, ...others]) await deactivate(bridge, id);
  await passMinutes(clock, bridge, 4.75);
  await passUntilTold(12);
  const before = listTold();
  for (const id of [first, second]) await bridge.patch(`/Users/${id}`, replace('active', true));
  await bridge.ops('POST', '/resume');
  const isTold = () => listTold().some(([type, user]) => type === 'leaver.done' && user === first);
  await clock.pass(sandbox, isTold);

  expect(before.slice(0, 3)).toEqual([
    ['leaver.late', refused],
    ['leaver.done', refused],
    ['leaver.late', first],
  ]);
  expect(before).toHaveLength(12);
  const heldBy = 'writes-paused';
  expect(listOnce()[2]?.data).toMatchObject({ user: first, heldBy });
  expect(status.leavers).toMatchObject({ count: 1, heldBy, first: [{ id: first, heldBy }] });
  expect(receiver.taken.map(({ body }) => body).join()).not.toContain('example.com');
});

test('plans that wait, differences by kind and credentials that expire are told once each', async () => {
  const receiver = await startReceiver();
  const settings = {
    DRIFT_POLICY: '{"member.added":"repair"}',
    LIMITS_REPAIR: '0',
    ...receiver.settings({ events: ['plan.*', 'drift.found.member.*', 'credential.*'] }),
  };
  const bridge = await bridgeForTest({ settings, clock: createLeapingClock(10) });
  await bridge.addPeople('ada', 'bob');
  await bridge.settled(bridge.addGroup('Pilots'));
  // The first look tells nothing of what was there before.
  expect((await bridge.ops('POST', '/tokens', { name: 'okta', expires: '29d' })).status).toBe(201);
  await expect.poll(() => listTypes(receiver.taken), PATIENT).toEqual(['credential.expires']);
  for (const name of ['ada', 'bob']) bridge.sandbox.service.link('Pilots', `${name}@example.com`);
  await bridge.sweep();
  const isTold = () => listTypes(receiver.taken).includes('drift.found.member.added');
  await expect.poll(isTold, PATIENT).toBe(true);
  const isHeld = () => listTypes(receiver.taken).includes('plan.held');
  await expect.poll(isHeld, PATIENT).toBe(true);

  const drift = receiver.taken.find(({ json }) => json.type.startsWith('drift'));
  expect(drift?.json.data).toMatchObject({ kind: 'member.added', count: 2 });
  expect(listTypes(receiver.taken).filter((type) => type === 'credential.expires')).toHaveLength(1);
  expect(receiver.taken.map(({ body }) => body).join()).not.toMatch(/okta|example\.com/);
});

test('what was not delivered survives a restart, under the same id, also where the clock was set back meanwhile', async () => {
  const receiver = await startReceiver();
  const { live } = await makeLives({ settings: receiver.settings({ events: ['test'] }) });
  receiver.answer(500);
  const send = async (first: TestBridge) => {
    await first.ops('POST', '/notifications/test', {});
    await expect.poll(() => receiver.refused.length, PATIENT).toBeGreaterThan(0);
  };
  const clock = createSetClock();
  clock.state.aheadMs = 60 * MINUTE_MS;
  await live(send, {}, { clock });
  receiver.answer(204);

  await live(async (second) => {
    await expect.poll(() => receiver.taken.length, PATIENT).toBe(1);
    await expect.poll(() => second.listOps('/notifications'), PATIENT).toEqual([]);
  });

  const [asked, arrived] = [receiver.refused[0], receiver.taken[0]];
  expect(arrived?.headers['webhook-id']).toBe(asked?.headers['webhook-id']);
});

async function untilTried(bridge: TestBridge) {
  const list = () => bridge.listOps('/notifications');
  await expect.poll(async () => (await list()).every(({ error }) => error), PATIENT).toBe(true);
  return list();
}

test('what a receiver refuses is listed, and sent again until it is taken; no redirect is followed', async () => {
  const [receiver, other] = [await startReceiver(), await startReceiver()];
  const settings = receiver.settings({ events: ['test'] });
  // It is sent again after five seconds.
  const bridge = await bridgeForTest({ settings, clock: createLeapingClock(10) });
  const run = runner(bridge);
  receiver.answer(410);
  const tried = await run('notifications', 'test', 'ops');
  await expect.poll(() => receiver.refused.length, PATIENT).toBe(1);
  const kept = await untilTried(bridge);
  const listed = await run('notifications', 'list');
  receiver.answer(204);
  await expect.poll(() => receiver.taken.length, { ...PATIENT, timeout: 20_000 }).toBe(1);
  await expect.poll(() => bridge.listOps('/notifications'), PATIENT).toEqual([]);

  expect(tried).toMatchObject({ code: 0, text: expect.stringContaining('Sent: 1.') });
  expect(kept).toMatchObject([{ type: 'test', attempts: 1 }]);
  expect(listed.text).toMatch(/ test +1 +answered with 410\n/);
  expect(await run('notifications', 'list')).toMatchObject({ text: 'There is nothing to list.\n' });
  receiver.answer(307, { location: other.url });
  await run('notifications', 'test');
  expect(await untilTried(bridge)).toMatchObject([{ error: 'answered with 307' }]);
  expect(other.taken).toEqual([]);
});

test('a private address gets nothing unless that is allowed', async () => {
  const receiver = await startReceiver();
  const receivers = ['localhost', '[::ffff:127.0.0.1]', '169.254.169.254'].map((host, index) => ({
    name: `private${index}`,
    url: receiver.url.replace('http:', 'https:').replace('127.0.0.1', host),
    secretFile: receiver.secretFile,
  }));
  const refusing = { NOTIFY_HOSTS: '*', NOTIFY_PRIVATE_ADDRESSES: 'refuse' };
  const settings = { NOTIFY_RECEIVERS: JSON.stringify(receivers), ...refusing };
  const bridge = await bridgeForTest({ settings });
  const run = runner(bridge);
  for (const { name, url } of receivers) {
    await run('notifications', 'test', name);
    expect(await bridge.listOps(`/notifications?receiver=${name}`), url).not.toEqual([]);
  }
  for (const { error } of await untilTried(bridge)) expect(error).toContain('a private network');
  expect(receiver.taken).toEqual([]);
});
