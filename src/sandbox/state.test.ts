import { expect, test } from 'vitest';
import type { Change } from './model.ts';
import { auditEventsMax, State } from './state.ts';

test('a commit that the journal refuses changes nothing', () => {
  const state = new State({
    read: () => [[]],
    write() {
      throw new Error('disk full');
    },
    close: () => undefined,
  });
  const link: Change = { kind: 'link', link: 'member', groupId: 1, userId: 1, present: true };
  expect(() => state.commit([link])).toThrow('disk full');
  expect(state.links.member.has(1, 1)).toBe(false);
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
