import { expect, test } from 'vitest';
import {
  CHANGE_KINDS,
  type ChangeKind,
  findHarm,
  findRepair,
  isGranting,
  listHarms,
  listKindsOf,
} from './change.ts';
import { DRIFT_KINDS, isUnmanagedKind } from './drift.ts';
import { HARM_KINDS, type HarmKind } from './harm.ts';
import type { JsonValue } from './json.ts';

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

const changes: {
  kind: ChangeKind;
  desired: JsonValue;
  observed: JsonValue;
  harm?: HarmKind;
  grants?: true;
}[] = [
  { kind: 'user.create', desired: { active: true }, observed: null },
  { kind: 'user.activate', desired: { active: true }, observed: { active: false } },
  {
    kind: 'user.deactivate',
    desired: { active: false },
    observed: { active: true },
    harm: 'deactivate',
    grants: true,
  },
  {
    kind: 'member.remove',
    desired: { present: false },
    observed: { present: true },
    harm: 'removeMember',
  },
  {
    kind: 'admin.remove',
    desired: { present: false },
    observed: { present: true },
    harm: 'demoteAdmin',
    grants: true,
  },
  { kind: 'admin.add', desired: { present: true }, observed: { present: false } },
  { kind: 'group.permissions', desired: { permissions: 6 }, observed: { permissions: 2 } },
  {
    kind: 'group.permissions',
    desired: { permissions: 2 },
    observed: { permissions: 4 },
    harm: 'cutAccess',
    grants: true,
  },
  {
    kind: 'group.permissions',
    desired: { permissions: 1 },
    observed: { permissions: 1 + 2 ** 40 },
    harm: 'cutAccess',
    grants: true,
  },
  {
    kind: 'group.permissions',
    desired: { addToCardsAndSpacesEnabled: false },
    observed: { addToCardsAndSpacesEnabled: true },
    harm: 'cutAccess',
    grants: true,
  },
  // Ending a suspension gives access.
  {
    kind: 'user.access',
    desired: { temporarilyInactive: true },
    observed: { temporarilyInactive: false },
    harm: 'cutAccess',
    grants: true,
  },
  {
    kind: 'user.access',
    desired: { temporarilyInactive: false },
    observed: { temporarilyInactive: true },
  },
];
for (const { harm, grants = false, ...change } of changes) {
  const words = `${change.kind} ${JSON.stringify(change.desired)} → ${JSON.stringify(change.observed)}`;
  test(`${words}: repairing is ${harm ?? 'no harm'}, accepting ${grants ? 'grants' : 'does not'}`, () =>
    expect([findHarm(change), isGranting(change)]).toEqual([harm, grants]));
}
