import { describe, expect, test } from 'vitest';
import { USER_EXTENSION } from '../../src/domain/extensions.ts';
import type { JsonObject } from '../../src/domain/values.ts';
import type { SandboxShapeChange } from '../../src/sandbox/shape.ts';
import type { TestBridge } from '../support/bridge.ts';
import { runner } from '../support/command.ts';
import { failing } from '../support/faults.ts';
import { forTest } from '../support/lifetimes.ts';
import { makeLives } from '../support/lives.ts';
import { readMetrics } from '../support/metrics.ts';
import { decide, readPlan } from '../support/pilots.ts';
import { replace, toUser } from '../support/provider.ts';
import { startTimedBridge, untilQuiet } from '../support/timed-bridge.ts';

const MINUTE_MS = 60_000;
const setActive = (value: boolean) => replace('active', value);
const setLicence = (value: number) => replace(`${USER_EXTENSION}:appsPermissions`, value);

function openSeats(
  seats: number,
  given: { shape?: SandboxShapeChange; settings?: Readonly<Record<string, string>> } = {},
) {
  const settings = { SCIM_WRITE_WAIT: '5s', ...given.settings };
  const sandbox = { shape: { ...given.shape, seats } };
  return forTest(startTimedBridge({ settings, sandbox }));
}

function listWorking({ sandbox }: TestBridge): string[] {
  return sandbox.service
    .users()
    .filter(({ active, role }) => active && role !== 1)
    .map(({ email }) => email);
}

async function readWaiting(bridge: TestBridge): Promise<number> {
  return Object((await bridge.ops('GET', '/status')).body.seats).waiting;
}

describe('seats', () => {
  test('whom the service has no seat for is acknowledged and waits; a leaver frees one for who waits longest, and bought ones let in all', async () => {
    const timed = await openSeats(3);
    const { bridge } = timed;
    const { calls } = bridge.sandbox;
    const ids: string[] = [];
    for (const name of ['ada', 'bob', 'carl', 'dora']) ids.push(await bridge.addUser(name));
    await untilQuiet(timed, MINUTE_MS);

    const shown = await bridge.send('GET', `/Users/${ids[3]}`);
    expect(shown.body).toMatchObject({ userName: 'dora@example.com', active: true });
    expect(listWorking(bridge)).toEqual(['ada@example.com', 'bob@example.com']);
    expect(await readWaiting(bridge)).toBe(2);
    expect(await bridge.listStuck()).toEqual([]);
    const reasons = await bridge.readReasons();
    expect(reasons.map(({ code }) => code)).toEqual(['no-seat']);
    expect(reasons[0]?.detail).toMatch(/^2 people wait for a free seat/);
    const explained = await runner(bridge)('explain', 'dora@example.com');
    expect(explained.text).toMatch(/^ +next +waits for a free seat$/m);
    expect(explained.text).not.toMatch(/^ +next +due /m);

    // While seats are short an addition is tried once, and those before it are not tried for it.
    calls.reset();
    await bridge.addUser('emil');
    await untilQuiet(timed, 0);
    expect(calls.count({ mutating: true })).toBe(1);
    expect(await readWaiting(bridge)).toBe(3);

    await bridge.patch(`/Users/${ids[0]}`, setActive(false));
    await untilQuiet(timed, 0);
    expect(listWorking(bridge)).toEqual(['bob@example.com', 'carl@example.com']);
    expect(await readWaiting(bridge)).toBe(2);

    // One is tried from time to time, and all of them once there are seats.
    bridge.sandbox.setShape({ seats: 5 });
    await untilQuiet(timed);
    const names = ['bob', 'carl', 'dora', 'emil'];
    expect(listWorking(bridge).toSorted()).toEqual(names.map((name) => `${name}@example.com`));
    expect(await bridge.readReasons()).toEqual([]);
  });

  test('one whom the service never seats costs a call now and then, and holds up nobody', async () => {
    const timed = await openSeats(2);
    const { bridge, clock } = timed;
    const kim = { operation: 'scim.addUser', about: 'kim@example.com' } as const;
    const refusals = bridge.sandbox.faults.add({ ...kim, fault: failing(402) });
    for (const name of ['kim', 'ada', 'bob']) await bridge.addUser(name);
    await untilQuiet(timed, MINUTE_MS);
    const before = [listWorking(bridge), await readWaiting(bridge)];

    bridge.sandbox.setShape({ seats: null });
    for (let attempts = 0; attempts < 3; attempts += 1) {
      clock.leap(15 * MINUTE_MS);
      await untilQuiet(timed, MINUTE_MS);
    }

    expect(before).toEqual([['ada@example.com'], 2]);
    expect(listWorking(bridge)).toEqual(['ada@example.com', 'bob@example.com']);
    expect(await readWaiting(bridge)).toBe(1);
    expect(refusals.met).toBeLessThanOrEqual(5);
  });

  test('they wait across a restart, and who is tried by name is tried first', async () => {
    const lives = await makeLives({
      settings: { SCIM_WRITE_WAIT: '5s' },
      sandbox: { shape: { seats: 2 } },
    });
    const ada = await lives.live(async (bridge) => {
      const id = await bridge.addUser('ada');
      for (const name of ['bob', 'carl']) await bridge.addUser(name);
      return id;
    });

    await lives.live(async (bridge) => {
      const listIn = () => listWorking(bridge);
      await bridge.addUser('aaron');
      await bridge.patch(`/Users/${ada}`, setActive(false));
      await expect.poll(listIn).toEqual(['bob@example.com']);
      await expect
        .poll(() => lives.sandbox.calls.counts()['scim.addUser']?.[402])
        .toBeGreaterThan(3);
      lives.sandbox.setShape({ seats: 3 });
      await bridge.ops('POST', '/retry', { name: 'aaron@example.com' });
      await expect.poll(listIn).toEqual(['bob@example.com', 'aaron@example.com']);
      await expect.poll(() => readWaiting(bridge)).toBe(1);
    });
  });

  test('a retry that comes while an attempt is being refused a seat is made', async () => {
    const { bridge } = await openSeats(2);
    for (const name of ['ada', 'bob']) await bridge.addUser(name);
    await expect.poll(() => readWaiting(bridge)).toBe(1);
    const about = { operation: 'scim.addUser', about: 'bob@example.com', times: 1 } as const;
    const refusal = bridge.sandbox.faults.add({
      ...about,
      fault: { kind: 'hang', effect: 'done' },
    });
    await bridge.ops('POST', '/retry', { name: 'bob@example.com' });
    await expect.poll(() => refusal.met).toBe(1);

    bridge.sandbox.setShape({ seats: 3 });
    await bridge.ops('POST', '/retry', { name: 'bob@example.com' });
    bridge.sandbox.faults.release();
    await expect.poll(() => listWorking(bridge)).toEqual(['ada@example.com', 'bob@example.com']);
  });

  test('a plan says how many seats it needs and how many there are, and nobody is evicted when it is approved', async () => {
    // The owner and three more are there.
    const lives = await makeLives({
      settings: { SEATS_TOTAL: '8' },
      sandbox: { seed: { users: 3, groups: 0 }, shape: { seats: 8 } },
    });
    const seats = { needs: 7, frees: 0, has: 4 };
    await lives.live(
      async (bridge) => {
        await bridge.addUsers(7);
        expect((await bridge.ops('GET', '/plans/first-run')).body.seats).toEqual(seats);
        const shown = await runner(bridge)('plan', 'show', '--first-run');
        expect(shown.text).toContain('Seats: needs 7, has 4.');
      },
      { MODE: 'observe' },
    );

    await lives.live(async (bridge) => {
      const read = async () => (await bridge.ops('GET', '/plans/first-run')).body;
      await expect.poll(async () => (await read()).phase).toBe('waiting');
      const plan = await readPlan(bridge, (await read()).planId);
      const shown = await runner(bridge)('plan', 'show');
      await decide(bridge, plan, 'approve');
      await expect.poll(() => readWaiting(bridge), { timeout: 20_000 }).toBe(3);

      expect(plan.seats).toEqual(seats);
      expect(shown.text).toContain('Seats: needs 7, has 4.');
      expect(listWorking(bridge)).toHaveLength(7);
      expect((await readPlan(bridge, plan.id)).seats).toBeNull();
      const { body } = await bridge.ops('GET', '/status');
      expect(body.seats).toMatchObject({ total: 8, used: 8, waiting: 3, free: 0 });
      expect((await runner(bridge)('status')).text).toContain('8 of 8 taken, 3 wait for one');
      const told = [...(await readMetrics(bridge))].filter(([name]) => name.startsWith('seats'));
      expect(Object.fromEntries(told)).toEqual({
        'seats{state="used"}': 8,
        'seats{state="needed"}': 11,
        'seats{state="total"}': 8,
      });
    });
  });
});

test('an account that did not work when its licence was read takes a seat once it works', async () => {
  const timed = await forTest(
    startTimedBridge({
      prepare({ service }) {
        service.addUser({ email: 'ada@example.com', userName: 'ada@example.com' });
        service.updateUser('ada@example.com', { active: false });
      },
    }),
  );
  const readUsed = async () => Object((await timed.bridge.ops('GET', '/status')).body.seats).used;
  const before = await readUsed();
  await timed.bridge.addUser('ada');
  await untilQuiet(timed, 0);

  expect(timed.bridge.sandbox.service.getUser('ada@example.com').active).toBe(true);
  expect(await readUsed()).toBe(before + 1);
});

interface Cell {
  readonly addition: string;
  readonly what: string;
  readonly shape: SandboxShapeChange;
  readonly settings?: Record<string, string>;
  readonly steps?: readonly [away: JsonObject, back: JsonObject];
}

const cells: readonly Cell[] = [
  {
    ...{ addition: 'a new person', what: '402 with HTML' },
    shape: { noSeatStatus: 402, errorBody: 'html' },
  },
  {
    ...{ addition: 'an activation', what: '403 with words' },
    shape: { noSeatStatus: 403, errorBody: 'message' },
    steps: [setActive(false), setActive(true)],
  },
  {
    ...{ addition: 'a licence', what: '409 without words, by the settings' },
    shape: { noSeatStatus: 409 },
    settings: { SEATS_REFUSALS: '402,409' },
    steps: [setLicence(0), setLicence(1)],
  },
];

for (const { what, shape, settings = {}, addition, steps } of cells) {
  test(`${addition} that is refused with ${what} waits`, async () => {
    const timed = await openSeats(2, { shape, settings });
    const { bridge } = timed;
    const ada = await bridge.addUser('ada');
    const [away, back] = steps ?? [];
    if (away !== undefined) {
      await bridge.patch(`/Users/${ada}`, away);
      bridge.sandbox.service.addUser({ email: 'else@example.com' });
    }
    bridge.sandbox.calls.reset();

    const answer =
      back === undefined
        ? await bridge.request('POST', '/Users', toUser('bob'))
        : await bridge.tryPatch(`/Users/${ada}`, back);
    await untilQuiet(timed, MINUTE_MS);

    expect(answer.status).toBe(back === undefined ? 201 : 200);
    expect(await readWaiting(bridge)).toBe(1);
    expect(bridge.sandbox.calls.count({ mutating: true })).toBe(1);
    // A name goes on.
    bridge.sandbox.setShape({ seats: null });
    await bridge.ops('POST', '/retry', { all: true });
    await untilQuiet(timed, MINUTE_MS);
    expect(await bridge.readWork()).toMatchObject({ due: 0 });
  });
}
