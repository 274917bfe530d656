import { readFileSync } from 'node:fs';
import { describe, expect, onTestFinished, test } from 'vitest';
import { readBacklog } from '../../src/store/resources/backlog.ts';
import { startBridgeOf, type TestBridge, type TestBridgeOptions } from '../support/bridge.ts';
import { readBridge, readService, withoutGone } from '../support/company.ts';
import type { Counterpart } from '../support/counterpart.ts';
import { assertFindsEveryKind } from '../support/drift-cells.ts';
import {
  LIVABLE_SHAPES,
  NOTED_SHAPE,
  OTHER_SHAPE,
  type OtherShape,
} from '../support/other-service/shape.ts';
import { type OtherService, startOtherService } from '../support/other-service.ts';
import {
  addGroup,
  addUser,
  send,
  toMembers,
  toPatch,
  toUser,
  untilSettled,
} from '../support/provider.ts';
import { listManagedDrifts, SWEEP_SETTINGS, sweep } from '../support/sweep.ts';

const settings = { ...SWEEP_SETTINGS, SWEEP_ADMINS_EVERY: '1', SCIM_WRITE_WAIT: '20s' };
const ADMINS = 'urn:ietf:params:scim:schemas:extension:workmanagement:2.0:Group:admins';

type OtherBridge = TestBridge<Counterpart>;

/** All that providers ask for, one after another. */
async function live(bridge: OtherBridge): Promise<void> {
  const patch = (path: string, ...operations: Parameters<typeof toPatch>) =>
    send(bridge, 'PATCH', path, toPatch(...operations));
  const names = ['ada', 'bob', 'cy', 'dan', 'eve', 'fay', 'gil', 'hal', 'ida'];
  const ids = new Map<string, string>();
  for (const name of names) ids.set(name, await addUser(bridge, name));
  const id = (name: string) => ids.get(name) ?? '';
  const all = [...ids.values()];
  const pilots = `/Groups/${await addGroup(bridge, 'Pilots', all)}`;
  const crew = `/Groups/${await addGroup(bridge, 'Crew', [id('ada')])}`;
  for (const name of ['Red', 'Green', 'Blue', 'Pink', 'Grey']) await addGroup(bridge, name);
  const away = ['bob', 'cy', 'dan'].map((name) => ({
    op: 'remove',
    path: `members[value eq "${id(name)}"]`,
  }));
  await patch(pilots, ...away);
  await patch(pilots, { op: 'add', path: 'members', value: toMembers([id('cy'), id('dan')]) });
  await patch(pilots, { op: 'add', path: ADMINS, value: toMembers([id('ada')]) });
  await patch(`/Users/${id('ada')}`, { op: 'replace', path: 'name.familyName', value: 'King' });
  await patch(pilots, { op: 'replace', path: 'displayName', value: 'Aviators' });
  await patch(`/Users/${id('cy')}`, { op: 'replace', path: 'active', value: false });
  await patch(`/Users/${id('cy')}`, { op: 'replace', path: 'active', value: true });
  await patch(`/Users/${id('eve')}`, { op: 'replace', path: 'active', value: false });
  await send(bridge, 'DELETE', crew);
  await send(bridge, 'DELETE', `/Users/${id('fay')}`);
  await send(
    bridge,
    'PUT',
    `/Users/${id('gil')}`,
    toUser('gil', { name: { givenName: 'Gil', familyName: 'Pond' } }),
  );
  await untilSettled(bridge);
}

/** A company that is there before the bridge. */
async function startInhabited(shape: Partial<OtherShape>): Promise<OtherService> {
  const other = await startOtherService({ shape });
  onTestFinished(() => other.stop());
  for (let index = 0; index < 9; index += 1) {
    other.service.addUser({ email: `old${index}@example.com`, fullName: `Old Person${index}` });
  }
  other.service.addUser({ email: 'bob@example.com', fullName: 'Bob Example' });
  other.service.createGroup({ name: 'Old' });
  return other;
}

async function startInFrontOf(
  service: OtherService,
  options: TestBridgeOptions<OtherService> = {},
) {
  const bridge = await startBridgeOf(service, { settings, ...options });
  onTestFinished(() => bridge.stop());
  return bridge;
}

describe.each(Object.entries(LIVABLE_SHAPES).map(([name, shape]) => ({ name, shape })))(
  'a service $name',
  ({ shape }) => {
    test('becomes what providers ask for, and nothing of it is drift', async () => {
      const service = await startInhabited(shape);
      const bridge = await startInFrontOf(service);

      await live(bridge);

      const shown = await readBridge(bridge);
      const held = readService(service);
      expect(shown).toEqual(withoutGone(held, shown));
      expect(held.groups.Aviators?.members).toEqual(
        ['ada', 'cy', 'dan', 'eve', 'gil', 'hal', 'ida'].map((name) => `${name}@example.com`),
      );
      expect(await readBacklog(bridge.store.read)).toMatchObject({ due: 0, stuck: 0 });
      expect(await sweep(bridge)).toMatchObject({ status: 'complete', reasons: [] });
      expect(await listManagedDrifts(bridge)).toEqual([]);
    });

    test('is compared completely, whatever somebody else changes in it', async () => {
      const service = await startInhabited(shape);
      const options = { ...settings, GROUPS_PERMISSIONS_MAX: '31' };

      await assertFindsEveryKind(await startInFrontOf(service, { settings: options }));
    });
  },
);

/** Settings with which nothing is lost, but something is not found out, and who says so. */
const told: { what: string; shape: Partial<OtherShape>; reason: RegExp }[] = [
  {
    what: 'totals that count who is not listed',
    shape: { totals: 'too many' },
    reason: /fewer entries than the total/,
  },
  {
    what: 'lists without inactive people',
    shape: { listedInactive: 'left out' },
    reason: /left out one that is there/,
  },
  { what: '403 for what is not there', shape: { missing: 403 }, reason: /could not be looked for/ },
];
test.each(told)('$what: a sweep says that it is not complete', async ({ shape, reason }) => {
  const service = await startInhabited({ ...NOTED_SHAPE, ...shape });
  const bridge = await startInFrontOf(service);
  await live(bridge);
  service.service.deleteGroup('Pink');
  service.service.setActive('hal@example.com', false);

  const { status, reasons } = await sweep(bridge);

  expect(status).toBe('incomplete');
  expect(String(reasons)).toMatch(reason);
});

const unread: { what: string; shape: Partial<OtherShape>; words: string }[] = [
  {
    what: 'a refusal behind the last entry',
    shape: { beyondEnd: 'refused', totals: 'absent' },
    words: 'status 400',
  },
  {
    what: 'one page again and again, without a total',
    shape: { offsets: 'ignored', totals: 'absent' },
    words: 'a page came twice',
  },
];
test.each(unread)('$what: the first read waits and says why', async ({ shape, words }) => {
  const service = await startInhabited({ ...NOTED_SHAPE, ...shape });
  const { bridge, request } = await startInFrontOf(service, { awaitsFirstRead: false });

  await expect.poll(() => JSON.stringify(bridge.leadership.news().firstRead)).toContain(words);

  expect((await request('GET', '/Users')).status).toBe(503);
  expect(service.calls.count({ mutating: true })).toBe(0);
});

test('what the service says of one group that is gone leaves the others open', async () => {
  const service = await startInhabited({ ...NOTED_SHAPE, missing: 403 });
  const bridge = await startInFrontOf(service);
  await addGroup(bridge, 'Pilots');
  await addGroup(bridge, 'Pink');
  service.service.deleteGroup('Pink');

  const { reasons } = await sweep(bridge);

  expect(reasons).toEqual(['somebody missing could not be looked for (not-permitted)']);
  expect((await bridge.request('GET', '/Groups')).status).toBe(200);
});

test('lists that are late are believed by nobody who looks, and true later', async () => {
  let aheadMs = 0;
  const clock = () => aheadMs;
  const shape = { ...NOTED_SHAPE, listsLateMs: 60_000 };
  const service = await startOtherService({ shape, clock });
  onTestFinished(() => service.stop());
  const bridge = await startInFrontOf(service);
  await live(bridge);
  await sweep(bridge);
  const early = await listManagedDrifts(bridge);
  const held = readService(service);
  aheadMs += 60_001;

  expect(await sweep(bridge)).toMatchObject({ status: 'complete', reasons: [] });
  expect(early).toEqual([]);
  expect(await listManagedDrifts(bridge)).toEqual([]);
  expect(readService(service)).toEqual(held);
});

test('the creator as a member is told as somebody who came in', async () => {
  const service = await startInhabited({ ...NOTED_SHAPE, creator: 'member' });
  const bridge = await startInFrontOf(service);
  await addGroup(bridge, 'Pilots');
  await sweep(bridge);

  expect(await listManagedDrifts(bridge)).toEqual(['member.added Pilots of owner_example_com']);
});

test('names that come back in capital letters are sent once, and are no drift', async () => {
  const service = await startInhabited({ ...NOTED_SHAPE, letters: 'capitals' });
  const bridge = await startInFrontOf(service);
  const ada = `/Users/${await addUser(bridge, 'ada')}`;
  const pilots = `/Groups/${await addGroup(bridge, 'Pilots')}`;
  const king = { op: 'replace', path: 'name.familyName', value: 'King' };
  await send(bridge, 'PATCH', ada, toPatch(king));
  for (const value of ['Aviators', 'aviators']) {
    await send(bridge, 'PATCH', pilots, toPatch({ op: 'replace', path: 'displayName', value }));
  }

  expect(readService(service).groups).toHaveProperty('AVIATORS');
  expect(service.calls.count({ operation: 'scim.updateUser' })).toBe(1);
  expect(service.calls.count({ operation: 'groups.updateGroup' })).toBe(2);
  expect(await readBacklog(bridge.store.read)).toMatchObject({ due: 0, stuck: 0 });
  expect(await sweep(bridge)).toMatchObject({ status: 'complete', reasons: [] });
  expect(await listManagedDrifts(bridge)).toEqual([]);
});

test('names that come back escaped for HTML are sent once, found again, and are no drift', async () => {
  const service = await startInhabited({
    ...NOTED_SHAPE,
    letters: 'escaped',
    groupNames: 'unique',
  });
  service.service.createGroup({ name: '"Old" & grey' });
  const bridge = await startInFrontOf(service);
  await addUser(bridge, 'ada', { name: { givenName: 'Ada', familyName: "O'Brien & King" } });
  await addUser(bridge, 'cy');
  const lost = { kind: 'reset', at: 'after-effect' } as const;
  service.faults.add({ operation: 'groups.createGroup', fault: lost, times: 1 });
  const pilots = `/Groups/${await addGroup(bridge, "Pilots' & Crew")}`;
  await addGroup(bridge, '"Old" & grey');
  await untilSettled(bridge);
  const value = 'Research & Development';
  await send(bridge, 'PATCH', pilots, toPatch({ op: 'replace', path: 'displayName', value }));
  await untilSettled(bridge);

  expect(Object.keys(readService(service).groups).toSorted()).toEqual([
    '&quot;Old&quot; &amp; grey',
    'Old',
    'Research &amp; Development',
  ]);
  expect(service.calls.count({ operation: 'scim.updateUser' })).toBe(0);
  // One for the new name, and one for each of the two that were found by their names.
  expect(service.calls.count({ operation: 'groups.updateGroup' })).toBe(3);
  expect(await sweep(bridge)).toMatchObject({ status: 'complete', reasons: [] });
  expect(await listManagedDrifts(bridge)).toEqual([]);
});

test('a group that is answered as a list of one is linked, renamed and filled', async () => {
  const service = await startInhabited({ ...NOTED_SHAPE, singles: 'in a list' });
  const bridge = await startInFrontOf(service);
  const ada = await addUser(bridge, 'ada');
  const pilots = `/Groups/${await addGroup(bridge, 'Pilots', [ada])}`;
  const name = { op: 'replace', path: 'displayName', value: 'Aviators' };
  await send(bridge, 'PATCH', pilots, toPatch(name));
  await untilSettled(bridge);

  expect(readService(service).groups).toHaveProperty('Aviators');
  expect(service.calls.count({ operation: 'groups.createGroup' })).toBe(1);
  expect(service.calls.count({ operation: 'groups.updateGroup' })).toBe(1);
  expect(await sweep(bridge)).toMatchObject({ status: 'complete', reasons: [] });
  expect(await listManagedDrifts(bridge)).toEqual([]);
});

test('a service that counts strictly never has to turn the bridge away', async () => {
  const service = await startInhabited({ ...NOTED_SHAPE, callsPerSecond: 5 });
  const bridge = await startInFrontOf(service, { requestsPerSecond: 5 });
  service.calls.reset();

  await Promise.all(
    ['ada', 'cy', 'dan', 'eve', 'fay', 'gil', 'hal'].map((name) => addUser(bridge, name)),
  );
  await untilSettled(bridge);

  expect(service.calls.count({ operation: 'scim.addUser' })).toBe(7);
  expect(service.calls.tooMany()).toBe(0);
});

for (const tooMany of ['nothing', 'date', 'seconds', 'epoch seconds', 'epoch ms'] as const) {
  test(`a call that is turned away with ${tooMany} of when to come again is made again`, async () => {
    const service = await startInhabited({
      ...NOTED_SHAPE,
      callsPerSecond: 5,
      tooMany,
      pageMax: OTHER_SHAPE.pageMax,
    });

    const bridge = await startInFrontOf(service);
    await addUser(bridge, 'ada');

    expect(service.calls.tooMany()).toBeGreaterThan(0);
    expect(service.service.getUser('ada@example.com').active).toBe(true);
  });
}

test.each([402, 'words'] as const)(
  'somebody for whom no seat is left, which is said by %s, waits for a leaver',
  async (noSeat) => {
    const service = await startOtherService({ shape: { ...NOTED_SHAPE, seats: 2, noSeat } });
    onTestFinished(() => service.stop());
    const bridge = await startInFrontOf(service);
    const working = () =>
      service.service
        .users()
        .filter(({ active }) => active)
        .map(({ email }) => email);
    const ada = await addUser(bridge, 'ada');
    await addUser(bridge, 'bob');
    const before = working();

    await send(bridge, 'DELETE', `/Users/${ada}`);

    expect(before).toEqual([expect.stringMatching('owner'), 'ada@example.com']);
    await expect.poll(working).toEqual([expect.stringMatching('owner'), 'bob@example.com']);
  },
);

test('docs/upstream-uncertainties.md says of each option what the bridge does', () => {
  const page = readFileSync(
    new URL('../../docs/upstream-uncertainties.md', import.meta.url),
    'utf8',
  );
  const named = [...page.matchAll(/^\| `(\w+)` \|/gm)].map(([, name]) => name);

  expect([...new Set(named)].toSorted()).toEqual(Object.keys(OTHER_SHAPE).toSorted());
});

test('memberships that a deactivation ended are told, and put right where that is the policy', async () => {
  const service = await startInhabited({ ...NOTED_SHAPE, deactivation: 'leaves groups' });
  const repair = { ...settings, DRIFT_POLICY: '{"member.removed":"repair"}' };
  const bridge = await startInFrontOf(service, { settings: repair });
  const id = await addUser(bridge, 'ada');
  await addGroup(bridge, 'Pilots', [id]);
  for (const value of [false, true]) {
    await send(bridge, 'PATCH', `/Users/${id}`, toPatch({ op: 'replace', path: 'active', value }));
  }
  await untilSettled(bridge);
  const before = service.service.members('Pilots');

  await sweep(bridge);
  await untilSettled(bridge);

  expect(before).toEqual([]);
  await expect.poll(() => service.service.members('Pilots')).toEqual(['ada@example.com']);
});
