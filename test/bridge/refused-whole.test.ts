import { afterEach, expect, test } from 'vitest';
import { GROUP_EXTENSION, USER_EXTENSION } from '../../src/domain/extensions.ts';
import type { JsonObject } from '../../src/domain/json.ts';
import type { OperationName } from '../../src/sandbox/operations.ts';
import { startTestBridge } from '../support/bridge.ts';
import { forSuite } from '../support/lifetimes.ts';
import { toPatch, toUser, replace } from '../support/provider.ts';

const settings = { SCIM_WRITE_WAIT: '10s', GROUPS_PERMISSIONS_MAX: '31' };
const licence = `${USER_EXTENSION}:appsPermissions`;

const bridge = forSuite(() => startTestBridge({ settings }));

afterEach(async () => {
  bridge.sandbox.faults.clear();
  await bridge.ops('POST', '/retry', { all: true });
  await bridge.untilSettled();
});

function refuse(operation: OperationName, times = 1): void {
  bridge.sandbox.faults.add({ operation, fault: { kind: 'status', status: 400 }, times });
}

/** All that a provider is shown of a resource, but its versions. */
async function show(path: string): Promise<JsonObject> {
  const { meta: _, ...shown } = (await bridge.send('GET', path)).body;
  return shown;
}

test('a user who is refused access is not renamed either', async () => {
  const path = `/Users/${await bridge.addUser('otto')}`;
  await bridge.patch(path, replace('active', false));
  await bridge.untilSettled();
  const before = await show(path);
  refuse('scim.updateUser', 2);

  const on = toPatch(replace('active', true), replace('title', 'Countess'));
  const answer = await bridge.request('PATCH', path, on);
  await bridge.untilSettled();

  expect(answer.status).toBe(400);
  expect(await show(path)).toEqual(before);
  expect(bridge.sandbox.service.getUser('otto@example.com').active).toBe(false);
});

test('what another write was told is done stays, when an earlier one is refused', async () => {
  const path = `/Users/${await bridge.addUser('sam')}`;
  await bridge.untilSettled();
  const hang = { kind: 'hang' } as const;
  const operation = 'companyUsers.updateUser';
  const waiting = bridge.sandbox.faults.add({ operation, fault: hang, times: 1 });
  const title = replace('title', 'Countess');

  const refused = bridge.request('PATCH', path, toPatch(title, replace(licence, 1)));
  await waiting.until(1);
  const same = await bridge.request('PATCH', path, toPatch(title));
  refuse(operation);
  bridge.sandbox.faults.release(hang);
  await refused;
  await bridge.untilSettled();

  expect([same.status, (await show(path)).title]).toEqual([200, 'Countess']);
});

test('a write of a group that is refused changes nothing at all', async () => {
  const user = await bridge.addUser('gil');
  const path = `/Groups/${await bridge.addGroup('Refused')}`;
  await bridge.patch(path, replace('externalId', 'e-1'));
  await bridge.untilSettled();
  const before = await show(path);
  refuse('groups.updateGroup', 2);

  const answer = await bridge.request(
    'PATCH',
    path,
    toPatch(
      replace('displayName', 'Refused, renamed'),
      { op: 'add', path: 'members', value: [{ value: user }] },
      replace('externalId', 'e-2'),
    ),
  );
  await bridge.untilSettled();

  expect(answer.status).toBe(400);
  expect(await show(path)).toEqual(before);
  expect(bridge.sandbox.service.members('Refused')).toEqual([]);
});

test('an addition that reached the service is taken back with the name that did not', async () => {
  const [first, second] = await Promise.all(['amy', 'ben'].map((name) => bridge.addUser(name)));
  const path = `/Groups/${await bridge.addGroup('Added', [String(first)])}`;
  await bridge.untilSettled();
  refuse('groupUsers.addUserToGroup');

  const value = [{ value: String(second) }];
  const extension = { permissions: 1 };
  const answer = await bridge.request(
    'PATCH',
    path,
    toPatch(
      { op: 'add', path: 'members', value },
      { op: 'replace', value: { displayName: 'Added, renamed', [GROUP_EXTENSION]: extension } },
    ),
  );
  await bridge.untilSettled();

  expect(answer.status).toBe(400);
  expect((await show(path)).displayName).toBe('Added');
  expect(bridge.sandbox.service.members('Added')).toEqual(['amy@example.com']);
  expect(bridge.sandbox.service.getGroup('Added').permissions ?? 0).toBe(0);
});

test('a removal from a group is done, whatever is refused of its rest', async () => {
  const user = await bridge.addUser('rex');
  const path = `/Groups/${await bridge.addGroup('Removed', [user])}`;
  await bridge.untilSettled();
  refuse('groups.updateGroup', 100);

  const answer = await bridge.request(
    'PATCH',
    path,
    toPatch(
      { op: 'remove', path: `members[value eq "${user}"]` },
      replace('displayName', 'Removed, renamed'),
    ),
  );

  expect(answer.status).toBe(204);
  expect(bridge.sandbox.service.members('Removed')).toEqual([]);
  const { body: status } = await bridge.ops('GET', '/status');
  expect(status.stuckCount).toBe(1);
});
