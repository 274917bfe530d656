import { expect, test } from 'vitest';
import { USER_EXTENSION } from '../src/domain/extensions.ts';
import type { JsonObject } from '../src/domain/json.ts';
import type { SandboxShapeChange } from '../src/sandbox/shape.ts';
import { listStuck, readBacklog } from '../src/store/resources/backlog.ts';
import type { TestBridge } from './support/bridge.ts';
import { makeLives } from './support/lives.ts';
import { addUser, send, toPatch, toUser } from './support/provider.ts';
import { describeBridges } from './support/stores.ts';
import { askOps, SWEEP_SETTINGS } from './support/sweep.ts';
import { type TimedBridge, untilQuiet, withTimedBridge } from './support/timed-bridge.ts';

const MINUTE_MS = 60_000;
const setActive = (value: boolean) => toPatch({ op: 'replace', path: 'active', value });
const setLicence = (value: number) =>
  toPatch({ op: 'replace', path: `${USER_EXTENSION}:appsPermissions`, value });

/** A company with so many licences; its owner has one of them. */
function withSeats(
  seats: number,
  run: (timed: TimedBridge) => Promise<void>,
  {
    url,
    shape,
    settings,
  }: {
    readonly url?: string;
    readonly shape?: SandboxShapeChange;
    readonly settings?: Readonly<Record<string, string>>;
  } = {},
): Promise<void> {
  return withTimedBridge(
    {
      settings: {
        ...SWEEP_SETTINGS,
        SCIM_WRITE_WAIT: '5s',
        ...settings,
        ...(url === undefined ? {} : { DATABASE_URL: url }),
      },
      sandbox: { shape: { ...shape, seats } },
    },
    run,
  );
}

/** Addresses of those who work in the service, without the owner. */
function listWorking({ sandbox }: TestBridge): string[] {
  return sandbox.service
    .users()
    .filter(({ active, role }) => active && role !== 1)
    .map(({ email }) => email);
}

async function readReasons(bridge: TestBridge): Promise<JsonObject[]> {
  const { body } = await bridge.request('GET', new URL('/readyz', bridge.baseUrl).href);
  return Array.isArray(body.reasons) ? body.reasons.map(Object) : [];
}

async function readWaiting({ store }: TestBridge): Promise<number> {
  return (await readBacklog(store.read)).noSeat;
}

describeBridges('seats', ({ makeUrl }) => {
  test('whom the service has no seat for is acknowledged and waits, and nobody is deactivated', async () =>
    withSeats(
      3,
      async (timed) => {
        const { bridge } = timed;
        const names = ['ada', 'bob', 'carl', 'dora'];
        const ids: string[] = [];
        for (const name of names) ids.push(await addUser(bridge, name));
        await untilQuiet(timed, MINUTE_MS);

        const shown = await send(bridge, 'GET', `/Users/${ids[3]}`);

        expect(shown.body).toMatchObject({ userName: 'dora@example.com', active: true });
        expect(listWorking(bridge)).toEqual(['ada@example.com', 'bob@example.com']);
        expect(await readWaiting(bridge)).toBe(2);
        expect(await listStuck(bridge.store.read, 10)).toEqual([]);
        const reasons = await readReasons(bridge);
        expect(reasons.map(({ code }) => code)).toEqual(['no-seat']);
        expect(reasons[0]?.detail).toMatch(/^2 people wait for a free seat/);
      },
      { url: await makeUrl('migrated') },
    ));

  test('a leaver frees a seat, and who waits longest gets it', async () =>
    withSeats(
      2,
      async (timed) => {
        const { bridge } = timed;
        const ada = await addUser(bridge, 'ada');
        for (const name of ['bob', 'carl', 'dora']) await addUser(bridge, name);
        await untilQuiet(timed, 0);

        await send(bridge, 'PATCH', `/Users/${ada}`, setActive(false));
        await untilQuiet(timed, 0);

        expect(listWorking(bridge)).toEqual(['bob@example.com']);
        expect(await readWaiting(bridge)).toBe(2);
      },
      { url: await makeUrl('migrated') },
    ));

  test('they wait across a restart, in their order', async () => {
    const lives = await makeLives({
      settings: {
        ...SWEEP_SETTINGS,
        SCIM_WRITE_WAIT: '5s',
        DATABASE_URL: await makeUrl('migrated'),
      },
      sandbox: { shape: { seats: 2 } },
    });
    const ada = await lives.live(async (bridge) => {
      const id = await addUser(bridge, 'ada');
      for (const name of ['bob', 'carl']) await addUser(bridge, name);
      return id;
    });

    await lives.live(async (bridge) => {
      await addUser(bridge, 'aaron');
      await send(bridge, 'PATCH', `/Users/${ada}`, setActive(false));

      await expect.poll(() => listWorking(bridge)).toEqual(['bob@example.com']);
      lives.sandbox.setShape({ seats: 3 });
      await askOps(bridge, 'POST', '/retry', { name: 'aaron@example.com' });
      await expect.poll(() => listWorking(bridge)).toEqual(['bob@example.com', 'carl@example.com']);
      await expect.poll(() => readWaiting(bridge)).toBe(1);
    });
  });
});

test('while seats are short no addition is called for but the first of the line', () =>
  withSeats(2, async (timed) => {
    const { bridge } = timed;
    for (const name of ['ada', 'bob']) await addUser(bridge, name);
    await untilQuiet(timed, 0);
    bridge.sandbox.calls.reset();

    for (const name of ['carl', 'dora', 'emil']) await addUser(bridge, name);
    await untilQuiet(timed, 0);
    const calls = bridge.sandbox.calls.count({ mutating: true });

    expect(calls).toBe(0);
    expect(await readWaiting(bridge)).toBe(4);
  }));

test('the first of the line is tried from time to time, and all of them once seats were bought', () =>
  withSeats(
    2,
    async (timed) => {
      const { bridge } = timed;
      for (const name of ['ada', 'bob', 'carl', 'dora']) await addUser(bridge, name);
      await untilQuiet(timed, 0);
      bridge.sandbox.setShape({ seats: 5 });

      await expect
        .poll(() => listWorking(bridge), { timeout: 20_000 })
        .toEqual(['ada@example.com', 'bob@example.com', 'carl@example.com', 'dora@example.com']);
      expect(await readReasons(bridge)).toEqual([]);
    },
    { settings: { SEATS_RETRY_EVERY: '1s' } },
  ));

const shapes: { what: string; shape: SandboxShapeChange; settings?: Record<string, string> }[] = [
  { what: '402 with a message', shape: { noSeatStatus: 402 } },
  { what: '402 without a body', shape: { noSeatStatus: 402, errorBody: 'empty' } },
  { what: '402 with HTML', shape: { noSeatStatus: 402, errorBody: 'html' } },
  { what: '400 with words', shape: { noSeatStatus: 400, errorBody: 'message' } },
  { what: '403 with words', shape: { noSeatStatus: 403, errorBody: 'message' } },
  { what: '409 with words', shape: { noSeatStatus: 409, errorBody: 'message' } },
  {
    what: '409 without words, by the settings',
    shape: { noSeatStatus: 409 },
    settings: { SEATS_REFUSALS: '402,409' },
  },
];
const additions = [
  'a new person',
  'an activation',
  'a licence',
  'the end of a suspension',
] as const;
const cells = shapes.flatMap((shape) => additions.map((addition) => ({ ...shape, addition })));

test.each(cells)(
  '$addition that is refused with $what waits',
  ({ shape, settings = {}, addition }) =>
    withSeats(
      2,
      async (timed) => {
        const { bridge } = timed;
        const ada = await addUser(bridge, 'ada');
        const suspend = (value: boolean) =>
          toPatch({ op: 'replace', path: `${USER_EXTENSION}:temporarilyInactive`, value });
        const steps = {
          'a new person': undefined,
          'an activation': [setActive(false), setActive(true)],
          'a licence': [setLicence(0), setLicence(1)],
          'the end of a suspension': [suspend(true), suspend(false)],
        } as const;
        const [away, back] = steps[addition] ?? [];
        if (away !== undefined) await send(bridge, 'PATCH', `/Users/${ada}`, away);
        if (away !== undefined) bridge.sandbox.service.addUser({ email: 'else@example.com' });
        bridge.sandbox.calls.reset();

        const answer =
          back === undefined
            ? await bridge.request('POST', '/Users', toUser('bob'))
            : await bridge.request('PATCH', `/Users/${ada}`, back);
        await untilQuiet(timed, MINUTE_MS);

        expect(answer.status).toBe(back === undefined ? 201 : 200);
        expect(await readWaiting(bridge)).toBe(1);
        expect(bridge.sandbox.calls.count({ mutating: true })).toBe(1);
        // A name goes on.
        bridge.sandbox.setShape({ seats: null });
        await askOps(bridge, 'POST', '/retry', { all: true });
        await untilQuiet(timed, MINUTE_MS);
        expect(await readBacklog(bridge.store.read)).toMatchObject({ due: 0, noSeat: 0 });
      },
      { shape, settings },
    ),
);
