import { describe, expect, test } from 'vitest';
import { startForTest } from '../start-for-test.ts';

const kinds = [
  { kind: 'users', list: 'members' },
  { kind: 'admins', list: 'admins' },
] as const;

for (const { kind, list } of kinds) {
  describe(`the ${kind} of a group`, () => {
    async function start() {
      const { call, sandbox } = await startForTest({
        seed: { users: 2, groups: 1, membersPerGroup: 0 },
      });
      const path = `/api/latest/groups/${sandbox.service.getGroup('Group 001').uid}/${kind}`;
      return { call, path, people: () => sandbox.service[list]('Group 001') };
    }

    test('can be added, listed and removed', async () => {
      const { call, path, people } = await start();
      const added = await call('POST', path, { user_id: 2 });
      expect(added).toMatchObject({ status: 200, body: { id: 2, email: 'user00001@example.com' } });
      expect((await call('GET', path)).body).toMatchObject([{ id: 2, sd_telegram_id: null }]);
      expect(people()).toEqual(['user00001@example.com']);
      expect(await call('DELETE', `${path}/2`)).toMatchObject({ status: 200, body: { id: 2 } });
      expect(people()).toEqual([]);
    });

    const refused = [
      { why: 'adding without an id', method: 'POST', end: '', body: {}, status: 400 },
      { why: 'adding by text', method: 'POST', end: '', body: { user_id: '2' }, status: 400 },
      { why: 'adding nobody', method: 'POST', end: '', body: { user_id: 99 }, status: 400 },
      { why: 'adding again', method: 'POST', end: '', body: { user_id: 3 }, status: 409 },
      {
        why: 'removing who is not there',
        method: 'DELETE',
        end: '/2',
        body: undefined,
        status: 404,
      },
      { why: 'removing nobody', method: 'DELETE', end: '/99', body: undefined, status: 404 },
    ];
    for (const { why, method, end, body, status } of refused) {
      test(`${why} answers ${status}`, async () => {
        const { call, path, people } = await start();
        await call('POST', path, { user_id: 3 });
        expect((await call(method, path + end, body)).status).toBe(status);
        expect(people()).toEqual(['user00002@example.com']);
      });
    }

    test('an unknown group answers 404', async () => {
      const { call } = await start();
      expect((await call('GET', `/api/latest/groups/1/${kind}`)).status).toBe(404);
    });
  });
}
