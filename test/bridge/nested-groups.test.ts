import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { JsonObject } from '../../src/domain/values.ts';
import { bridgeForSuite, bridgeForTest } from '../support/bridge.ts';
import { toObjects } from '../support/operator.ts';
import { admit, dismiss, expel, toGroup } from '../support/provider.ts';

describe('nested groups', () => {
  const bridge = bridgeForSuite();
  let count = 0;
  let outerName: string;
  let ada: string;
  let bob: string;
  let inner: string;
  let outer: string;

  beforeAll(async () => {
    await bridge.ops('POST', '/providers/default/change', { nestedGroups: 'flatten' });
  });
  beforeEach(async () => {
    count += 1;
    outerName = `Outer ${count}`;
    ada = await bridge.addUser(`ada${count}`);
    bob = await bridge.addUser(`bob${count}`);
    inner = await bridge.addGroup(`Inner ${count}`, [ada]);
    outer = await bridge.addGroup(outerName);
  });

  const patch = (group: string, ...operations: JsonObject[]) =>
    bridge.patch(`/Groups/${group}`, ...operations);

  async function readService(): Promise<string[]> {
    await bridge.untilSettled();
    return bridge.sandbox.service
      .members(outerName)
      .map((address) => address.slice(0, 3))
      .sort();
  }

  async function readShown(group: string): Promise<JsonObject[]> {
    return (await bridge.send('GET', `/Groups/${group}`)).body.members as JsonObject[];
  }

  test('the people of a group that is a member are members in the service, and GET shows what the provider wrote', async () => {
    const { body } = await bridge.send('POST', '/Groups', toGroup(`Made ${count}`, [inner, bob]));
    await patch(outer, { ...admit(), value: [{ value: inner, type: 'Group' }] });

    expect(await readService()).toEqual(['ada']);
    const $ref = expect.stringMatching(`/Groups/${inner}$`);
    const group = { value: inner, $ref, display: `Inner ${count}`, type: 'Group' };
    expect(await readShown(outer)).toEqual([group]);
    expect(await readShown(String(body.id))).toMatchObject([{ value: bob, type: 'User' }, group]);
    const indirect = expect.objectContaining({ value: outer, type: 'indirect' });
    expect((await bridge.send('GET', `/Users/${ada}`)).body.groups).toContainEqual(indirect);
    const found = await bridge.find('/Groups', `members.value eq "${inner}"`);
    expect(found.map(({ id }) => id)).toContain(outer);
  });

  test('who joins or leaves the inner group joins or leaves the outer one, at any depth', async () => {
    const middle = await bridge.addGroup(`Middle ${count}`, [inner]);
    await bridge.send('PUT', `/Groups/${outer}`, toGroup(outerName, [middle]));
    expect(await readService()).toEqual(['ada']);

    await patch(inner, admit(bob));
    expect(await readService()).toEqual(['ada', 'bob']);
    await patch(inner, expel(ada));
    expect(await readService()).toEqual(['bob']);
    await patch(middle, expel(inner));
    expect(await readService()).toEqual([]);
  });

  test('the people leave with the inner group, but for those who are members by name too', async () => {
    await patch(inner, admit(bob));
    await patch(outer, admit(inner, bob));
    bridge.sandbox.calls.reset();
    await bridge.send('PUT', `/Groups/${outer}`, toGroup(outerName, [bob, inner]));
    expect(await readService()).toEqual(['ada', 'bob']);
    expect(bridge.sandbox.calls.recent()).toEqual([]);
    // By the inner group bob stays, though not by name; then by name again.
    await patch(outer, expel(bob));
    expect(await readService()).toEqual(['ada', 'bob']);
    await patch(outer, admit(bob));

    await patch(outer, dismiss(inner));

    expect(await readService()).toEqual(['bob']);
    expect(await readShown(outer)).toMatchObject([{ value: bob }]);
  });

  test('a deleted inner group takes its people with it, and one of a filter goes alone', async () => {
    await patch(outer, {
      ...admit(inner, await bridge.addGroup(`Second ${count}`, [bob])),
      op: 'replace',
    });
    expect(await readService()).toEqual(['ada', 'bob']);

    await patch(outer, { op: 'remove', path: `members[display eq "Second ${count}"]` });
    expect(await readService()).toEqual(['ada']);
    await bridge.send('DELETE', `/Groups/${inner}`);
    expect(await readService()).toEqual([]);
    expect(await readShown(outer)).toEqual([]);
  });

  test('groups in a circle keep nobody who left', async () => {
    await patch(outer, admit(inner, bob));
    await patch(inner, admit(outer));
    expect(await readService()).toEqual(['ada', 'bob']);
    await patch(inner, expel(ada));
    await patch(outer, expel(bob));
    expect(await readService()).toEqual([]);
  });

  test('a comparison takes the people of an inner group as wanted', async () => {
    await patch(outer, admit(inner));
    await bridge.untilSettled();
    bridge.sandbox.service.unlink(outerName, `ada${count}@example.com`);
    await bridge.sweep();
    const { body } = await bridge.ops('GET', '/drifts?status=open');
    expect(body.items).toMatchObject([{ kind: 'member.removed', resource: { id: outer } }]);
  });

  test('a removal of an inner group is taken whatever else the request holds, and a refused request leaves it in', async () => {
    await patch(outer, admit(inner));
    const rest = admit('nobody');
    const refused = await bridge.tryPatch(`/Groups/${outer}`, rest);
    expect([refused.status, await readService()]).toEqual([400, ['ada']]);
    await patch(outer, rest, expel(inner));
    expect(await readService()).toEqual([]);
  });

  test('Bulk makes a group and the group that it is a member of', async () => {
    const operation = (bulkId: string, members: JsonObject[]) => ({
      ...{ method: 'POST', path: '/Groups', bulkId },
      data: { ...toGroup(`${bulkId} ${count}`), members },
    });
    const whole = operation('whole', [{ value: 'bulkId:part' }]);
    const Operations = [whole, operation('part', [{ value: ada }])];
    const { body } = await bridge.send('POST', '/Bulk', { Operations });
    outerName = `whole ${count}`;
    expect(body.Operations).toMatchObject([{ status: '201' }, { status: '201' }]);
    expect(await readService()).toEqual(['ada']);
  });

  test('a group that was taken over, deleted and is made again has no group of before in it', async () => {
    const name = `Adopted ${count}`;
    bridge.sandbox.service.createGroup({ name });
    await bridge.sweep();
    const before = await bridge.settled(bridge.addGroup(name, [inner]));
    expect(await readShown(before)).toMatchObject([{ value: inner }]);
    await bridge.settled(bridge.send('DELETE', `/Groups/${before}`));

    expect(await readShown(await bridge.addGroup(name))).toEqual([]);
  });
});

test('the members of a group are told page by page, each once, with what is wanted and what was seen', async () => {
  const bridge = await bridgeForTest();
  const ids = await bridge.addPeople('ada', 'bob', 'eve');
  const group = await bridge.settled(bridge.addGroup('Pilots', ids.slice(0, 2)));
  bridge.sandbox.service.link('Pilots', 'eve@example.com');
  bridge.sandbox.service.unlink('Pilots', 'ada@example.com');
  await bridge.sweep();

  const { body: first } = await bridge.ops('GET', `/groups/${group}/members?limit=2`);
  const cursor = String(first.nextCursor);
  const next = await bridge.ops('GET', `/groups/${group}/members?limit=2&cursor=${cursor}`);
  const none = await bridge.ops('GET', '/groups/nobody/members');

  expect(first.items).toMatchObject([
    { id: ids[0], name: 'ada@example.com', desired: true, observed: false, standing: 'drifted' },
    { id: ids[1], desired: true, observed: true, standing: 'settled' },
  ]);
  expect(next.body).toMatchObject({
    items: [{ id: ids[2], desired: false, observed: true, standing: 'drifted' }],
    nextCursor: null,
  });
  expect(none.status).toBe(404);
});

const MEMBERS = 2_100;

const bridge = bridgeForSuite({
  sandbox: { seed: { users: MEMBERS } },
  prepare({ service }) {
    service.createGroup({ name: 'Everybody' });
    for (let n = 1; n <= MEMBERS; n += 1) service.link('Everybody', `${toName(n)}@example.com`);
  },
});
let group: string;

beforeAll(async () => {
  group = await bridge.findId({ type: 'Groups', name: 'Everybody' });
});

function toName(n: number): string {
  return `user${String(n).padStart(5, '0')}`;
}

test('a group of any size is answered completely', async () => {
  for (const query of ['', '?attributes=members', '?attributes=members.value']) {
    const { body } = await bridge.send('GET', `/Groups/${group}${query}`);

    expect(new Set(toObjects(body.members).map(({ value }) => value)).size).toBe(MEMBERS);
    expect(body.id).toBe(group);
  }
});

test('each of its members is found by a filter, wherever it is in the list', async () => {
  for (const [display, found] of [
    [toName(1), [group]],
    [toName(MEMBERS), [group]],
    ['nobody', []],
  ] as const) {
    const answer = await bridge.find('/Groups', `members[display eq "${display}"]`);
    expect(answer.map(({ id }) => id)).toEqual(found);
  }
});

test('a removal by filters takes those whom it finds, wherever they are in the list', async () => {
  const where = (filter: string) => ({ op: 'remove', path: `members[${filter}]` });
  const found = [toName(1), toName(MEMBERS)];

  const removals = ['nobody', ...found].map((name) => where(`display eq "${name}"`));
  await bridge.patch(`/Groups/${group}`, ...removals);

  const { body } = await bridge.send('GET', `/Groups/${group}?attributes=members.display`);
  const left = toObjects(body.members);
  expect(left).toHaveLength(MEMBERS - 2);
  for (const name of found) expect(left).not.toContainEqual({ display: name });
});
