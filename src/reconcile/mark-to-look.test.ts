import { expect, test } from 'vitest';
import { toLookAgainColumns } from './mark-to-look.ts';

test('a look is added to what is due already, and delays nothing', () => {
  const now = 500;
  expect(toLookAgainColumns({ due_at: null, due_class: 1 }, now)).toEqual({
    must_look: 1,
    due_at: now,
    due_class: 2,
  });
  expect(toLookAgainColumns({ due_at: 100, due_class: 0 }, now)).toEqual({
    must_look: 1,
    due_at: 100,
    due_class: 0,
  });
});
