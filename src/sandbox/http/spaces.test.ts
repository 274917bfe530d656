import { expect, test } from 'vitest';
import { startForTest } from '../start-for-test.ts';

test('roles of a group in a space are given, set and taken, each told in the audit log', async () => {
  const { call, sandbox } = await startForTest();
  const { service } = sandbox;
  const { uid: group } = service.createGroup({ name: 'Board' });
  const { uid } = service.addSpace('Hangar');
  const path = `/api/latest/company/groups/${group}/entities`;
  const body = { entity_uid: uid, role_ids: ['reader'] };

  const given = await call('POST', path, body);
  const again = await call('POST', path, body);
  const set = await call('PATCH', `${path}/${uid}`, { role_ids: ['writer'] });
  const listed = await call('GET', path);
  const none = await call('PATCH', `${path}/${uid}`, { role_ids: [] });
  const taken = await call('DELETE', `${path}/${uid}`);
  const gone = await call('DELETE', `${path}/${uid}`);
  const unknown = await call('POST', path, { ...body, entity_uid: 'nowhere' });

  expect(given).toMatchObject({ status: 200, body: { entity_uid: uid, role_ids: ['reader'] } });
  expect(set).toMatchObject({ status: 200, body: { own_role_ids: ['writer'] } });
  expect(listed.body).toMatchObject([{ uid, title: 'Hangar', own_role_ids: ['writer'] }]);
  expect([again, none, taken, gone, unknown].map(({ status }) => status)).toEqual([
    409, 400, 200, 404, 404,
  ]);
  expect((await call('GET', path)).body).toEqual([]);
  expect(service.auditEvents().map(({ action }) => action)).toEqual([
    'create',
    'grant_access',
    'grant_access',
    'revoke_access',
  ]);
});
