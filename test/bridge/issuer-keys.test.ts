import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { JsonObject } from '../../src/domain/values.ts';
import {
  APP,
  AUDIENCE,
  makeClient,
  present,
  presentRight,
  SETTINGS,
  toRight,
} from '../support/assertions.ts';
import type { TestBridge } from '../support/bridge.ts';
import { bridgeForTest, startTestBridge } from '../support/bridge.ts';
import { failing } from '../support/faults.ts';
import type { IssuerMood, TestIssuer } from '../support/issuer.ts';
import { makeKey, signText, startIssuer } from '../support/issuer.ts';
import type { LeapingClock } from '../support/leaping-clock.ts';
import { createLeapingClock } from '../support/leaping-clock.ts';
import { forTest } from '../support/lifetimes.ts';
import { makeLives } from '../support/lives.ts';

const HOUR_MS = 3_600_000;
const PAUSE_MS = 5_000;

let bridge: TestBridge;
let clock: LeapingClock;
const lines: JsonObject[] = [];

function shareBridge(speed?: number): void {
  beforeAll(async () => {
    clock = createLeapingClock(speed);
    const onLog = (line: JsonObject) => void lines.push(line);
    bridge = await startTestBridge({ clock, onLog, settings: SETTINGS });
  });
  afterAll(() => bridge.stop());
}

interface Trust {
  readonly issuer: TestIssuer;
  readonly id: string;
}

async function trustIssuer(place: 'described' | 'told' = 'told'): Promise<Trust> {
  const issuer = await forTest(startIssuer());
  lines.length = 0;
  const where = place === 'told' ? { jwksUri: issuer.jwksUri } : {};
  return { issuer, id: await makeClient(bridge, issuer, where, `of-${new URL(issuer.url).port}`) };
}

async function sign({ issuer, id }: Trust): Promise<number> {
  return (await present(bridge, id, await issuer.sign(toRight(issuer, clock.now())))).status;
}

async function signAsStranger(issuer: TestIssuer): Promise<string> {
  return signText(JSON.stringify(toRight(issuer, clock.now())), await makeKey('nobody'));
}

describe('the keys of an issuer', () => {
  shareBridge();

  test('a key that the issuer shows no more is good for ten minutes', async () => {
    const trust = await trustIssuer();
    const { issuer, id } = trust;
    const old = [...issuer.keys];
    expect(await sign(trust)).toBe(200);
    const next = await makeKey('second');
    clock.leap(601_000);
    issuer.keys = [next];
    expect(await sign(trust)).toBe(200);
    issuer.keys = [...old, next];
    const text = await issuer.sign(toRight(issuer, clock.now()));
    issuer.keys = [next];
    expect((await present(bridge, id, text)).status).toBe(401);
  });

  test('strangers hold no more than a hundred requests that wait for a key, and none of a known key', async () => {
    const trust = await trustIssuer();
    const stranger = await signAsStranger(trust.issuer);
    expect((await present(bridge, trust.id, stranger)).status).toBe(401);
    const waiting = Array.from({ length: 101 }, () => present(bridge, trust.id, stranger));
    let isOver = false;
    const ended = Promise.allSettled(waiting).then(() => {
      isOver = true;
    });

    expect((await Promise.race(waiting)).status).toBe(503);
    expect(await sign(trust)).toBe(200);
    // They still wait for the next reading.
    expect(isOver).toBe(false);
    clock.leap(PAUSE_MS);
    await ended;
  });

  test('while the issuer is down its keys serve for a day; a new key, and the time after, are 503 and no refusal', async () => {
    const trust = await trustIssuer();
    const { issuer, id } = trust;
    expect(await sign(trust)).toBe(200);
    issuer.mood = failing(502);
    clock.leap(23 * HOUR_MS);
    expect(await sign(trust)).toBe(200);
    const old = issuer.keys;
    issuer.keys = [await makeKey('second')];
    expect(await sign(trust)).toBe(503);
    issuer.keys = old;
    clock.leap(HOUR_MS + 60_000);
    const late = await present(bridge, id, await issuer.sign(toRight(issuer, clock.now())));
    expect(late).toMatchObject({ status: 503, body: { error: 'temporarily_unavailable' } });
    expect(late.headers['retry-after']).toBe('5');
    issuer.mood = { kind: 'up' };
    clock.leap(PAUSE_MS + 1);
    expect(await sign(trust)).toBe(200);
    const told = lines.filter(({ msg }) => msg === 'the keys of an issuer cannot be read');
    expect(told[0]).toMatchObject({ reason: 'answered with 502', attempts: 1 });
    expect(lines.filter(({ level }) => level === 'error')).toEqual([]);
  });

  const headers = { location: '/keys' };
  test.each<[why: string, mood: IssuerMood, reason: string]>([
    ['a redirect', { kind: 'status', status: 302, headers }, 'answered with 302'],
    ['too much', { kind: 'text', text: ' '.repeat(262_145) }, 'more than 262144 bytes'],
  ])('%s in the place of keys is told, and refuses nobody for good', async (_, mood, reason) => {
    const trust = await trustIssuer();
    const { issuer } = trust;
    issuer.mood = mood;
    expect(await sign(trust)).toBe(503);
    const told = lines.filter(({ msg }) => msg === 'the keys of an issuer cannot be read');
    expect(told).toMatchObject([{ host: new URL(issuer.url).host, reason }]);
    issuer.mood = { kind: 'up' };
    clock.leap(PAUSE_MS + 1);
    expect(await sign(trust)).toBe(200);
  });

  test('keys that the description of an issuer leads to are read there, if it is of that issuer and allowed', async () => {
    const trust = await trustIssuer('described');
    const { issuer } = trust;
    const wrong = [
      { issuer: `${issuer.url}/` },
      { jwks_uri: undefined },
      { jwks_uri: 'http://localhost:1/keys' },
      { jwks_uri: 'file:///etc/passwd' },
    ];
    for (const description of wrong) {
      issuer.description = description;
      expect(await sign(trust), JSON.stringify(description)).toBe(503);
      clock.leap(PAUSE_MS + 1);
    }
    issuer.description = {};
    issuer.asked.length = 0;
    expect(await sign(trust)).toBe(200);
    expect(issuer.asked).toEqual(['/.well-known/openid-configuration', '/keys']);
  });
});

describe('an unknown key', () => {
  // Pauses of seconds are waited for here.
  shareBridge(10);

  test('is found at once when it is new, and no request is refused, whatever strangers have sent before', async () => {
    const trust = await trustIssuer();
    const { issuer, id } = trust;
    expect(await sign(trust)).toBe(200);
    expect((await present(bridge, id, await signAsStranger(issuer))).status).toBe(401);
    issuer.keys = [await makeKey('second'), ...issuer.keys];
    const both = await Promise.all(Array.from({ length: 3 }, () => sign(trust)));
    issuer.keys = [await makeKey('third')];
    const after = await Promise.all(Array.from({ length: 3 }, () => sign(trust)));

    expect([...both, ...after]).toEqual(Array.from({ length: 6 }, () => 200));
    // The first one, one for the stranger, and one for each new key.
    expect(issuer.asked).toHaveLength(4);
  });

  test('has the issuer asked once in five seconds, however many are sent', async () => {
    const trust = await trustIssuer();
    const { issuer, id } = trust;
    expect(await sign(trust)).toBe(200);
    const wrong = await Promise.all(Array.from({ length: 20 }, () => signAsStranger(issuer)));
    const startedAt = clock.now();
    const answers = await Promise.all(wrong.map((text) => present(bridge, id, text)));
    const pauses = Math.floor((clock.now() - startedAt) / PAUSE_MS);

    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([401]));
    // The first one, one at once, and one after each pause.
    expect(issuer.asked.length).toBeLessThanOrEqual(2 + pauses);
    expect(await sign(trust)).toBe(200);
  });
});

test('a host of a private network is not asked, by its address or by its name, nor one without TLS', async () => {
  const issuer = await forTest(startIssuer());
  const lines: JsonObject[] = [];
  const settings = { ...SETTINGS, OAUTH_PRIVATE_ADDRESSES: 'refuse', OAUTH_KEY_HOSTS: '*' };
  const bridge = await bridgeForTest({ settings, onLog: (line) => void lines.push(line) });
  const claims = { appid: [APP] };
  const trust = { issuer: issuer.url, audiences: [AUDIENCE], claims };
  const plain = await bridge.ops('POST', '/clients', { name: 'plain', trust });
  expect([plain.status, plain.body.code]).toEqual([409, 'host-refused']);
  const places = ['https://127.0.0.1:1/', 'https://[::ffff:10.0.0.1]/', 'https://localhost:1/'];
  for (const [nth, jwksUri] of places.entries()) {
    const body = { name: `c-of-${nth}`, trust: { ...trust, jwksUri } };
    const made = await bridge.ops('POST', '/clients', body);
    expect((await presentRight(bridge, String(made.body.id), issuer)).status, jwksUri).toBe(503);
  }
  const told = lines.filter(({ msg }) => msg === 'the keys of an issuer cannot be read');
  expect(told.map(({ reason }) => reason)).toEqual(
    places.map(() => 'the host has an address of a private network, which the settings refuse'),
  );
  expect(issuer.asked).toEqual([]);
});

test('a host that the settings name no more is not asked', async () => {
  const issuer = await forTest(startIssuer());
  const lives = await makeLives({ settings: { ...SETTINGS } });
  const id = await lives.live((bridge) => makeClient(bridge, issuer));
  const other = { OAUTH_KEY_HOSTS: 'keys.example.com' };

  const answer = await lives.live((bridge) => presentRight(bridge, id, issuer), other);

  expect(answer.status).toBe(503);
  expect(issuer.asked).toEqual([]);
});
