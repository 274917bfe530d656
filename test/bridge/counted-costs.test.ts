import { afterAll, beforeAll, expect, test } from 'vitest';
import type { JsonObject } from '../../src/domain/json.ts';
import { startTestBridge, type TestBridge } from '../support/bridge.ts';
import {
  addGroup,
  addUser,
  send,
  toMembers,
  toPatch,
  toUser,
  untilSettled,
} from '../support/provider.ts';

let bridge: TestBridge;
beforeAll(async () => {
  bridge = await startTestBridge();
});
afterAll(() => bridge.stop());

/** A company of its own for each request: a pilot, another person and the pilots. */
interface Ids {
  readonly name: string;
  readonly pilot: string;
  readonly other: string;
  readonly pilots: string;
}

/** A request, and the calls to the service that it costs. */
interface Row {
  readonly what: string;
  readonly calls: readonly string[];
  act(ids: Ids): Promise<unknown>;
}

const replace = (path: string, value: string | boolean) => toPatch({ op: 'replace', path, value });
const patchUser = (id: string, body: JsonObject) => send(bridge, 'PATCH', `/Users/${id}`, body);
const patchGroup = (id: string, operation: JsonObject) =>
  send(bridge, 'PATCH', `/Groups/${id}`, toPatch(operation));
const find = (filter: string) => send(bridge, 'GET', `/Users?filter=${encodeURIComponent(filter)}`);

const rows: readonly Row[] = [
  {
    what: 'a read of a user',
    calls: [],
    act: ({ pilot }) => send(bridge, 'GET', `/Users/${pilot}`),
  },
  {
    what: 'a look-up by userName',
    calls: [],
    act: ({ name }) => find(`userName eq "${name}@example.com"`),
  },
  { what: 'a page of a list', calls: [], act: () => send(bridge, 'GET', '/Users?count=1') },
  {
    what: 'a read of a group with its members',
    calls: [],
    act: ({ pilots }) => send(bridge, 'GET', `/Groups/${pilots}`),
  },
  {
    what: 'a PATCH that changes nothing',
    calls: [],
    act: ({ pilot }) => patchUser(pilot, replace('active', true)),
  },
  {
    what: 'a PUT that changes nothing',
    calls: [],
    act: ({ name, pilot }) => send(bridge, 'PUT', `/Users/${pilot}`, toUser(name)),
  },
  {
    what: 'a PATCH of what the bridge alone keeps',
    calls: [],
    act: ({ pilot }) => patchUser(pilot, replace('title', 'Pilot')),
  },
  {
    what: 'a PATCH that deactivates',
    calls: ['scim.updateUser'],
    act: ({ pilot }) => patchUser(pilot, replace('active', false)),
  },
  {
    what: 'a PATCH of the name',
    calls: ['scim.updateUser'],
    act: ({ pilot }) => patchUser(pilot, replace('name.familyName', 'Byron')),
  },
  {
    what: 'a PATCH that adds a member',
    calls: ['groupUsers.addUserToGroup'],
    act: ({ pilots, other }) =>
      patchGroup(pilots, { op: 'add', path: 'members', value: toMembers([other]) }),
  },
  {
    what: 'a PATCH that removes a member',
    calls: ['groupUsers.removeUserFromGroup'],
    act: ({ pilots, pilot }) =>
      patchGroup(pilots, { op: 'remove', path: `members[value eq "${pilot}"]` }),
  },
  { what: 'a POST of a user', calls: ['scim.addUser'], act: () => addUser(bridge, 'cyd') },
  {
    what: 'a DELETE of a user, who then leaves a group',
    calls: ['scim.updateUser', 'groupUsers.removeUserFromGroup'],
    act: ({ pilot }) => send(bridge, 'DELETE', `/Users/${pilot}`),
  },
];

test.each(rows.map((row, index) => ({ ...row, index })))(
  '$what costs the service $calls.length calls',
  async ({ calls, act, index }) => {
    const name = `pilot${index}`;
    const [pilot, other] = [await addUser(bridge, name), await addUser(bridge, `other${index}`)];
    const pilots = await addGroup(bridge, `Pilots ${index}`, [pilot]);
    await untilSettled(bridge);
    bridge.sandbox.calls.reset();

    await act({ name, pilot, other, pilots });
    await untilSettled(bridge);

    expect(bridge.sandbox.calls.recent().map(({ operation }) => operation)).toEqual(calls);
  },
);
