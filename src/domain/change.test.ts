import { expect, test } from 'vitest';
import type { ChangeKind, HarmKind } from './change.ts';
import * as changes from './change.ts';
import { DRIFT_KINDS, findRepair, isUnmanagedKind } from './change.ts';
import type { JsonValue } from './values.ts';

test.each([
  [21, 1_000, true],
  [5, 50, false],
  [6, 50, true],
  [20, 49, false],
])(
  '20 or 10 %% are the limit: of %i of %i it is %s that they are too much',
  (count, population, want) =>
    expect(changes.exceedsLimit({ count: 20, percent: 10 }, { count, population })).toBe(want),
);

test('every drift of something managed has one change that repairs it', () => {
  const repairs = DRIFT_KINDS.flatMap((kind) => findRepair(kind) ?? []);

  expect(repairs).toHaveLength(DRIFT_KINDS.filter((kind) => !isUnmanagedKind(kind)).length);
  expect(new Set(repairs).size).toBe(repairs.length);
});

test('what takes something away does harm by its kind alone, but for licences and permissions', () => {
  const harmful = changes.HARM_KINDS.flatMap(changes.listKindsOf);
  const taking = changes.CHANGE_KINDS.filter((kind) => /deactivate|remove|delete/.test(kind));

  expect(harmful.toSorted()).toEqual(taking.toSorted());
  expect(changes.CHANGE_KINDS.flatMap((kind) => changes.listHarms([{ kind }]))).toHaveLength(
    harmful.length,
  );
});

test('what gives access or power, or may do so, is the opposite of a harm', () => {
  const grants = changes.CHANGE_KINDS.map(
    (kind) => [kind, changes.findLimit({ kind, harm: null })?.harm] as const,
  ).filter(([kind, harm]) => harm && changes.listHarms([{ kind }]).length === 0);

  expect(Object.fromEntries(grants)).toEqual({
    'user.create': 'deactivate',
    'user.activate': 'deactivate',
    'user.access': 'cutAccess',
    'group.create': 'deleteGroup',
    'group.permissions': 'cutAccess',
    'member.add': 'removeMember',
    'admin.add': 'demoteAdmin',
    'entity.add': 'cutAccess',
    'entity.change': 'cutAccess',
  });
});

const may = (permissions: number) => ({ permissions });
const away = (temporarilyInactive: boolean) => ({ temporarilyInactive });
const shown = (addToCardsAndSpacesEnabled: boolean) => ({ addToCardsAndSpacesEnabled });
const roles = (...some: string[]) => ({ roles: some });
test.each<
  [kind: ChangeKind, desired: JsonValue, observed: JsonValue, harm?: HarmKind, is?: 'grants']
>([
  ['user.activate', { active: true }, { active: false }],
  ['user.deactivate', { active: false }, { active: true }, 'deactivate', 'grants'],
  ['member.remove', { present: false }, { present: true }, 'removeMember'],
  ['admin.remove', { present: false }, { present: true }, 'demoteAdmin', 'grants'],
  ['group.permissions', may(6), may(2)],
  ['group.permissions', may(2), may(4), 'cutAccess', 'grants'],
  ['group.permissions', may(1), may(1 + 2 ** 40), 'cutAccess', 'grants'],
  ['group.permissions', null, may(4), 'cutAccess', 'grants'],
  ['group.permissions', may(4), null],
  ['group.permissions', { ...may(2), ...shown(true) }, { ...may(2), ...shown(true) }],
  ['group.permissions', shown(false), shown(true), 'cutAccess', 'grants'],
  // Ending a suspension gives access.
  ['user.access', away(true), away(false), 'cutAccess', 'grants'],
  ['user.access', away(true), away(true)],
  ['entity.change', roles('reader', 'writer'), roles('reader')],
  ['entity.change', roles('reader'), roles('reader', 'writer'), 'cutAccess', 'grants'],
])(
  '%s from %j to %j: harm is %s, accepting it otherwise %s',
  (kind, desired, observed, harm, grants) => {
    const change = { kind, desired, observed };

    expect([changes.findHarm(change), changes.isGranting(change)]).toEqual([
      harm ?? null,
      grants !== undefined,
    ]);
  },
);
