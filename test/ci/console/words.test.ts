import { expect, test } from 'vitest';
import { toChange, toHarm, toReason } from '../../../src/ops/lists/words.ts';
import { toDrifts } from '../../../ui/overview/drift-words.ts';
import { toLength } from '../../../ui/parts/count.ts';

test.each([
  [{ deactivate: 1 }, '1 deactivation'],
  [{ deactivate: 1_200, removeMember: 1 }, '1,200 deactivations, 1 member removed'],
  [
    { demoteAdmin: 1, cutAccess: 1, deleteGroup: 1 },
    '1 admin demoted, 1 right taken away, 1 group deleted',
  ],
  [{ deactivate: 0 }, 'none'],
])('harm is told in the words for one or for many: %o', (harm, words) => {
  expect(toHarm(harm)).toBe(words);
});

test('changes, lengths and limits are told in the words for one or for many', () => {
  expect([toChange('user.deactivate', 1), toChange('user.deactivate', 2)]).toEqual([
    'deactivate 1 user',
    'deactivate 2 users',
  ]);
  expect([toLength(1_000), toLength(2_000), toLength(90_000)]).toEqual([
    '1 second',
    '2 seconds',
    '2 minutes',
  ]);
  expect(toReason('deactivate: 3 in 24 hours of 28')).toBe('Deactivations: 3 in 24 hours of 28');
});

test('differences that wait for a decision are told with those of them that a plan has', () => {
  const drift = { kind: 'member.added', status: 'open', count: 2, held: 1 } as const;
  const repairing = { ...drift, status: 'repairing' } as const;
  expect(toDrifts({ drifts: [repairing] })).toBe('nothing');
  expect(toDrifts({ drifts: [drift, repairing] })).toBe('2 differences, 1 of them in a plan');
});
