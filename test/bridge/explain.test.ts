import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { GROUP_EXTENSION } from '../../src/domain/extensions.ts';
import type { Rule } from '../../src/domain/rules.ts';
import { STANDINGS } from '../../src/ops/schemas/resources.ts';
import type { OpsJson } from '../../src/ops/schemas/schemas.ts';
import { startTestBridge, type TestBridge } from '../support/bridge.ts';
import { forSuite } from '../support/lifetimes.ts';
import { replace, toMembers } from '../support/provider.ts';

const OPS_TOKEN = 'token-of-an-operator';

const rules: Rule[] = [
  { group: 'Board', permissions: 16 },
  { adminsOf: '*', from: '* Admins' },
  { membersOf: 'Guests', appsPermissions: 2 },
  { membersOf: 'Refused', appsPermissions: 2 },
];

function ask(bridge: TestBridge, path: string) {
  const authorization = `Bearer ${OPS_TOKEN}`;
  return bridge.request('GET', String(new URL(`/ops/${path}`, bridge.baseUrl)), undefined, {
    authorization,
  });
}

async function explain(bridge: TestBridge, path: string): Promise<OpsJson<'Explanation'>> {
  const { status, text } = await ask(bridge, `${path}/explain`);
  expect(status).toBe(200);
  return JSON.parse(text) as OpsJson<'Explanation'>;
}

/** Field by field: wanted, seen, how it stands, by whom. */
function toRows({ fields }: OpsJson<'Explanation'>): Record<string, unknown[]> {
  return Object.fromEntries(
    fields.map(({ field, desired, observed, standing, from }) => [
      field,
      [desired, observed, standing, from],
    ]),
  );
}

test('docs/drift.md says once what each state of a field means', () => {
  const [, section = ''] = readFileSync('docs/drift.md', 'utf8').split(/^## (?=Explain|Why)/m);
  const listed = [...section.matchAll(/^\| `([a-z ]+)` \|/gm)].map(([, state]) => state);

  expect(listed).toEqual([...STANDINGS]);
});

describe('explain', () => {
  const bridge = forSuite(async () => {
    const settings = { RULES: JSON.stringify(rules), OPS_TOKEN, GROUPS_PERMISSIONS_MAX: '3' };
    return startTestBridge({ settings, sandbox: { seed: { users: 1, groups: 1 } } });
  });

  test('each field of a person, its value and where it comes from', async () => {
    const id = await bridge.addUser('ada', { externalId: 'x-1' });
    await bridge.addGroup('Guests', [id]);
    await bridge.untilSettled();
    const userName = 'countess@example.com';
    await bridge.patch(`/Users/${id}`, replace('userName', userName));
    await bridge.untilSettled();

    const explanation = await explain(bridge, `users/${userName}`);

    expect(explanation).toMatchObject({ type: 'user', id, managed: 'created', dueAt: null });
    expect(toRows(explanation)).toEqual({
      account: [true, true, 'settled', 'provider'],
      userName: [userName, 'ada@example.com', 'bridge only', 'provider'],
      address: ['ada@example.com', 'ada@example.com', 'settled', 'provider'],
      name: ['Ada Example', 'Ada Example', 'settled', 'provider'],
      active: [true, true, 'settled', 'provider'],
      appsPermissions: [2, 2, 'settled', "rule 3: { membersOf: 'Guests', appsPermissions: 2 }"],
      temporarilyInactive: [null, false, 'not ours', null],
      externalId: ['x-1', null, 'bridge only', 'provider'],
    });
    expect(explanation.groups).toMatchObject([
      { name: 'Guests', desired: true, observed: true, from: 'provider', standing: 'settled' },
    ]);
    expect(explanation.seen?.by).toMatch(/^(scim|companyUsers)\./);
  });

  test('each field of a group, how many are in it and by whom its admins are wanted', async () => {
    const ids = [await bridge.addUser('gina'), await bridge.addUser('gus')];
    const board = await bridge.addGroup('Board', ids);
    await bridge.addGroup('Board Admins', ids.slice(0, 1));
    await bridge.untilSettled();

    const explanation = await explain(bridge, 'groups/board');

    expect(toRows(explanation)).toMatchObject({
      displayName: ['Board', 'Board', 'settled', 'provider'],
      permissions: [16, 16, 'settled', "rule 1: { group: 'Board', permissions: 16 }"],
      addToCardsAndSpacesEnabled: [null, expect.anything(), 'not ours', null],
    });
    expect(explanation.members).toEqual({
      ...{ desired: 2, observed: 2 },
      ...{ pending: 0, stuck: 0, differing: 0 },
    });
    expect(explanation.admins).toContainEqual({
      id: ids[0],
      name: 'gina@example.com',
      desired: true,
      observed: true,
      from: "rule 2: { adminsOf: '*', from: '* Admins' }",
      standing: 'settled',
    });

    await bridge.patch(`/Groups/${board}`, {
      op: 'replace',
      value: { [GROUP_EXTENSION]: { permissions: 1, admins: toMembers(ids.slice(1)) } },
    });
    await bridge.untilSettled();
    const asked = await explain(bridge, `groups/${board}`);

    const permissions = asked.fields.find(({ field }) => field === 'permissions');
    expect(permissions).toMatchObject({
      desired: 1,
      from: 'provider',
      note: "It goes before rule 1: { group: 'Board', permissions: 16 }.",
    });
    expect(asked.admins).toContainEqual(
      expect.objectContaining({ id: ids[1], from: 'provider', standing: 'settled' }),
    );
  });

  test('what waits, what the service refuses and what somebody else changed', async () => {
    const { faults } = bridge.sandbox;
    const id = await bridge.addUser('rita');
    const fault = faults.add({
      operation: 'companyUsers.updateUser',
      fault: { kind: 'status', status: 422 },
    });
    await bridge.addGroup('Refused', [id]);
    await expect
      .poll(async () => toRows(await explain(bridge, `users/${id}`)).appsPermissions?.[2])
      .toBe('stuck');

    const { problem, dueAt } = await explain(bridge, `users/${id}`);

    fault.remove();
    expect(problem?.code).toBe('refused');
    expect(dueAt).not.toBeNull();
  });

  test('nothing, several and no token are told apart', async () => {
    const id = await bridge.addUser('sue', { displayName: 'Several' });
    const groupId = await bridge.addGroup('Several');

    const none = await ask(bridge, 'users/nobody/explain');
    const several = await ask(bridge, 'explain/several');
    const one = await ask(bridge, `explain/${id}`);
    const stranger = await bridge.request(
      'GET',
      String(new URL('/ops/explain/several', bridge.baseUrl)),
    );

    expect([none.status, none.body.code]).toEqual([404, 'not-found']);
    expect([several.status, several.body.code]).toEqual([409, 'ambiguous']);
    expect(several.body.found).toEqual([
      { type: 'user', id },
      { type: 'group', id: groupId },
    ]);
    expect([one.status, one.body.id]).toEqual([200, id]);
    expect(stranger.status).toBe(401);
  });

  test('who was deleted is still found by name, after whom there is now', async () => {
    const user = await bridge.addUser('del', { displayName: 'Pilots' });
    const group = await bridge.addGroup('Crew');
    await bridge.send('DELETE', `/Users/${user}`);
    await bridge.send('DELETE', `/Groups/${group}`);
    await bridge.untilSettled('may stay');
    const deleted = [
      await ask(bridge, 'explain/DEL@example.com'),
      await ask(bridge, 'groups/crew/explain'),
      await ask(bridge, 'timeline/del@example.com'),
    ];
    const live = await bridge.addGroup('Pilots');
    const one = await ask(bridge, 'explain/pilots');
    const again = await bridge.addUser('del');
    const newer = await ask(bridge, 'explain/del@example.com');
    await bridge.send('DELETE', `/Users/${again}`);
    await bridge.untilSettled('may stay');
    const revived = await ask(bridge, 'explain/del@example.com');

    expect(deleted.map(({ status, body }) => [status, body.id, body.deleted])).toEqual([
      [200, user, true],
      [200, group, true],
      [200, user, true],
    ]);
    expect([one.body.id, newer.body.id]).toEqual([live, again]);
    expect(revived.body).toMatchObject({ id: again, deleted: true });
  });
});
