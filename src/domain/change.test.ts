import { expect, test } from 'vitest';
import {
  CHANGE_KINDS,
  type ChangeKind,
  exceedsLimit,
  findHarm,
  findRepair,
  HARM_KINDS,
  type HarmKind,
  isGranting,
  listHarms,
  listKindsOf,
} from './change.ts';
import { DRIFT_KINDS, isUnmanagedKind } from './drift.ts';
import type { JsonValue } from './values.ts';

const limit = { count: 20, percent: 10 };
const rows = [
  { count: 20, population: 1_000, want: false },
  { count: 21, population: 1_000, want: true },
  { count: 5, population: 50, want: false },
  { count: 6, population: 50, want: true },
  { count: 20, population: 49, want: false },
];
for (const { want, ...how } of rows) {
  test(`${how.count} of ${how.population} is ${want ? 'too much' : 'within the limit'}`, () =>
    expect(exceedsLimit(limit, how)).toBe(want));
}

test('every drift of something managed has one change that repairs it', () => {
  const repairs = DRIFT_KINDS.flatMap((kind) => findRepair(kind) ?? []);

  expect(repairs).toHaveLength(DRIFT_KINDS.filter((kind) => !isUnmanagedKind(kind)).length);
  expect(new Set(repairs).size).toBe(repairs.length);
});

test('what takes something away does harm by its kind alone, but for licences and permissions', () => {
  const harmful = HARM_KINDS.flatMap(listKindsOf);

  expect(harmful.toSorted()).toEqual(
    CHANGE_KINDS.filter((kind) => /deactivate|remove|delete/.test(kind)).toSorted(),
  );
});

test('the harm of a call is that of all its changes', () => {
  const changes = [
    { kind: 'member.remove' },
    { kind: 'member.add' },
    { kind: 'member.remove' },
  ] as const;

  expect(listHarms(changes)).toEqual(['removeMember', 'removeMember']);
});

const changes: readonly (readonly [
  kind: ChangeKind,
  desired: JsonValue,
  observed: JsonValue,
  harm?: HarmKind,
  grants?: 'grants',
])[] = [
  ['user.create', { active: true }, null],
  ['user.activate', { active: true }, { active: false }],
  ['user.deactivate', { active: false }, { active: true }, 'deactivate', 'grants'],
  ['member.remove', { present: false }, { present: true }, 'removeMember'],
  ['admin.remove', { present: false }, { present: true }, 'demoteAdmin', 'grants'],
  ['admin.add', { present: true }, { present: false }],
  ['group.permissions', { permissions: 6 }, { permissions: 2 }],
  ['group.permissions', { permissions: 2 }, { permissions: 4 }, 'cutAccess', 'grants'],
  ['group.permissions', { permissions: 1 }, { permissions: 1 + 2 ** 40 }, 'cutAccess', 'grants'],
  [
    'group.permissions',
    { addToCardsAndSpacesEnabled: false },
    { addToCardsAndSpacesEnabled: true },
    'cutAccess',
    'grants',
  ],
  // Ending a suspension gives access.
  [
    'user.access',
    { temporarilyInactive: true },
    { temporarilyInactive: false },
    'cutAccess',
    'grants',
  ],
  ['user.access', { temporarilyInactive: false }, { temporarilyInactive: true }],
];
for (const [kind, desired, observed, harm, grants] of changes) {
  const change = { kind, desired, observed };
  const words = `${kind} ${JSON.stringify(desired)} → ${JSON.stringify(observed)}`;
  test(`${words}: repairing is ${harm ?? 'no harm'}, accepting ${grants ?? 'does not'}`, () =>
    expect([findHarm(change), isGranting(change)]).toEqual([harm, grants !== undefined]));
}
