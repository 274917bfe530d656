import { expect, test } from 'vitest';
import { noRules } from '../../test/support/no-rules.ts';
import { groupId, userId } from '../domain/ids.ts';
import type { Db } from '../store/store.ts';
import { enterRules, followGroup, followUser } from './follow.ts';

/** Transaction that fails on every query. */
const untouchable = new Proxy({} as Db, {
  get: (_, name) => {
    throw new Error(`the store was asked: ${String(name)}`);
  },
});

test('without rules nothing is read', async () => {
  const news = {
    id: groupId('g'),
    before: 'Cooks',
    after: 'Pilots',
    users: [userId('u')],
    admins: 'given back',
  } as const;

  await enterRules(untouchable, noRules, 'names');
  const followed = await followGroup(untouchable, noRules, news, 1);
  const changed = await followUser(untouchable, noRules, userId('u'), 1);

  expect(followed).toEqual({ notifies: false, changedItself: false });
  expect(changed).toBe(false);
});
