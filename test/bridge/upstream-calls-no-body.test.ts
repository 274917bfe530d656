import { expect, onTestFinished, test } from 'vitest';
import type { JsonObject } from '../../src/domain/json.ts';
import { startSandbox } from '../../src/sandbox/sandbox.ts';
import { startTestBridge } from '../support/bridge.ts';
import {
  type CallRow,
  type Calls,
  runCallTable,
  withAda,
  withGroup,
} from '../support/call-table.ts';
import { addGroup, addUsers, send, toMembers, toPatch, untilSettled } from '../support/provider.ts';
import { tamperWith } from '../support/tampering-proxy.ts';

const EXTENSION = 'urn:ietf:params:scim:schemas:extension:workmanagement:2.0';
const shape = { updateStatus: 204, updatable: ['active', 'name', 'userName', 'emails'] } as const;

/** A write to one attribute, and its calls to a service that answers updates without a body. */
function toRow(
  type: 'User' | 'Group',
  [path, value]: [string, boolean | number | string],
  calls: Calls,
) {
  const body = toPatch({ op: 'replace', path, value } satisfies JsonObject);
  const row: CallRow = {
    what: `${type} ${path}`,
    sandbox: { shape },
    settings: { SCIM_WRITE_WAIT: '60s', GROUPS_PERMISSIONS_MAX: '31' },
    calls,
    ...(type === 'User'
      ? withAda((bridge, user) => send(bridge, 'PATCH', user, body))
      : withGroup((bridge, group) => send(bridge, 'PATCH', group.path, body))),
  };
  return row;
}

const person = { 'scim.updateUser': 1, 'scim.getUser': 1 };
// No call shows the licence of one person.
const licence = { 'companyUsers.updateUser': 1 };
const group = { 'groups.updateGroup': 1, 'groups.getGroup': 1 };

/** The first batch has shown that the service takes batches in this way. */
const knownBatch: CallRow = {
  what: 'Group members, in a batch of a known form',
  sandbox: { shape },
  calls: { 'scim.updateGroup': 1 },
  async prepare(bridge) {
    const ids = await addUsers(bridge, 3);
    await addGroup(bridge, 'A group that teaches the form', ids);
    const path = `/Groups/${await addGroup(bridge, 'Pilots')}`;
    const body = toPatch({ op: 'add', path: 'members', value: toMembers(ids) });
    return () => send(bridge, 'PATCH', path, body);
  },
};

runCallTable(
  'an update that is answered without a body is sent once, and looked at where one look can tell',
  [
    toRow('User', ['name.familyName', 'King'], person),
    toRow('User', ['active', false], person),
    toRow('User', ['userName', 'lovelace@example.com'], person),
    toRow('User', [`${EXTENSION}:User:appsPermissions`, 2], licence),
    toRow('User', [`${EXTENSION}:User:temporarilyInactive`, true], licence),
    toRow('Group', ['displayName', 'Aviators'], group),
    toRow('Group', [`${EXTENSION}:Group:permissions`, 2], group),
    toRow('Group', [`${EXTENSION}:Group:addToCardsAndSpacesEnabled`, true], group),
    knownBatch,
  ],
);

test('an update of a group whose answer lacks what was sent is looked at once', async () => {
  const sandbox = await startSandbox();
  const proxy = await tamperWith(sandbox, 'PATCH');
  const settings = { SCIM_WRITE_WAIT: '60s', GROUPS_PERMISSIONS_MAX: '31' };
  const bridge = await startTestBridge({ settings, service: proxy.service });
  onTestFinished(async () => {
    await bridge.stop();
    await proxy.stop();
    await sandbox.stop();
  });
  const id = await addGroup(bridge, 'Pilots');
  await untilSettled(bridge);
  sandbox.calls.reset();
  proxy.setTamper((_url, body) => ({ ...Object(body), permissions: undefined }));

  const ask = { op: 'replace', path: `${EXTENSION}:Group:permissions`, value: 2 };
  await send(bridge, 'PATCH', `/Groups/${id}`, toPatch(ask));
  await untilSettled(bridge);

  const { calls } = sandbox;
  expect(calls.count({ operation: 'groups.updateGroup' })).toBe(1);
  expect(calls.count({ operation: 'groups.getGroup' })).toBe(1);
  expect(calls.count({})).toBe(2);
});
