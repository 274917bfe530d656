import { describe, expect, test } from 'vitest';
import { USER_EXTENSION } from '../../src/domain/extensions.ts';
import type { JsonObject } from '../../src/domain/json.ts';
import type { Rule } from '../../src/domain/rules.ts';
import { startSandbox } from '../../src/sandbox/sandbox.ts';
import { startTestBridge, type TestBridge } from '../support/bridge.ts';
import { forTest } from '../support/lifetimes.ts';
import { OPS_TOKEN } from '../support/operator.ts';

const PATIENT = { interval: 10 };
const ada = 'ada@example.com';
const GROUP_LOOK = { 'groups.getGroup': { 200: 1 }, 'groupUsers.getListOfGroupUsers': { 200: 1 } };

/** Calls an operation of the service as an operator does. */
async function callApi(bridge: TestBridge, operation: string, args: JsonObject): Promise<void> {
  const { status } = await bridge.ops('POST', `/api/${operation.replace('.', '/')}`, args);
  expect(status).toBe(200);
}

/** How a field stands, or a person in the admins of a group. */
async function readStanding(bridge: TestBridge, path: string, name: string): Promise<unknown> {
  const { body } = await bridge.ops('GET', `/${path}/explain`);
  const parts = [body.fields, body.admins].flatMap((list) => (Array.isArray(list) ? list : []));
  const part = parts.map(Object).find(({ field, name: person }) => (field ?? person) === name);
  return part?.standing;
}

/** The ids of Ada, of a group and of a space in the service. */
interface Ids {
  readonly account: number;
  readonly crew: string;
  readonly space: string;
}

/** A change of an operator and the calls that show it. */
interface Row {
  readonly operation: string;
  readonly toArgs: (ids: Ids) => JsonObject;
  /** What `explain` is asked about. */
  readonly path: string;
  readonly toName: (space: string) => string;
  readonly drift: string;
  readonly calls: JsonObject;
}

const rows: Row[] = [
  {
    operation: 'companyUsers.updateUser',
    toArgs: ({ account }) => ({ path: { id: account }, body: { apps_permissions: 0 } }),
    path: `users/${ada}`,
    toName: () => 'appsPermissions',
    drift: `user.access ${ada}`,
    calls: { 'scim.getUser': { 200: 1 }, 'companyUsers.getListOfUsers': { 200: 1 } },
  },
  {
    operation: 'groupEntities.removeEntity',
    toArgs: ({ crew, space }) => ({ path: { group_uid: crew, uid: space } }),
    path: 'groups/Crew',
    toName: (space) => `entity:${space}`,
    drift: 'entity.removed Crew of null',
    calls: { ...GROUP_LOOK, 'groupEntities.getListOfGroupEntities': { 200: 1 } },
  },
];

describe('after a call of an operator', () => {
  test('a licence and a role in a space are looked at with few calls, shown to differ, and not undone', async () => {
    const sandbox = await forTest(startSandbox());
    const { service, calls } = sandbox;
    const { uid: space } = service.addSpace('Hangar');
    const rules: Rule[] = [{ group: 'Crew', entities: [{ uid: space, roles: ['role-read'] }] }];
    const bridge = await forTest(
      startTestBridge({
        service: sandbox,
        settings: { OPS_TOKEN, RULES: JSON.stringify(rules), DRIFT_POLICY: 'repair' },
      }),
    );
    const id = await bridge.addUser('ada', { [USER_EXTENSION]: { appsPermissions: 2 } });
    await bridge.addGroup('Crew', [id]);
    await bridge.untilSettled();
    const ids = { account: service.getUser(ada).id, crew: service.getGroup('Crew').uid, space };
    const found: string[] = [];
    for (const { operation, toArgs, path, toName, drift, calls: wanted } of rows) {
      const before = await readStanding(bridge, path, toName(space));
      calls.reset();
      found.push(drift);

      await callApi(bridge, operation, toArgs(ids));
      await expect.poll(() => bridge.listDrifts(), PATIENT).toEqual(found.toSorted());

      const after = await readStanding(bridge, path, toName(space));
      const { [operation]: own, ...looks } = calls.counts();
      expect([before, after]).toEqual(['settled', 'drifted']);
      expect(Object.values(own ?? {})).toEqual([1]);
      expect(looks).toEqual(wanted);
      expect((await bridge.ops('GET', '/plans')).body.items).toEqual([]);
    }
  });
});
