import { expect, test } from 'vitest';
import { startTestBridge } from '../../test/support/bridge.ts';
import { OPS_TOKEN } from '../../test/support/operator.ts';
import { makeStoreFile, readStoreBytes } from '../../test/support/take-store.ts';
import { makeLink } from '../access/sessions.ts';

test('no token and no secret is in the store as it was given out', async () => {
  const url = makeStoreFile();
  const settings = { DATABASE_URL: url };
  const bridge = await startTestBridge({ settings });
  const post = (path: string, given: RequestInit) =>
    fetch(new URL(path, bridge.baseUrl), { method: 'POST', ...given });
  const { body: made } = await bridge.ops('POST', '/tokens', { name: 'okta' });
  const { body: client } = await bridge.ops('POST', '/clients', { name: 'entra' });
  const { body: rotated } = await bridge.ops('POST', `/clients/${client.id}/rotate`, {});
  const basic = Buffer.from(`${client.id}:${rotated.secret}`).toString('base64');
  const granted = await post('/oauth/token', {
    headers: { authorization: `Basic ${basic}` },
    body: new URLSearchParams({ grant_type: 'client_credentials' }),
  });
  const signedIn = await post('/console/session', {
    headers: { 'x-scim-bridge-console': '1', 'content-type': 'application/json' },
    body: JSON.stringify({ token: OPS_TOKEN }),
  });
  const session = /=([^;]+)/.exec(signedIn.headers.getSetCookie().join())?.[1];
  const { access_token: access } = Object(await granted.json());
  const link = await makeLink(bridge.store, Date.now());
  await bridge.stop();

  const given = [made.token, client.secret, rotated.secret, access, session, link, bridge.token];
  const secrets = [...given, OPS_TOKEN].map((text) => String(text).slice(-20));
  const kept = readStoreBytes(url);
  expect(secrets.filter((secret) => secret.length < 20 || kept.includes(secret))).toEqual([]);
  expect(kept).toContain(String(client.id));
});
