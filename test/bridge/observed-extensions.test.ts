import { expect, test } from 'vitest';
import { isJsonObject, type JsonValue } from '../../src/domain/json.ts';
import { startTestBridge, type TestBridge, type TestBridgeOptions } from '../support/bridge.ts';
import { forTest } from '../support/lifetimes.ts';

const USER_EXTENSION = 'urn:ietf:params:scim:schemas:extension:workmanagement:2.0:User';
const GROUP_EXTENSION = 'urn:ietf:params:scim:schemas:extension:workmanagement:2.0:Group';

async function findFirst(bridge: TestBridge, path: string) {
  const { Resources } = (await bridge.request('GET', path)).body;
  const [first] = Array.isArray(Resources) ? Resources : [];
  if (!isJsonObject(first)) throw new Error(`nothing at ${path}`);
  return first;
}

const filter = (attribute: string, value: string) =>
  `filter=${encodeURIComponent(`${attribute} eq "${value}"`)}`;

test('what the service says of an account that nobody manages is shown, and survives a write', async () => {
  const bridge = await forTest(startTestBridge({ sandbox: { seed: { users: 1 } } }));
  const path = `/Users?${filter('userName', 'user00001')}`;
  const shown = await findFirst(bridge, path);
  const said = { role: 2, virtual: false };
  expect(shown).toMatchObject({ [USER_EXTENSION]: said });
  expect(shown.schemas).toContain(USER_EXTENSION);

  const body: JsonValue = { userName: 'user00001', externalId: 'x' };
  const put = await bridge.request('PUT', `/Users/${shown.id}`, body);
  expect(put.status).toBe(200);
  expect(put.body).toMatchObject({ externalId: 'x', [USER_EXTENSION]: said });
});

test('the flags of an observed group are shown, and leaving them out of a PUT is no change of them', async () => {
  const prepare: NonNullable<TestBridgeOptions['prepare']> = ({ service }) => {
    service.createGroup({ name: 'Boards', addToCardsAndSpacesEnabled: true });
  };
  const bridge = await forTest(startTestBridge({ prepare }));
  const shown = await findFirst(bridge, `/Groups?${filter('displayName', 'Boards')}`);
  const flags = { permissions: 0, addToCardsAndSpacesEnabled: true };
  expect(shown).toMatchObject({ [GROUP_EXTENSION]: flags });

  bridge.sandbox.calls.reset();
  const body: JsonValue = { displayName: 'Boards', externalId: 'x' };
  const put = await bridge.request('PUT', `/Groups/${shown.id}`, body);
  expect(put.status).toBe(200);
  expect(put.body).toMatchObject({ externalId: 'x', [GROUP_EXTENSION]: flags });
  expect(bridge.sandbox.calls.count({ mutating: true })).toBe(0);
});

test('an address that nobody serves is 404 in the form of the protocol, also outside the base address', async () => {
  const { request, baseUrl } = await forTest(startTestBridge());
  for (const path of ['/nope', '/scim/v1/Users', '/']) {
    const answer = await request('GET', new URL(path, baseUrl).href);
    expect(answer.status).toBe(404);
    expect(answer.headers['content-type']).toContain('application/scim+json');
    expect(answer.body).toMatchObject({ status: '404' });
  }
});
