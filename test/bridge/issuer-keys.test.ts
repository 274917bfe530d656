import { expect, test } from 'vitest';
import type { JsonObject } from '../../src/domain/json.ts';
import {
  APP,
  AUDIENCE,
  makeClient,
  present,
  presentRight,
  SETTINGS,
  toRight,
} from '../support/assertions.ts';
import { type TestBridge, withTestBridge } from '../support/bridge.ts';
import {
  type IssuerMood,
  makeKey,
  signText,
  startIssuer,
  type TestIssuer,
} from '../support/issuer.ts';
import { createLeapingClock, type LeapingClock } from '../support/leaping-clock.ts';
import { makeLives } from '../support/lives.ts';
import { makeStoreUrl } from '../support/store-url.ts';
import { askOps } from '../support/sweep.ts';

const HOUR_MS = 3_600_000;
/** What a second reading of keys waits for. */
const PAUSE_MS = 5_000;

/** A bridge, an issuer, and a client that trusts it. */
interface World {
  readonly bridge: TestBridge;
  readonly issuer: TestIssuer;
  readonly id: string;
  readonly clock: LeapingClock;
  readonly lines: JsonObject[];
}

async function withIssuer(run: (world: World) => Promise<void>, speed = 1): Promise<void> {
  const issuer = await startIssuer();
  const clock = createLeapingClock(speed);
  const lines: JsonObject[] = [];
  const onLog = (line: JsonObject) => void lines.push(line);
  await withTestBridge({ clock, onLog, settings: SETTINGS }, async (bridge) => {
    const id = await makeClient(bridge, issuer, { jwksUri: issuer.jwksUri });
    await run({ bridge, issuer, id, clock, lines });
  });
}

/** Presents a right assertion by the clock of the bridge, and says how it is answered. */
async function sign(world: World): Promise<number> {
  const { bridge, issuer, id, clock } = world;
  return (await present(bridge, id, await issuer.sign(toRight(issuer, clock.now())))).status;
}

test('a key that the issuer shows no more is good for ten minutes', () =>
  withIssuer(async (world) => {
    const old = [...world.issuer.keys];
    expect(await sign(world)).toBe(200);
    const next = await makeKey('second');
    world.clock.leap(601_000);
    world.issuer.keys = [next];
    expect(await sign(world)).toBe(200);
    world.issuer.keys = [...old, next];
    const text = await world.issuer.sign(toRight(world.issuer, world.clock.now()));
    world.issuer.keys = [next];
    expect((await present(world.bridge, world.id, text)).status).toBe(401);
  }));

test('a new key is found at once, and no request is refused, whatever strangers have sent before', () =>
  withIssuer(async (world) => {
    const { bridge, issuer, id } = world;
    expect(await sign(world)).toBe(200);
    expect((await present(bridge, id, await signAsStranger(issuer))).status).toBe(401);
    issuer.keys = [await makeKey('second'), ...issuer.keys];
    const both = await Promise.all(Array.from({ length: 5 }, () => sign(world)));
    issuer.keys = [await makeKey('third')];
    const after = await Promise.all(Array.from({ length: 5 }, () => sign(world)));

    expect([...both, ...after]).toEqual(Array.from({ length: 10 }, () => 200));
    expect((await presentRight(bridge, id, issuer)).status).toBe(200);
    // The first one, one for the stranger, and one for each new key.
    expect(issuer.asked).toHaveLength(4);
  }, 10));

/** Right claims with an unknown key. */
async function signAsStranger(issuer: TestIssuer): Promise<string> {
  return signText(JSON.stringify(toRight(issuer)), await makeKey('nobody'));
}

test('strangers hold no more than a hundred requests that wait for a key, and none of a known key', () =>
  withIssuer(async (world) => {
    const { bridge, issuer, id, clock } = world;
    const stranger = await signAsStranger(issuer);
    expect((await present(bridge, id, stranger)).status).toBe(401);
    const waiting = Array.from({ length: 101 }, () => present(bridge, id, stranger));
    let isOver = false;
    const ended = Promise.allSettled(waiting).then(() => {
      isOver = true;
    });

    expect((await Promise.race(waiting)).status).toBe(503);
    expect(await sign(world)).toBe(200);
    // They still wait for the next reading.
    expect(isOver).toBe(false);
    clock.leap(PAUSE_MS);
    await ended;
  }));

test('a flood of unknown keys has the issuer asked once in five seconds', () =>
  withIssuer(async (world) => {
    const { bridge, issuer, id, clock } = world;
    expect(await sign(world)).toBe(200);
    const wrong = await Promise.all(Array.from({ length: 50 }, () => signAsStranger(issuer)));
    const startedAt = clock.now();
    const answers = await Promise.all(wrong.map((text) => present(bridge, id, text)));
    const pauses = Math.floor((clock.now() - startedAt) / PAUSE_MS);

    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([401]));
    // The first one, one at once, and one after each pause.
    expect(issuer.asked.length).toBeLessThanOrEqual(2 + pauses);
    expect(await sign(world)).toBe(200);
  }, 10));

test('while the issuer is down its keys serve for a day; a new key, and the time after, are 503 and no refusal', () =>
  withIssuer(async (world) => {
    const { issuer, clock, lines } = world;
    expect(await sign(world)).toBe(200);
    issuer.mood = { kind: 'status', status: 502 };
    clock.leap(23 * HOUR_MS);
    expect(await sign(world)).toBe(200);
    const old = issuer.keys;
    issuer.keys = [await makeKey('second')];
    expect(await sign(world)).toBe(503);
    issuer.keys = old;
    clock.leap(HOUR_MS + 60_000);
    const late = await present(
      world.bridge,
      world.id,
      await issuer.sign(toRight(issuer, clock.now())),
    );
    expect(late).toMatchObject({ status: 503, body: { error: 'temporarily_unavailable' } });
    expect(late.headers['retry-after']).toBe('5');
    issuer.mood = { kind: 'up' };
    clock.leap(PAUSE_MS + 1);
    expect(await sign(world)).toBe(200);
    const told = lines.filter(({ msg }) => msg === 'the keys of an issuer cannot be read');
    expect(told[0]).toMatchObject({ error: 'answered with 502', attempts: 1 });
    expect(lines.filter(({ level }) => level === 'error')).toEqual([]);
  }));

test.each<[why: string, mood: IssuerMood, error: string]>([
  [
    'a redirect',
    { kind: 'status', status: 302, headers: { location: '/keys' } },
    'answered with 302',
  ],
  ['too much', { kind: 'text', text: ' '.repeat(262_145) }, 'more than 262144 bytes'],
])('%s in the place of keys is told, and refuses nobody for good', (_, mood, error) =>
  withIssuer(async (world) => {
    world.issuer.mood = mood;
    expect(await sign(world)).toBe(503);
    const told = world.lines.filter(({ msg }) => msg === 'the keys of an issuer cannot be read');
    expect(told).toMatchObject([{ host: new URL(world.issuer.url).host, error }]);
    world.issuer.mood = { kind: 'up' };
    world.clock.leap(PAUSE_MS + 1);
    expect(await sign(world)).toBe(200);
  }),
);

test('keys that the description of an issuer leads to are read there, if it is of that issuer and allowed', async () => {
  const issuer = await startIssuer();
  const clock = createLeapingClock();
  await withTestBridge({ clock, settings: SETTINGS }, async (bridge) => {
    const id = await makeClient(bridge, issuer);
    const world = { bridge, issuer, id, clock, lines: [] };
    const wrong = [
      { issuer: `${issuer.url}/` },
      { jwks_uri: undefined },
      { jwks_uri: 'http://localhost:1/keys' },
      { jwks_uri: 'file:///etc/passwd' },
    ];
    for (const description of wrong) {
      issuer.description = description;
      expect(await sign(world), JSON.stringify(description)).toBe(503);
      clock.leap(PAUSE_MS + 1);
    }
    issuer.description = {};
    issuer.asked.length = 0;
    expect(await sign(world)).toBe(200);
    expect(issuer.asked).toEqual(['/.well-known/openid-configuration', '/keys']);
  });
});

test('a host of a private network is not asked, by its address or by its name, nor one without TLS', async () => {
  const issuer = await startIssuer();
  const lines: JsonObject[] = [];
  const settings = { ...SETTINGS, OAUTH_PRIVATE_ADDRESSES: 'refuse', OAUTH_KEY_HOSTS: '*' };
  await withTestBridge({ settings, onLog: (line) => void lines.push(line) }, async (bridge) => {
    const claims = { appid: [APP] };
    const trust = { issuer: issuer.url, audiences: [AUDIENCE], claims };
    const plain = await askOps(bridge, 'POST', '/clients', { name: 'plain', trust });
    expect([plain.status, plain.body.code]).toEqual([409, 'host-refused']);
    const places = ['https://127.0.0.1:1/', 'https://[::ffff:10.0.0.1]/', 'https://localhost:1/'];
    for (const [nth, jwksUri] of places.entries()) {
      const body = {
        name: `client-of-${nth}`.replace('client-', 'c-'),
        trust: { ...trust, jwksUri },
      };
      const made = await askOps(bridge, 'POST', '/clients', body);
      const answer = await presentRight(bridge, String(made.body.id), issuer);
      expect(answer.status, jwksUri).toBe(503);
    }
    const told = lines.filter(({ msg }) => msg === 'the keys of an issuer cannot be read');
    expect(told.map(({ error }) => error)).toEqual(
      places.map(() => 'the host has an address of a private network, which the settings refuse'),
    );
    expect(issuer.asked).toEqual([]);
  });
});

test('a host that the settings name no more is not asked', async () => {
  const issuer = await startIssuer();
  const lives = await makeLives({ settings: { ...SETTINGS, DATABASE_URL: await makeStoreUrl() } });
  const id = await lives.live((bridge) => makeClient(bridge, issuer));
  const other = { OAUTH_KEY_HOSTS: 'keys.example.com' };

  const answer = await lives.live((bridge) => presentRight(bridge, id, issuer), other);

  expect(answer.status).toBe(503);
  expect(issuer.asked).toEqual([]);
});
