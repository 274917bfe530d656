import { afterAll, describe, expect, onTestFinished, test } from 'vitest';
import type { JsonObject } from '../../src/domain/json.ts';
import type { Fault } from '../../src/sandbox/faults.ts';
import type { OperationName } from '../../src/sandbox/operations.ts';
import { startSandbox } from '../../src/sandbox/sandbox.ts';
import { startTestBridge, type TestBridge } from '../support/bridge.ts';
import { GROUP_EXTENSION } from '../support/drift-cells.ts';
import { createLeapingClock } from '../support/leaping-clock.ts';
import { addGroup, addUser, send, toGroup, toMembers, untilSettled } from '../support/provider.ts';
import { askOps, listManagedDrifts, SWEEP_SETTINGS, sweep } from '../support/sweep.ts';
import {
  changePage,
  leaveOut,
  repeatPage,
  type Tamper,
  type TamperedService,
  tamperWith,
  withEntries,
} from '../support/tampering-proxy.ts';

const PAGE = 2;
/** In the first page but one; before the others in every list there is the owner. */
const REAL_DRIFT = 'user.deactivated person2@example.com';

/** Where nothing answers as it should: a call that fails every time, and what an answer may look like instead of itself. */
const failures = [
  { what: 'failing with 500', fault: { kind: 'status', status: 500 } },
  { what: 'cut off', fault: { kind: 'reset', at: 'mid-answer' } },
  { what: 'a page of HTML', fault: { kind: 'html' } },
  { what: 'half of its JSON', fault: { kind: 'truncated' } },
] as const satisfies { what: string; fault: Fault }[];

/** One way in which a list can be wrong, and what has to come of it. */
interface Cell {
  readonly what: string;
  readonly fault?: { readonly operation: OperationName; readonly fault: Fault; skip?: number };
  readonly tamper?: Tamper;
  /** What the sweep gives as its reason; undefined: another way to ask shows that the list is complete. */
  readonly reason: RegExp | undefined;
  /** Whether what other lists prove is concluded all the same. */
  readonly concludes: 'nothing' | 'what is true';
}

interface World {
  readonly bridge: TestBridge;
  readonly proxy: TamperedService;
  stop(): Promise<void>;
}

/**
 * Four people beside the owner and five groups; everybody is in the first, and the first person administers it. Then
 * somebody deactivates a person: the only drift that there is.
 */
async function startWorld(pageSize = PAGE): Promise<World> {
  const sandbox = await startSandbox();
  const proxy = await tamperWith(sandbox);
  const settings = {
    ...SWEEP_SETTINGS,
    SWEEP_ADMINS_EVERY: '1',
    UPSTREAM_PAGE_SIZE: `${pageSize}`,
    UPSTREAM_TIMEOUT: '5m',
  };
  // Waits between attempts take a hundredth of their time.
  const clock = createLeapingClock(100);
  const bridge = await startTestBridge({ service: proxy.service, settings, clock });
  const ids: string[] = [];
  for (const n of [1, 2, 3, 4]) ids.push(await addUser(bridge, `person${n}`));
  const admins: JsonObject = { admins: toMembers(ids.slice(0, 1)) };
  await send(bridge, 'POST', '/Groups', { ...toGroup('Team 0', ids), [GROUP_EXTENSION]: admins });
  for (const name of ['Team 1', 'Team 2', 'Team 3', 'Team 4']) await addGroup(bridge, name);
  expect(await sweep(bridge)).toMatchObject({ status: 'complete', reasons: [] });
  await untilSettled(bridge);
  // Of whom was worked on just now a list may say nothing.
  clock.leap(60 * 60_000);
  sandbox.service.setActive('person2@example.com', false);
  return {
    bridge,
    proxy,
    async stop() {
      await bridge.stop();
      await proxy.stop();
      await sandbox.stop();
    },
  };
}

/** What the provider asked for, and what the service has: neither may change by a sweep. */
async function describeWorld(bridge: TestBridge) {
  const { service } = bridge.sandbox;
  const [users, groups] = await Promise.all(
    ['/Users', '/Groups'].map(async (path) => (await send(bridge, 'GET', path)).body),
  );
  const teams = service.groups().map(({ name }) => ({ name, members: service.members(name) }));
  return JSON.stringify({ users, groups, teams, accounts: service.users() });
}

function describeList(list: string, cells: readonly Cell[]): void {
  describe(list, () => {
    let started: Promise<World> | undefined;
    const open = () => {
      started ??= startWorld();
      return started;
    };
    afterAll(async () => (await started)?.stop());

    for (const { what, fault, tamper, reason, concludes } of cells) {
      test(what, async () => {
        const { bridge, proxy } = await open();
        await untilSettled(bridge);
        const before = await describeWorld(bridge);
        const failing = fault && bridge.sandbox.faults.add(fault);
        proxy.setTamper(tamper);

        const ended = await sweep(bridge);

        failing?.remove();
        proxy.setTamper(undefined);
        const reasons = reason === undefined ? [] : [expect.stringMatching(reason)];
        const status = reason === undefined ? 'complete' : 'incomplete';
        expect({ status: ended.status, reasons: ended.reasons }).toEqual({ status, reasons });
        expect(await listManagedDrifts(bridge)).toEqual(
          concludes === 'nothing' ? [] : [REAL_DRIFT],
        );
        expect(await listManagedDrifts(bridge, 'gone')).toEqual([]);
        expect(await describeWorld(bridge)).toBe(before);
      });
    }

    test('and once everything answers, exactly what is different is found', async () => {
      const { bridge } = await open();
      await untilSettled(bridge);
      expect(await sweep(bridge)).toMatchObject({ status: 'complete', reasons: [] });
      expect(await listManagedDrifts(bridge)).toEqual([REAL_DRIFT]);
      expect(await listManagedDrifts(bridge, 'gone')).toEqual([]);
    });
  });
}

/** Each failure on one page of a list; nothing else can be said then. */
function failOn(operation: OperationName): Cell[] {
  return failures
    .map((failure, index) => ({ failure, page: index % 3 }))
    .map(({ failure, page }) => ({
      what: `page ${page} ${failure.what}`,
      fault: { operation, fault: failure.fault, skip: page },
      reason: /./,
      concludes: 'nothing' as const,
    }));
}

const empty = withEntries(() => []);

function shrinkTotal(body: unknown): unknown {
  const { totalResults, ...rest } = Object(body);
  return { ...rest, totalResults: totalResults - 1 };
}

/** A list that says its total; each of its pages has somebody managed in it. */
function tamperWithScim(path: string, name: string): Cell[] {
  const page = { path, size: PAGE };
  const tampers = [0, 1, 2].flatMap((place) => [
    { what: `page ${place} empty`, tamper: changePage({ ...page, place }, empty) },
    ...(place === 0
      ? []
      : [{ what: `page ${place} repeated`, tamper: repeatPage({ ...page, place }) }]),
  ]);
  return [
    ...tampers.map((tamper) => ({ ...tamper, reason: /./, concludes: 'nothing' as const })),
    // The read steps back to what is known, and goes on to the end.
    ...[1, 2].map((place) => ({
      what: `page ${place} shrinking`,
      tamper: changePage({ ...page, place }, shrinkTotal),
      reason: undefined,
      concludes: 'what is true' as const,
    })),
    // Of whom another list shows nothing is concluded; of the others what the list shows of them.
    ...[0, 1, 2].map((place) => ({
      what: `page ${place} cut short`,
      tamper: leaveOut(path, Math.min(place * PAGE + 1, 4)),
      reason: new RegExp(`the list ${name} left out|came twice|fewer entries`),
      concludes: 'what is true' as const,
    })),
  ];
}

describeList('scim.getUsers', [
  ...failOn('scim.getUsers'),
  ...tamperWithScim('/scim/v2/Users', 'users'),
]);
describeList('scim.getGroups', [
  ...failOn('scim.getGroups'),
  ...tamperWithScim('/scim/v2/Groups', 'groups'),
]);

/** A list without a total: a hole in it shows in who is not in it, or in pages that do not join. @param holey the reason of the second. */
function tamperWithRest(path: string, name: string, holey: RegExp | undefined): Cell[] {
  const page = { path, size: PAGE };
  // Some are seen to come twice, because what is cut short moves what follows.
  const leftOut = new RegExp(`the list ${name} left out|a page came twice`);
  return [
    {
      what: 'page 0 empty',
      tamper: changePage({ ...page, place: 0 }, empty),
      reason: /is empty, and .* is not/,
      concludes: 'nothing',
    },
    ...[1, 2].map((place) => ({
      what: `page ${place} empty`,
      tamper: changePage({ ...page, place }, empty),
      reason: holey,
      concludes: holey === undefined ? ('what is true' as const) : ('nothing' as const),
    })),
    ...[0, 1, 2].map((place) => ({
      what: `page ${place} cut short`,
      tamper: leaveOut(path, Math.min(place * PAGE + 1, 4)),
      reason: leftOut,
      concludes: 'what is true' as const,
    })),
  ];
}

/** A page says what the one before it said. */
function repeatOn(path: string, place: number, reason: RegExp | undefined): Cell {
  const tamper = repeatPage({ path, size: PAGE, place });
  return { what: `page ${place} repeated`, tamper, reason, concludes: 'what is true' };
}

describeList('companyUsers.getListOfUsers', [
  ...failOn('companyUsers.getListOfUsers'),
  ...tamperWithRest('/company/users', 'companyUsers', /changed too much/),
  repeatOn('/company/users', 1, /came twice/),
  repeatOn('/company/users', 2, /came twice/),
]);
describeList('groups.getListOfGroups', [
  ...failOn('groups.getListOfGroups'),
  // With tree entities the service does not page, and shows everything at once.
  ...tamperWithRest('/company/groups', 'restGroups', undefined),
  repeatOn('/company/groups', 1, undefined),
  repeatOn('/company/groups', 2, undefined),
]);

/** The list of groups names one member of each group, so the others are asked for. */
const truncated: Tamper = (url, body) =>
  url.pathname.endsWith('/scim/v2/Groups') ? withEntries(cutMembers)(body) : body;

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

const withoutCounts = withEntries(dropCounts);

function isRights({ pathname }: URL): boolean {
  return pathname.endsWith('/company/groups');
}

/** `first` and then `second`. */
function both(first: Tamper, second: Tamper): Tamper {
  return (url, body) => second(url, first(url, body));
}

const membersOf: Tamper = (url, body) => (isMembers(url) ? empty(body) : body);
const someMembersOf: Tamper = (url, body) =>
  isMembers(url) ? withEntries((entries) => entries.slice(0, 2))(body) : body;

function isMembers({ pathname }: URL): boolean {
  return /\/groups\/[^/]+\/users$/.test(pathname);
}

describeList('groupUsers.getListOfGroupUsers', [
  ...failures.map(({ what, fault }) => ({
    what: `members truncated, and asking for them ${what}`,
    tamper: truncated,
    fault: { operation: 'groupUsers.getListOfGroupUsers' as const, fault },
    reason: /./,
    concludes: 'nothing' as const,
  })),
  {
    what: 'members truncated, and asking for them answered with nobody',
    tamper: both(truncated, membersOf),
    reason: /no two answers agree/,
    concludes: 'what is true',
  },
  {
    what: 'members truncated, and asking for them answered with a part',
    tamper: both(truncated, someMembersOf),
    reason: /no two answers agree/,
    concludes: 'what is true',
  },
  {
    what: 'members truncated, with a number beside them',
    tamper: truncated,
    reason: undefined,
    concludes: 'what is true',
  },
  {
    what: 'members truncated, without a number beside them',
    tamper: both(truncated, (url, body) => (isRights(url) ? withoutCounts(body) : body)),
    reason: undefined,
    concludes: 'what is true',
  },
]);

test('who is in a group is brought back by hand, also where it was in doubt once', async () => {
  const { bridge, proxy, stop } = await startWorld(100);
  onTestFinished(stop);
  const { service } = bridge.sandbox;
  proxy.setTamper(both(truncated, someMembersOf));
  const doubted = await sweep(bridge);
  proxy.setTamper(undefined);
  service.removeMember('Team 0', 'person3@example.com');
  await sweep(bridge);

  const { body } = await askOps(bridge, 'GET', '/drifts?kind=member.removed');
  const [drift] = Array.isArray(body.items) ? body.items : [];
  await askOps(bridge, 'POST', `/drifts/${Object(drift).id}/repair`);
  await expect.poll(() => service.members('Team 0')).toContain('person3@example.com');

  expect(doubted).toMatchObject({ status: 'incomplete', reasons: [/no two answers agree/] });
});

/** Answers with nobody the first time; the second look shows who is there. */
function emptyOnce(isMet: (url: URL) => boolean): Tamper {
  let isSpent = false;
  return (url, body) => {
    if (isSpent || !isMet(url)) return body;
    isSpent = true;
    return empty(body);
  };
}

describeList('groupAdmins.getListOfGroupAdmins', [
  ...failures.map(({ what, fault }) => ({
    what,
    fault: { operation: 'groupAdmins.getListOfGroupAdmins' as const, fault },
    reason: /the admins of some groups could not be read/,
    concludes: 'what is true' as const,
  })),
  {
    what: 'empty, which a look of its own does not bear out',
    tamper: emptyOnce(({ pathname }) => pathname.endsWith('/admins')),
    reason: undefined,
    concludes: 'what is true',
  },
]);

test('an account that no list shows is missing only when a look at it says so', async () => {
  const { bridge, proxy, stop } = await startWorld(100);
  onTestFinished(stop);
  const { id } = bridge.sandbox.service.getUser('person3@example.com');
  const without = withEntries((entries) => entries.filter((one) => Number(Object(one).id) !== id));
  const isUsers = ({ pathname }: URL) => /\/(Users|company\/users)$/.test(pathname);
  proxy.setTamper((url, body) => {
    const shorter = isUsers(url) ? without(body) : body;
    return url.pathname.endsWith('/Users') ? shrinkTotal(shorter) : shorter;
  });

  const doubted = await sweep(bridge);
  const before = await listManagedDrifts(bridge);
  await untilSettled(bridge);
  const fault = { kind: 'status', status: 404 } as const;
  bridge.sandbox.faults.add({ operation: 'scim.getUser', fault, times: 1 });
  bridge.sandbox.calls.reset();
  const ended = await sweep(bridge);

  expect(doubted).toMatchObject({ status: 'incomplete', reasons: [/left out one/] });
  expect(before).toEqual([]);
  expect(ended).toMatchObject({ status: 'complete', reasons: [] });
  expect(await listManagedDrifts(bridge)).toEqual([REAL_DRIFT, 'user.missing person3@example.com']);
  expect(Object.keys(bridge.sandbox.calls.counts())).not.toContain('scim.addUser');
});

test('of many who are missing a sweep looks for fifty, and the next goes on with the others', async () => {
  const { bridge, proxy, stop } = await startWorld(100);
  onTestFinished(stop);
  const names = Array.from({ length: 56 }, (_, n) => `extra${n}`);
  for (const some of [names.slice(0, 50), names.slice(50)]) {
    await Promise.all(some.map((name) => addUser(bridge, name)));
  }
  await untilSettled(bridge);
  proxy.setTamper((url, body) => {
    if (!/\/(Users|company\/users)$/.test(url.pathname)) return body;
    const isKnown = (entry: unknown) => !JSON.stringify(entry).includes('extra');
    const others = withEntries((entries) => entries.filter(isKnown))(body);
    return Array.isArray(others) ? others : { ...Object(others), totalResults: 5 };
  });
  const { faults } = bridge.sandbox;
  const answerLooks = (fault: Fault, times?: number) =>
    faults.add({ operation: 'scim.getUser', fault, times });
  const listMissing = async () =>
    (await listManagedDrifts(bridge)).filter((drift) => drift.startsWith('user.missing'));

  const unreadable = answerLooks({ kind: 'html' });
  const first = await sweep(bridge);
  unreadable.remove();
  answerLooks({ kind: 'status', status: 404 }, 6);
  answerLooks({ kind: 'html' });
  const second = await sweep(bridge);
  const missing = await listMissing();
  faults.clear();
  answerLooks({ kind: 'status', status: 404 }, 50);
  const third = await sweep(bridge);

  const more = '6 more users are missing and were not looked for yet';
  expect(first).toMatchObject({ status: 'incomplete', counts: { opened: 0, unknown: 51 } });
  expect(first.reasons).toContain(more);
  // The six come first; then the search begins anew, and forty-four of the fifty are as unreadable as the real drift.
  expect(second).toMatchObject({ status: 'incomplete', counts: { opened: 6, unknown: 45 } });
  const last = names.slice(50).map((name) => `user.missing ${name}@example.com`);
  expect(missing).toEqual(last);
  expect(third).toMatchObject({ status: 'complete', counts: { opened: 51 }, reasons: [] });
  expect(await listMissing()).toHaveLength(56);
});

test('a stranger whom a member list cut short lacks is still there until the group itself says otherwise', async () => {
  const { bridge, proxy, stop } = await startWorld(100);
  onTestFinished(stop);
  const { service, calls } = bridge.sandbox;
  await addUser(bridge, 'stranger');
  await untilSettled(bridge);
  service.addMember('Team 0', 'stranger@example.com');
  await sweep(bridge);
  const stranger = 'member.added Team 0 of stranger@example.com';
  const found = await listManagedDrifts(bridge);
  proxy.setTamper(both(truncated, (url, body) => (isRights(url) ? withoutCounts(body) : body)));

  const short = await sweep(bridge);
  const still = await listManagedDrifts(bridge);
  service.removeMember('Team 0', 'stranger@example.com');
  proxy.setTamper((url, body) => (isRights(url) ? withoutCounts(body) : body));
  calls.reset();
  await sweep(bridge);
  const asked = calls.counts()['groupUsers.getListOfGroupUsers'];
  calls.reset();
  await sweep(bridge);

  expect(found).toContain(stranger);
  expect(short).toMatchObject({ status: 'complete', reasons: [] });
  expect(still).toEqual(found);
  expect(await listManagedDrifts(bridge)).not.toContain(stranger);
  expect(asked).toEqual({ 200: 1 });
  expect(calls.counts()['groupUsers.getListOfGroupUsers']).toBeUndefined();
});
