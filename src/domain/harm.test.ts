import { expect, test } from 'vitest';
import type { ChangeKind } from './change.ts';
import { exceedsLimit, findHarm, type HarmKind, isGranting } from './harm.ts';
import type { JsonValue } from './json.ts';

const limit = { count: 20, percent: 10 };
const limits = {
  kinds: {
    deactivate: limit,
    removeMember: limit,
    demoteAdmin: limit,
    cutAccess: { count: 5, percent: 100 },
    deleteGroup: limit,
  },
  populationMin: 50,
};
const rows: { harm: HarmKind; count: number; population: number; want: boolean }[] = [
  { harm: 'deactivate', count: 20, population: 1_000, want: false },
  { harm: 'deactivate', count: 21, population: 1_000, want: true },
  { harm: 'deactivate', count: 5, population: 50, want: false },
  { harm: 'deactivate', count: 6, population: 50, want: true },
  { harm: 'deactivate', count: 20, population: 49, want: false },
  { harm: 'cutAccess', count: 5, population: 50, want: false },
  { harm: 'cutAccess', count: 6, population: 1_000, want: true },
];
for (const { harm, want, ...how } of rows) {
  test(`${how.count} of ${how.population} is ${want ? 'too much' : 'within the limit'}: ${harm}`, () =>
    expect(exceedsLimit(limits, harm, how)).toBe(want));
}

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
