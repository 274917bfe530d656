import { expect, onTestFinished, test } from 'vitest';
import { startSandbox } from '../src/sandbox/sandbox.ts';
import { startTestBridge, type TestBridge } from './support/bridge.ts';
import { createLeapingClock } from './support/leaping-clock.ts';
import { addGroup, addUsers, send, toPatch, untilSettled } from './support/provider.ts';
import { listManagedDrifts, SWEEP_SETTINGS, sweep } from './support/sweep.ts';
import { type Tamper, type TamperedService, tamperWith } from './support/tampering-proxy.ts';

const PAGE = 2;
/** Of five entries. */
const PAGES = [0, 1, 2];
const REAL_DRIFT = 'user.deactivated person1@example.com';

interface World {
  readonly bridge: TestBridge;
  readonly proxy: TamperedService;
  readonly teamId: string;
  readonly people: readonly string[];
}

/** Four people beside the owner and five groups, everybody in the first; then somebody deactivates one of them. */
async function startWorld(pageSize = PAGE): Promise<World> {
  const sandbox = await startSandbox();
  onTestFinished(() => sandbox.stop());
  const proxy = await tamperWith(sandbox);
  const settings = { ...SWEEP_SETTINGS, UPSTREAM_PAGE_SIZE: `${pageSize}`, UPSTREAM_TIMEOUT: '5m' };
  // Waits between attempts take a twentieth of their time.
  const clock = createLeapingClock(20);
  const bridge = await startTestBridge({ service: proxy.service, settings, clock });
  onTestFinished(() => bridge.stop());
  const people = await addUsers(bridge, 4);
  const teamId = await addGroup(bridge, 'Team 0', people);
  for (const name of ['Team 1', 'Team 2', 'Team 3', 'Team 4']) await addGroup(bridge, name);
  expect(await sweep(bridge)).toMatchObject({ status: 'complete' });
  await untilSettled(bridge);
  sandbox.service.setActive('person1@example.com', false);
  return { bridge, proxy, teamId, people };
}

/** The place of a page, by what was asked for. */
function toPage({ searchParams }: URL): number {
  const start = Number(searchParams.get('startIndex') ?? 1) - 1;
  return Math.floor(Number(searchParams.get('offset') ?? start) / PAGE);
}

function changePage(path: string, page: number, change: (body: unknown) => unknown): Tamper {
  return (url, body) => {
    return url.pathname.endsWith(path) && toPage(url) === page ? change(body) : body;
  };
}

function repeatPage(path: string, page: number): Tamper {
  const bodies = new Map<number, unknown>();
  return (url, body) => {
    if (!url.pathname.endsWith(path)) return body;
    const place = toPage(url);
    bodies.set(place, body);
    return place === page ? (bodies.get(place - 1) ?? body) : body;
  };
}

function withEntries(change: (entries: unknown[]) => unknown[]) {
  return (body: unknown): unknown => {
    if (Array.isArray(body)) return change(body);
    const { Resources, ...rest } = Object(body);
    return { ...rest, Resources: change(Resources) };
  };
}

function shrinkTotal(body: unknown): unknown {
  const { totalResults, ...rest } = Object(body);
  return { ...rest, totalResults: totalResults - 1 };
}

/** The entry at this place of the whole list is in no page. */
function leaveOut(path: string, place: number): Tamper {
  return (url, body) => {
    if (!url.pathname.endsWith(path)) return body;
    const start = Number(url.searchParams.get('startIndex') ?? 1) - 1;
    return withEntries((entries) => entries.filter((_, index) => start + index !== place))(body);
  };
}

const empty = withEntries(() => []);
const cut = withEntries((entries) => entries.slice(1));

interface Bad {
  readonly what: string;
  readonly tamper: Tamper;
}

/** What a list with a total shows to be incomplete. */
function listShown(path: string): Bad[] {
  return PAGES.flatMap((page) => [
    { what: `page ${page} empty`, tamper: changePage(path, page, empty) },
    ...(page === 0
      ? []
      : [
          { what: `page ${page} repeated`, tamper: repeatPage(path, page) },
          { what: `page ${page} shrinking`, tamper: changePage(path, page, shrinkTotal) },
        ]),
  ]);
}

const scimLists = [
  { operation: 'scim.getUsers', path: '/scim/v2/Users' },
  { operation: 'scim.getGroups', path: '/scim/v2/Groups' },
] as const;

for (const { operation, path } of scimLists) {
  test(`${operation}: of an incomplete list nothing is concluded, and the sweep says why`, async () => {
    const { bridge, proxy } = await startWorld();
    for (const page of PAGES) {
      const fault = { kind: 'status', status: 500 } as const;
      const failing = bridge.sandbox.faults.add({ operation, fault, skip: page });
      await expectNothing(bridge, `page ${page} failing`);
      failing.remove();
    }
    for (const { what, tamper } of listShown(path)) {
      proxy.setTamper(tamper);
      await expectNothing(bridge, what);
    }
    for (const page of PAGES) {
      proxy.setTamper(leaveOut(path, page * PAGE));
      await sweep(bridge);
      expect([[], [REAL_DRIFT]]).toContainEqual(await listManagedDrifts(bridge));
    }
    proxy.setTamper(undefined);
    await expectOnlyTheRealOne(bridge);
  });
}

const restLists = [
  { operation: 'companyUsers.getListOfUsers', path: '/company/users' },
  { operation: 'groups.getListOfGroups', path: '/company/groups' },
] as const;

for (const { operation, path } of restLists) {
  test(`${operation}: an incomplete list without a total leads to no drift that is none`, async () => {
    const { bridge, proxy } = await startWorld();
    for (const page of PAGES) {
      const fault = { kind: 'status', status: 500 } as const;
      const failing = bridge.sandbox.faults.add({ operation, fault, skip: page });
      await expectNothing(bridge, `page ${page} failing`);
      failing.remove();
    }
    proxy.setTamper(changePage(path, 0, empty));
    await expectNothing(bridge, 'empty');
    for (const page of PAGES) {
      for (const change of [empty, cut]) {
        proxy.setTamper(changePage(path, page, change));
        await sweep(bridge);
        expect([[], [REAL_DRIFT]]).toContainEqual(await listManagedDrifts(bridge));
      }
      proxy.setTamper(repeatPage(path, page));
      await sweep(bridge);
      expect([[], [REAL_DRIFT]]).toContainEqual(await listManagedDrifts(bridge));
    }
    proxy.setTamper(undefined);
    await expectOnlyTheRealOne(bridge);
  });
}

async function expectNothing(bridge: TestBridge, what: string): Promise<void> {
  const ended = await sweep(bridge);
  const drifts = await listManagedDrifts(bridge);
  expect({ what, status: ended.status, drifts }).toEqual({
    what,
    status: 'incomplete',
    drifts: [],
  });
  expect(ended.reasons, what).toHaveLength(1);
}

async function expectOnlyTheRealOne(bridge: TestBridge): Promise<void> {
  expect(await sweep(bridge)).toMatchObject({ status: 'complete' });
  expect(await listManagedDrifts(bridge)).toEqual([REAL_DRIFT]);
  expect(await listManagedDrifts(bridge, 'gone')).toEqual([]);
}

for (const counts of ['with', 'without'] as const) {
  test(`member lists cut short, ${counts} a number beside them, take nobody out`, async () => {
    const { bridge, proxy, teamId, people } = await startWorld();
    proxy.setTamper((url, body) => {
      if (url.pathname.endsWith('/scim/v2/Groups')) return withEntries(cutMembers)(body);
      const isRest = url.pathname.endsWith('/company/groups') && counts === 'without';
      return isRest ? withEntries(dropCounts)(body) : body;
    });

    const ended = await sweep(bridge);
    const drifts = await listManagedDrifts(bridge);
    const member = people[3] ?? '';
    const leave = toPatch({ op: 'remove', path: `members[value eq "${member}"]` });
    await send(bridge, 'PATCH', `/Groups/${teamId}`, leave);
    await untilSettled(bridge);

    expect(ended).toMatchObject({ status: 'complete' });
    expect(drifts).toEqual([REAL_DRIFT]);
    expect(bridge.sandbox.service.members('Team 0')).toHaveLength(3);
  });
}

function cutMembers(groups: unknown[]): unknown[] {
  return groups.map((group) => {
    const { members, ...rest } = Object(group);
    return { ...rest, members: members?.slice(0, 1) };
  });
}

function dropCounts(groups: unknown[]): unknown[] {
  return groups.map((group) => {
    const { users_count: _, ...rest } = Object(group);
    return rest;
  });
}

test('an account that no list shows is missing only when a look at it says so', async () => {
  const { bridge, proxy } = await startWorld(100);
  const { id } = bridge.sandbox.service.getUser('person2@example.com');
  const without = withEntries((entries) => entries.filter((one) => Number(Object(one).id) !== id));
  const isUsers = ({ pathname }: URL) => /\/(Users|company\/users)$/.test(pathname);
  proxy.setTamper((url, body) => {
    const shorter = isUsers(url) ? without(body) : body;
    return url.pathname.endsWith('/Users') ? shrinkTotal(shorter) : shorter;
  });

  await expectNothing(bridge, 'a list that left out somebody who is there');
  await untilSettled(bridge);
  const fault = { kind: 'status', status: 404 } as const;
  bridge.sandbox.faults.add({ operation: 'scim.getUser', fault, times: 1 });
  bridge.sandbox.calls.reset();
  const ended = await sweep(bridge);

  expect(ended).toMatchObject({ status: 'complete', reasons: [] });
  expect(await listManagedDrifts(bridge)).toEqual([REAL_DRIFT, 'user.missing person2@example.com']);
  expect(Object.keys(bridge.sandbox.calls.counts())).not.toContain('scim.addUser');
});
