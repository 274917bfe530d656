import { afterAll, describe, expect, onTestFinished, test } from 'vitest';
import type { JsonObject } from '../../src/domain/values.ts';
import type { Fault } from '../../src/sandbox/faults.ts';
import type { OperationName } from '../../src/sandbox/operations.ts';
import { startSandbox } from '../../src/sandbox/sandbox.ts';
import type { TestBridge } from '../support/bridge.ts';
import { startTestBridge } from '../support/bridge.ts';
import { failing } from '../support/faults.ts';
import { createLeapingClock } from '../support/leaping-clock.ts';
import { toGroup, toMembers } from '../support/provider.ts';
import type { Tamper, TamperedService } from '../support/tampering-proxy.ts';
import {
  changePage,
  leaveOut,
  repeatPage,
  tamperWith,
  withEntries,
} from '../support/tampering-proxy.ts';

const PAGE = 2;
const [USERS, GROUPS] = ['/scim/v2/Users', '/scim/v2/Groups'];
/** In the first page but one; before the others in every list there is the owner. */
const REAL_DRIFT = 'user.deactivated person2@example.com';

interface Cell {
  readonly what: string;
  readonly fault?: { readonly operation: OperationName; readonly fault: Fault; skip?: number };
  readonly tamper?: Tamper;
  /** What the sweep gives as its reason; undefined: another way to ask shows that the list is complete. */
  readonly reason: RegExp | undefined;
  /** Whether what other lists prove is concluded all the same; else what is known stays. */
  readonly concludes: 'nothing' | 'what is true';
}

interface World {
  readonly bridge: TestBridge;
  readonly proxy: TamperedService;
  stop(): Promise<void>;
}

/** Four people beside the owner and five groups; then somebody deactivates a person: the only drift that there is. */
async function startWorld(pageSize = PAGE): Promise<World> {
  const sandbox = await startSandbox();
  const proxy = await tamperWith(sandbox);
  const settings = {
    SWEEP_ADMINS_EVERY: '1',
    UPSTREAM_PAGE_SIZE: `${pageSize}`,
    UPSTREAM_TIMEOUT: '5m',
  };
  // Waits between attempts take a thirtieth of their time.
  const clock = createLeapingClock(30);
  const bridge = await startTestBridge({ service: proxy.service, settings, clock });
  const ids: string[] = [];
  for (const n of [1, 2, 3, 4]) ids.push(await bridge.addUser(`person${n}`));
  const admins: JsonObject = { admins: toMembers(ids.slice(0, 1)) };
  await bridge.send('POST', '/Groups', toGroup('Team 0', ids, admins));
  for (const name of ['Team 1', 'Team 2', 'Team 3', 'Team 4']) await bridge.addGroup(name);
  expect(await bridge.sweep()).toMatchObject({ status: 'complete', reasons: [] });
  await bridge.untilSettled();
  // Of whom was worked on just now a list may say nothing.
  clock.leap(60 * 60_000);
  sandbox.service.updateUser('person2@example.com', { active: false });
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

async function describeWorld(bridge: TestBridge) {
  const { service } = bridge.sandbox;
  const [users, groups] = await Promise.all(
    ['/Users', '/Groups'].map(async (path) => (await bridge.send('GET', path)).body),
  );
  const teams = service.groups().map(({ name }) => ({ name, members: service.members(name) }));
  return JSON.stringify({ users, groups, teams, accounts: service.users() });
}

function failOn(operation: OperationName, page: number, what: string, fault: Fault): Cell {
  return {
    what: `${operation}: page ${page} ${what}`,
    fault: { operation, fault, skip: page },
    reason: /./,
    concludes: 'nothing',
  };
}

const empty = withEntries(() => []);

function shrinkTotal(body: unknown): unknown {
  const { totalResults, ...rest } = Object(body);
  return { ...rest, totalResults: totalResults - 1 };
}

function toEmpty(path: string, place: number, concludes: Cell['concludes'], reason: RegExp): Cell {
  const tamper = changePage({ path, size: PAGE, place }, empty);
  return { what: `${path}: page ${place} empty`, tamper, reason, concludes };
}

function repeatOn(path: string, place: number, reason: RegExp | undefined): Cell {
  const tamper = repeatPage({ path, size: PAGE, place });
  const concludes = reason === undefined ? 'what is true' : 'nothing';
  return { what: `${path}: page ${place} repeated`, tamper, reason, concludes };
}

/** Whom another list shows is looked at. Of the others is concluded what the list shows, unless it is the one that shows who is active. */
function cutShort(path: string, place: number): Cell {
  return {
    what: `${path}: page ${place} cut short`,
    tamper: leaveOut(path, Math.min(place * PAGE + 1, 4)),
    reason: /left out one that is there|came twice|fewer entries/,
    concludes: path === USERS ? 'nothing' : 'what is true',
  };
}

/** The list of groups names one member of each group, so the others are asked for. */
const truncated: Tamper = (url, body) =>
  url.pathname.endsWith('/scim/v2/Groups') ? withEntries(cutMembers)(body) : body;

function cutMembers(groups: unknown[]): unknown[] {
  return groups.map((group) => {
    const { members, ...rest } = Object(group);
    return { ...rest, members: members?.slice(0, 1) };
  });
}

function both(first: Tamper, second: Tamper): Tamper {
  return (url, body) => second(url, first(url, body));
}

const someMembersOf: Tamper = (url, body) =>
  isMembers(url) ? withEntries((entries) => entries.slice(0, 2))(body) : body;

function isMembers({ pathname }: URL): boolean {
  return /\/groups\/[^/]+\/users$/.test(pathname);
}

const cells: readonly Cell[] = [
  failOn('scim.getUsers', 0, 'failing with 500', failing(500)),
  failOn('companyUsers.getListOfUsers', 2, 'a page of HTML', { kind: 'html' }),
  failOn('groups.getListOfGroups', 0, 'half of its JSON', { kind: 'truncated' }),
  toEmpty(USERS, 1, 'nothing', /./),
  toEmpty('/company/users', 0, 'what is true', /left out one that is there/),
  repeatOn('/company/users', 1, /came twice/),
  // With tree entities the service does not page, and shows everything at once.
  repeatOn('/company/groups', 1, undefined),
  // The read steps back to what is known, and goes on to the end.
  {
    what: `${GROUPS}: page 1 shrinking`,
    tamper: changePage({ path: GROUPS, size: PAGE, place: 1 }, shrinkTotal),
    reason: undefined,
    concludes: 'what is true',
  },
  cutShort(USERS, 1),
  cutShort(GROUPS, 0),
  cutShort('/company/groups', 2),
  {
    what: 'members truncated, and asking for them answered with a part',
    tamper: both(truncated, someMembersOf),
    reason: /no two answers agree/,
    concludes: 'what is true',
  },
  {
    what: 'the admins of a group failing with 500',
    fault: { operation: 'groupAdmins.getListOfGroupAdmins', fault: failing(500) },
    reason: /the admins of some groups could not be read/,
    concludes: 'what is true',
  },
];

describe('a list that is wrong', () => {
  let started: Promise<World> | undefined;
  const open = () => {
    started ??= startWorld();
    return started;
  };
  /** Whether the last sweep that concluded something was to find the difference. */
  let isFound = false;
  afterAll(async () => (await started)?.stop());

  for (const { what, fault, tamper, reason, concludes } of cells) {
    test(what, async () => {
      const { bridge, proxy } = await open();
      const { service, faults } = bridge.sandbox;
      await bridge.untilSettled();
      if (concludes === 'what is true') {
        // Each of them has something else to find.
        isFound = !isFound;
        service.updateUser('person2@example.com', { active: !isFound });
      }
      const before = await describeWorld(bridge);
      const failing = fault && faults.add(fault);
      proxy.setTamper(tamper);

      const ended = await bridge.sweep();

      failing?.remove();
      proxy.setTamper(undefined);
      const reasons = reason === undefined ? [] : [expect.stringMatching(reason)];
      const status = reason === undefined ? 'complete' : 'incomplete';
      expect({ status: ended.status, reasons: ended.reasons }).toEqual({ status, reasons });
      expect(await bridge.listDrifts()).toEqual(isFound ? [REAL_DRIFT] : []);
      expect(await describeWorld(bridge)).toBe(before);
    });
  }

  test('and once everything answers, exactly what is different is found', async () => {
    const { bridge } = await open();
    await bridge.untilSettled();
    bridge.sandbox.service.updateUser('person2@example.com', { active: false });
    expect(await bridge.sweep()).toMatchObject({ status: 'complete', reasons: [] });
    expect(await bridge.listDrifts()).toEqual([REAL_DRIFT]);
  });
});

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

  const doubted = await bridge.sweep();
  const before = await bridge.listDrifts();
  await bridge.untilSettled();
  const fault = failing(404);
  bridge.sandbox.faults.add({ operation: 'scim.getUser', fault, about: `/Users/${id}` });
  bridge.sandbox.calls.reset();
  const ended = await bridge.sweep();

  expect(doubted).toMatchObject({ status: 'incomplete', reasons: [/left out one/] });
  expect(before).toEqual([REAL_DRIFT]);
  expect(ended).toMatchObject({ status: 'complete', reasons: [] });
  expect(await bridge.listDrifts()).toEqual([REAL_DRIFT, 'user.missing person3@example.com']);
  expect(Object.keys(bridge.sandbox.calls.counts())).not.toContain('scim.addUser');
});
