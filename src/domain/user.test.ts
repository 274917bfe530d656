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

const address = 'ada@example.com';
const desired: DesiredUser = {
  ...{ userName: address, address, active: true },
  name: { givenName: 'Ada', familyName: 'Lovelace' },
  ...{ appsPermissions: undefined, temporarilyInactive: undefined },
};
const observed: ObservedUser = {
  ...{ userName: address, email: address, fullName: 'Ada Lovelace', active: true },
  ...{ at: 1, by: 'scim.getUser' },
};

const echoed = (sent: string, back: string): Cells<UserField> => ({
  name: { echo: { sent, back } },
});
const OF_LOVELACE = echoed('Ada Lovelace', 'LOVELACE Ada');
const OF_BYRON = echoed('Ada Byron', 'BYRON Ada');
const may = (appsPermissions: number) => ({ appsPermissions });
const isAway = (temporarilyInactive: boolean) => ({ temporarilyInactive });
const zoe = { givenName: 'Zoe\u0308', familyName: '' };

const differences: readonly (readonly [
  why: string,
  want: readonly UserField[],
  observed?: Partial<ObservedUser>,
  desired?: Partial<DesiredUser>,
  cells?: Cells<UserField>,
])[] = [
  ['what is held is none', []],
  ['a deactivation', ['active'], {}, { active: false }],
  ['an activation', ['active'], { active: false }],
  ['inactive in both is none', [], { active: false }, { active: false }],
  ['another name', ['name'], { fullName: 'Ada Byron' }],
  ['composed and decomposed names are one', [], { fullName: 'Zoë' }, { name: zoe }],
  ['white space in a name is none', [], { fullName: ' Ada   Lovelace ' }],
  ['the case of a name is one', ['name'], { fullName: 'ada lovelace' }],
  ['a name that nobody gave is not ours', [], { fullName: 'Anybody' }, { name: undefined }],
  ['what came back for this very name is none', [], { fullName: 'LOVELACE Ada' }, {}, OF_LOVELACE],
  [
    'what came back for a name sent before is one',
    ['name'],
    { fullName: 'BYRON Ada' },
    {},
    OF_BYRON,
  ],
  ['a name changed since the echo is one', ['name'], { fullName: 'Countess' }, {}, OF_LOVELACE],
  ['the echo does not hide that the name itself is held', [], {}, {}, OF_LOVELACE],
  ['permissions nobody set are not ours', [], may(7)],
  ['other permissions', ['appsPermissions'], may(7), may(2)],
  ['no permissions are a wish too', ['appsPermissions'], may(7), may(0)],
  ['permissions that were never seen', ['appsPermissions'], {}, may(2)],
  ['the same permissions are none', [], may(2), may(2)],
  ['a suspension nobody asked about is not ours', [], isAway(true)],
  ['a suspension', ['temporarilyInactive'], isAway(false), isAway(true)],
  ['who was never seen suspended is not', [], {}, isAway(false)],
  ['a suspension to be lifted', ['temporarilyInactive'], isAway(true), isAway(false)],
  ['another userName', ['address'], { userName: 'augusta@example.com' }],
  ['another address', ['address'], { email: 'augusta@example.com' }],
  ['the case of an address is none', [], { userName: 'ADA@example.com', email: 'Ada@Example.com' }],
  ['composed and decomposed userNames are one', [], { userName: 'zoë' }, { userName: 'zoe\u0308' }],
  ['an address nobody gave is not ours', [], { email: 'x@y' }, { address: undefined }],
  [
    'all of them, access first',
    ['active', 'name', 'appsPermissions', 'temporarilyInactive', 'address'],
    {},
    { active: false, name: zoe, ...may(1), ...isAway(true), userName: 'x' },
  ],
];

for (const [why, want, seen, asked, cells = {}] of differences) {
  test(`a difference between what is desired and what the service holds: ${why}`, () => {
    const held = { ...observed, ...seen };

    expect(listUserDifferences({ ...desired, ...asked }, held, cells, 'scim')).toEqual(want);
  });
}

test('a userName and an address that the service does not show are no difference', () => {
  const { userName: _, email: __, ...shown } = observed;
  const asked = { ...desired, userName: 'x', address: 'y' };

  expect(listUserDifferences(asked, shown, {}, 'scim')).toEqual([]);
});

describe('either switch of the service can stand for active', () => {
  test.each<[Deactivation, active: boolean, suspended: boolean | undefined, want: boolean]>([
    ['scim', true, undefined, true],
    ['scim', true, true, true],
    ['scim', false, false, false],
    ['temporarilyInactive', true, undefined, true],
    ['temporarilyInactive', true, false, true],
    ['temporarilyInactive', true, true, false],
    ['temporarilyInactive', false, false, false],
  ])('%s: active %s, suspended %s is %s', (deactivation, active, suspended, want) => {
    const shown = suspended === undefined ? {} : { temporarilyInactive: suspended };
    const seen = { ...observed, active, ...shown };
    const listWanting = (wanted: boolean) =>
      listUserDifferences({ ...desired, active: wanted }, seen, {}, deactivation);

    expect(isObservedActive(seen, deactivation)).toBe(want);
    expect([listWanting(want), listWanting(!want)]).toEqual([[], ['active']]);
  });
});

/** Two attributes, one switch: what is asked, and whether a suspended or a working user differs. */
const BOTH: UserField[] = ['active', 'temporarilyInactive'];
const oneSwitch: readonly (readonly [
  why: string,
  active: boolean,
  suspended: boolean,
  want: UserField[],
  suspension?: boolean,
])[] = [
  ['"not suspended" does not let an inactive person in again', false, true, [], false],
  ['and an inactive person who works differs in both', false, false, BOTH, false],
  ['an active person who is to be suspended is', true, true, [], true],
  ['and differs while working', true, false, BOTH, true],
  ['an active person is not suspended', true, true, BOTH, false],
  ['without the attribute only active is ours', true, true, ['active']],
];

for (const [why, active, suspended, want, suspension] of oneSwitch) {
  test(`where suspending deactivates: ${why}`, () => {
    const asked = { ...desired, active, temporarilyInactive: suspension };
    const seen = { ...observed, temporarilyInactive: suspended };

    expect(listUserDifferences(asked, seen, {}, 'temporarilyInactive')).toEqual(want);
  });
}
