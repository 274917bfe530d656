import { describe, expect, test } from 'vitest';
import type { Cells } from './cell.ts';
import {
  type Deactivation,
  type DesiredUser,
  isObservedActive,
  listUserDifferences,
  type ObservedUser,
  type UserField,
} from './user.ts';

const desired: DesiredUser = {
  userName: 'ada@example.com',
  address: 'ada@example.com',
  name: { givenName: 'Ada', familyName: 'Lovelace' },
  active: true,
  appsPermissions: undefined,
  temporarilyInactive: undefined,
};
const observed: ObservedUser = {
  userName: 'ada@example.com',
  email: 'ada@example.com',
  fullName: 'Ada Lovelace',
  active: true,
  at: 1,
  by: 'scim.getUser',
};

interface DifferenceCase {
  readonly why: string;
  readonly desired?: Partial<DesiredUser>;
  readonly observed?: Partial<ObservedUser>;
  readonly cells?: Cells<UserField>;
  readonly deactivation?: Deactivation;
  readonly want: readonly UserField[];
}

const differences: DifferenceCase[] = [
  { why: 'what is held is none', want: [] },
  { why: 'a deactivation', desired: { active: false }, want: ['active'] },
  { why: 'an activation', observed: { active: false }, want: ['active'] },
  {
    why: 'inactive in both is none',
    desired: { active: false },
    observed: { active: false },
    want: [],
  },
  { why: 'another name', observed: { fullName: 'Ada Byron' }, want: ['name'] },
  {
    why: 'composed and decomposed names are one',
    desired: { name: { givenName: 'Zoe\u0308', familyName: '' } },
    observed: { fullName: 'Zoë' },
    want: [],
  },
  { why: 'white space in a name is none', observed: { fullName: ' Ada   Lovelace ' }, want: [] },
  { why: 'the case of a name is one', observed: { fullName: 'ada lovelace' }, want: ['name'] },
  {
    why: 'a name that nobody gave is not ours',
    desired: { name: undefined },
    observed: { fullName: 'Anybody' },
    want: [],
  },
  {
    why: 'what came back for this very name is none',
    observed: { fullName: 'LOVELACE Ada' },
    cells: { name: { echo: { sent: 'Ada Lovelace', back: 'LOVELACE Ada' } } },
    want: [],
  },
  {
    why: 'what came back for a name sent before is one',
    observed: { fullName: 'BYRON Ada' },
    cells: { name: { echo: { sent: 'Ada Byron', back: 'BYRON Ada' } } },
    want: ['name'],
  },
  {
    why: 'a name changed since the echo is one',
    observed: { fullName: 'Countess' },
    cells: { name: { echo: { sent: 'Ada Lovelace', back: 'LOVELACE Ada' } } },
    want: ['name'],
  },
  {
    why: 'the echo does not hide that the name itself is held',
    cells: { name: { echo: { sent: 'Ada Lovelace', back: 'LOVELACE Ada' } } },
    want: [],
  },
  { why: 'permissions nobody set are not ours', observed: { appsPermissions: 7 }, want: [] },
  {
    why: 'other permissions',
    desired: { appsPermissions: 2 },
    observed: { appsPermissions: 7 },
    want: ['appsPermissions'],
  },
  {
    why: 'no permissions are a wish too',
    desired: { appsPermissions: 0 },
    observed: { appsPermissions: 7 },
    want: ['appsPermissions'],
  },
  {
    why: 'permissions that were never seen',
    desired: { appsPermissions: 2 },
    want: ['appsPermissions'],
  },
  {
    why: 'the same permissions are none',
    desired: { appsPermissions: 2 },
    observed: { appsPermissions: 2 },
    want: [],
  },
  {
    why: 'a suspension nobody asked about is not ours',
    observed: { temporarilyInactive: true },
    want: [],
  },
  {
    why: 'a suspension',
    desired: { temporarilyInactive: true },
    observed: { temporarilyInactive: false },
    want: ['temporarilyInactive'],
  },
  { why: 'who was never seen suspended is not', desired: { temporarilyInactive: false }, want: [] },
  {
    why: 'a suspension to be lifted',
    desired: { temporarilyInactive: false },
    observed: { temporarilyInactive: true },
    want: ['temporarilyInactive'],
  },
  { why: 'another userName', observed: { userName: 'augusta@example.com' }, want: ['address'] },
  { why: 'another address', observed: { email: 'augusta@example.com' }, want: ['address'] },
  {
    why: 'the case of an address is none',
    observed: { userName: 'ADA@example.com', email: 'Ada@Example.com' },
    want: [],
  },
  {
    why: 'composed and decomposed userNames are one',
    desired: { userName: 'zoe\u0308' },
    observed: { userName: 'zoë' },
    want: [],
  },
  {
    why: 'an address nobody gave is not ours',
    desired: { address: undefined },
    observed: { email: 'x@y' },
    want: [],
  },
  {
    why: 'all of them, access first',
    desired: {
      active: false,
      name: { givenName: 'A', familyName: 'B' },
      appsPermissions: 1,
      temporarilyInactive: true,
      userName: 'x',
    },
    want: ['active', 'name', 'appsPermissions', 'temporarilyInactive', 'address'],
  },
];

describe('differences between what is desired and what the service holds', () => {
  test.each(differences)(
    '$why',
    ({ desired: asked, observed: seen, cells, deactivation, want }) => {
      const fields = listUserDifferences(
        { ...desired, ...asked },
        { ...observed, ...seen },
        cells ?? {},
        deactivation ?? 'scim',
      );

      expect(fields).toEqual(want);
    },
  );
});

test('a userName and an address that the service does not show are no difference', () => {
  const { userName: _, email: __, ...shown } = observed;
  const asked = { ...desired, userName: 'x', address: 'y' };

  expect(listUserDifferences(asked, shown, {}, 'scim')).toEqual([]);
});

const switches: {
  deactivation: Deactivation;
  active: boolean;
  suspended?: boolean;
  want: boolean;
}[] = [
  { deactivation: 'scim', active: true, want: true },
  { deactivation: 'scim', active: true, suspended: true, want: true },
  { deactivation: 'scim', active: false, suspended: false, want: false },
  { deactivation: 'temporarilyInactive', active: true, want: true },
  { deactivation: 'temporarilyInactive', active: true, suspended: false, want: true },
  { deactivation: 'temporarilyInactive', active: true, suspended: true, want: false },
  { deactivation: 'temporarilyInactive', active: false, suspended: false, want: false },
];

describe('either switch of the service can stand for active', () => {
  test.each(switches)('$deactivation: active $active, suspended $suspended is $want', (row) => {
    const { deactivation, active, suspended, want } = row;
    const seen = {
      ...observed,
      active,
      ...(suspended === undefined ? {} : { temporarilyInactive: suspended }),
    };

    expect(isObservedActive(seen, deactivation)).toBe(want);
    expect(listUserDifferences({ ...desired, active: want }, seen, {}, deactivation)).toEqual([]);
    expect(listUserDifferences({ ...desired, active: !want }, seen, {}, deactivation)).toEqual([
      'active',
    ]);
  });
});

/** Two attributes, one switch: what is asked, and whether a suspended or a working user differs. */
const oneSwitch: {
  why: string;
  active: boolean;
  suspension?: boolean;
  suspended: boolean;
  want: UserField[];
}[] = [
  {
    why: '"not suspended" does not let an inactive person in again',
    active: false,
    suspension: false,
    suspended: true,
    want: [],
  },
  {
    why: 'and an inactive person who works differs in both',
    active: false,
    suspension: false,
    suspended: false,
    want: ['active', 'temporarilyInactive'],
  },
  {
    why: 'an active person who is to be suspended is',
    active: true,
    suspension: true,
    suspended: true,
    want: [],
  },
  {
    why: 'and differs while working',
    active: true,
    suspension: true,
    suspended: false,
    want: ['active', 'temporarilyInactive'],
  },
  {
    why: 'an active person is not suspended',
    active: true,
    suspension: false,
    suspended: true,
    want: ['active', 'temporarilyInactive'],
  },
  {
    why: 'without the attribute only active is ours',
    active: true,
    suspended: true,
    want: ['active'],
  },
];

describe('where suspending deactivates', () => {
  test.each(oneSwitch)('$why', ({ active, suspension, suspended, want }) => {
    const asked = { ...desired, active, temporarilyInactive: suspension };
    const seen = { ...observed, temporarilyInactive: suspended };

    expect(listUserDifferences(asked, seen, {}, 'temporarilyInactive')).toEqual(want);
  });
});
