import { request } from 'undici';
import { describe, expect, test } from 'vitest';
import { RIGHTS } from '../../src/domain/provider.ts';
import { startTestBridge, type TestBridge } from '../support/bridge.ts';
import { runner } from '../support/command.ts';
import { forSuite } from '../support/lifetimes.ts';
import { listResources, toUser } from '../support/provider.ts';
import { makeProvider, toOwner } from '../support/walled.ts';

async function listActs(bridge: TestBridge, target: string) {
  const { body } = await bridge.ops('GET', `/acts?target=${target}`);
  return (Array.isArray(body.items) ? body.items : []).map((item) => Object(item));
}

describe('providers', () => {
  const bridge = forSuite(() => startTestBridge({}));

  test('the default one is always there, without limits, and can be neither changed nor deleted', async () => {
    const { body } = await bridge.ops('GET', '/providers');
    const answers = [
      await bridge.ops('POST', '/providers', { name: 'default' }),
      await bridge.ops('POST', '/providers/default/change', { may: [] }),
      await bridge.ops('POST', '/providers/default/delete'),
    ];

    expect(answers.map(({ status }) => status)).toEqual([409, 409, 409]);
    expect(body.items).toContainEqual({
      ...{ name: 'default', domains: null, groupNames: null, may: RIGHTS },
      ...{ returning: 'conflict', unknownMembers: 'refuse', nestedGroups: 'refuse' },
      ...{ match: ['userName', 'address'], createdAt: null, createdBy: null },
    });
    const id = await bridge.addUser('ada', { externalId: 'x-1' });
    const { headers } = await bridge.request('GET', `/Users/${id}`);
    expect(headers.etag).toMatch(/^W\/"\d+"$/);
  });

  test('what cannot be meant is 400, and an unknown provider 404', async () => {
    const wrong = [
      ...[{}, { name: '' }, { name: 'a b' }, { name: 'x'.repeat(65) }, { name: 'a', more: 1 }],
      ...[{ domains: [] }, { domains: ['@example.com'] }, { domains: ['a..b'] }, { domains: 'x' }],
      ...[{ groupNames: [] }, { groupNames: [' '] }, { groupNames: [1] }],
      ...[{ may: ['users.read'] }, { may: 'all' }, { may: null }],
    ].map((body) =>
      'name' in body || Object.keys(body).length === 0 ? body : { name: 'a', ...body },
    );
    for (const body of wrong) {
      const { status } = await bridge.ops('POST', '/providers', Object(body));
      expect(status, JSON.stringify(body)).toBe(400);
    }
    const answers = [
      await bridge.ops('POST', '/providers/nobody/change', {}),
      await bridge.ops('POST', '/providers/nobody/delete'),
      await bridge.ops('POST', '/tokens', { name: 'a', provider: 'nobody' }),
      await bridge.ops('POST', '/clients', { name: 'a', provider: 'nobody' }),
      await bridge.ops('POST', '/tokens', { name: 'a', for: 'reader', provider: 'default' }),
    ];
    expect(answers.map(({ status }) => status)).toEqual([404, 404, 404, 404, 400]);
  });

  test('what an operator changes holds for the next write, and each act is kept with before and after', async () => {
    const okta = await makeProvider(bridge, 'changed', { domains: ['EXAMPLE.com', 'example.com'] });
    const id = await okta.addUser('bea');
    await bridge.ops('POST', '/providers/changed/change', { may: ['users.change'] });
    const refused = await okta.request('DELETE', `/Users/${id}`);
    await bridge.ops('POST', '/providers/changed/change', { domains: null, may: [...RIGHTS] });
    const deleted = await okta.request('DELETE', `/Users/${id}`);

    expect([refused.status, deleted.status]).toEqual([403, 204]);
    const acts = await listActs(bridge, 'changed');
    expect(acts.map(({ act }) => act)).toEqual([
      'changed what a provider may do',
      'changed what a provider may do',
      'added a provider',
    ]);
    expect(acts.at(1)).toMatchObject({
      before: { domains: ['example.com'], groupNames: null, may: RIGHTS },
      after: { domains: ['example.com'], groupNames: null, may: ['users.change'] },
    });
  });

  test('one that has a credential, a person or a group is not deleted', async () => {
    const okta = await makeProvider(bridge, 'kept');
    const id = await okta.addUser('cyd');
    const remove = async () => {
      const { status, body } = await bridge.ops('POST', '/providers/kept/delete');
      return [status, body.message];
    };
    const first = await remove();
    await bridge.ops('POST', '/tokens/kept-token/revoke');
    const second = await remove();
    await bridge.ops('POST', '/tokens', { name: 'kept-2', provider: 'kept' });
    expect(first).toEqual([409, expect.stringContaining('credential')]);
    expect(second).toEqual([409, expect.stringContaining('people')]);
    const again = await makeToken(bridge, { name: 'kept-3', provider: 'kept' });
    const headers = { authorization: `Bearer ${again}` };
    await bridge.request('DELETE', `/Users/${id}`, undefined, headers);
    for (const name of ['kept-2', 'kept-3']) await bridge.ops('POST', `/tokens/${name}/revoke`);
    expect(await remove()).toEqual([200, undefined]);
  });

  test('a client of OAuth writes for its provider', async () => {
    await makeProvider(bridge, 'signing');
    const { body: client } = await bridge.ops('POST', '/clients', {
      ...{ name: 'signing-client', provider: 'signing' },
    });
    const answer = await request(new URL('/oauth/token', bridge.baseUrl), {
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: new URLSearchParams({
        grant_type: 'client_credentials',
        client_id: String(client.id),
        client_secret: String(client.secret),
      }).toString(),
    });
    const { access_token: text } = Object(await answer.body.json());
    const headers = { authorization: `Bearer ${text}` };
    const made = await bridge.request('POST', '/Users', toUser('dan'), headers);
    const other = await bridge.request('DELETE', `/Users/${made.body.id}`);

    expect(client.provider).toBe('signing');
    expect([made.status, toOwner(other)]).toEqual([201, 'signing']);
  });

  test('commands manage them', async () => {
    const run = runner(bridge);
    const created = await run(
      ...['provider', 'create', 'okta', '--domains', 'example.com, example.net'],
      ...['--group-names', 'Okta *', '--may', 'users.create,users.change'],
    );
    expect(created).toMatchObject({ code: 0 });
    expect(created.text).toBe(
      'okta\n  mail domains  example.com, example.net\n  group names   Okta *\n  may           users.create, users.change\n  requests      returning: conflict, unknownMembers: refuse, nestedGroups: refuse, match: userName address\n',
    );
    const changed = await run(
      ...['provider', 'change', 'okta', '--domains', 'any', '--may', 'all', '--json'],
    );
    expect(JSON.parse(changed.text)).toMatchObject({
      domains: null,
      groupNames: ['Okta *'],
      may: RIGHTS,
    });
    const listed = await run('provider', 'list');
    expect(listed.text).toMatch(/okta +any +Okta \* +all +returning/);
    expect(listed.text).toMatch(/default +any +any +all +returning/);
    const wrong = await run('provider', 'change', 'okta', '--may', 'users.read');
    expect([wrong.code, wrong.text]).toEqual([
      64,
      expect.stringContaining('users.read is none of them'),
    ]);

    const made = await run('token', 'create', 'okta-1', '--provider', 'okta');
    expect(made.text).toContain('for scim, of okta');
    expect((await run('client', 'create', 'okta-2', '--provider', 'okta')).text).toContain(
      'okta-2, of okta',
    );
    expect((await run('token', 'list')).text).toContain('scim, of okta');
    bridge.sandbox.service.addUser({ email: 'z@x.test', userName: 'z@x.test', fullName: 'Z' });
    await bridge.ops('POST', '/sweeps');
    const find = () => bridge.request('GET', '/Users?filter=userName%20eq%20%22z@x.test%22');
    await expect.poll(async () => listResources(await find()).length).toBe(1);
    expect(await run('adopt', 'z@x.test', '--provider', 'okta')).toMatchObject({ code: 0 });
    expect((await run('explain', 'z@x.test')).text).toContain(
      'managed, adopted, by the provider okta\n',
    );
    expect((await run('provider', 'delete', 'okta', '--yes')).code).toBe(1);
    const other = await run('provider', 'create', 'entra', '--json');
    expect(JSON.parse(other.text)).toMatchObject({ name: 'entra', may: RIGHTS });
    expect((await run('provider', 'delete', 'entra', '--yes')).text).toBe('entra is deleted.\n');
  });
});

async function makeToken(bridge: TestBridge, wish: { name: string; provider: string }) {
  return String((await bridge.ops('POST', '/tokens', wish)).body.token);
}
