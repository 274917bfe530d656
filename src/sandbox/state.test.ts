import { expect, test } from 'vitest';
import type { Change } from './model.ts';
import { auditEventsMax, State } from './state.ts';
import { Table } from './table.ts';

test('a commit that the journal refuses changes nothing', () => {
  const state = new State({
    write() {
      throw new Error('disk full');
    },
  });
  const link: Change = { kind: 'link', link: 'member', groupId: 1, userId: 1, present: true };
  expect(() => state.commit([link])).toThrow('disk full');
  expect(state.members.has(1, 1)).toBe(false);
});

test('the audit log forgets its oldest events above the limit', () => {
  const state = new State();
  const event = (id: string): Change => ({
    kind: 'event',
    event: {
      id,
      authorId: null,
      authorUid: null,
      authorUserName: null,
      authorAddress: null,
      category: 'user_management',
      action: 'invite',
      message: '',
      details: {},
      created: '',
    },
  });
  const events = Array.from({ length: auditEventsMax * 1.1 + 1 }, (_, index) => event(`${index}`));
  state.commit(events);
  expect(state.events).toHaveLength(auditEventsMax);
  expect(state.events[0]?.id).toBe('10001');
});

test('a table keeps its order when rows are replaced and deleted', () => {
  const table = new Table<{ id: number }>();
  for (const id of [1, 2, 5]) table.put({ id });
  table.put({ id: 2 });
  table.delete(1);
  table.delete(9);
  expect(table.all('desc')).toEqual([{ id: 5 }, { id: 2 }]);
  expect(() => table.put({ id: 4 })).toThrow(RangeError);
});
