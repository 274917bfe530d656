import { expect, test } from 'vitest';
import { addPending, oldestPending, type Pending, restorePending, withoutDone } from './pending.ts';

type Field = 'active' | 'name' | 'address';

test('the oldest version that waits is the smallest, wherever it stands', () => {
  const pending: Pending<Field> = { active: 7, name: 3, address: 5 };

  expect(oldestPending(pending)).toBe(3);
  expect(oldestPending({ active: 1, name: 2 })).toBe(1);
  expect(oldestPending({})).toBeUndefined();
});

test('a field that waits again waits for the newer write, the others as before', () => {
  const before: Pending<Field> = { active: 1, name: 2 };

  const after = addPending(before, ['name', 'address'], 3);

  expect(after).toStrictEqual({ active: 1, name: 3, address: 3 });
  expect(before).toEqual({ active: 1, name: 2 });
});

const settlements: {
  why: string;
  pending: Pending<Field>;
  fields: Field[];
  want: Pending<Field>;
}[] = [
  {
    why: 'what was planned and holds is done',
    pending: { active: 1, name: 2 },
    fields: ['active'],
    want: { name: 2 },
  },
  {
    why: 'a write that arrived during the call keeps its claim',
    pending: { active: 4, name: 2 },
    fields: ['active', 'name'],
    want: { active: 4 },
  },
  {
    why: 'a field that a later write made wait keeps waiting',
    pending: { active: 1, address: 4 },
    fields: ['active', 'address'],
    want: { address: 4 },
  },
  {
    why: 'what is not waiting any more stays so',
    pending: {},
    fields: ['active', 'address'],
    want: {},
  },
  {
    why: 'nothing settled changes nothing',
    pending: { active: 1 },
    fields: [],
    want: { active: 1 },
  },
];

for (const { why, pending, fields, want } of settlements) {
  test(`no wake-up is lost: ${why}`, () => {
    const planned: Pending<Field> = { active: 1, name: 2 };

    expect(withoutDone(pending, planned, fields)).toStrictEqual(want);
  });
}

test('what is restored waits as it did before, or no longer; its neighbours stay', () => {
  const pending: Pending<Field> = { active: 4, name: 4, address: 3 };

  const restored = restorePending(pending, { active: 2 }, ['active', 'name']);

  expect(restored).toStrictEqual({ active: 2, address: 3 });
  expect(pending).toEqual({ active: 4, name: 4, address: 3 });
});
