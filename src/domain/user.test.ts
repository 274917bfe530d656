import { describe, expect, test } from 'vitest';
import type { Cells } from './cell.ts';
import { USER_EXTENSION } from './extensions.ts';
import type { Deactivation, DesiredUser, ObservedUser, UserField } from './kinds.ts';
import * as users from './kinds.ts';
import type { JsonObject } from './values.ts';
import { removesAccess } from './write.ts';

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

const compare = (
  wanted: DesiredUser,
  seen: ObservedUser,
  by: Deactivation,
  cells: Cells<UserField> = {},
) => users.listDiffering({ type: 'user', desired: wanted, observed: seen, cells }, by);

const HEARD: Cells<UserField> = { name: { echo: { sent: 'Ada Lovelace', back: 'LOVELACE Ada' } } };
const may = (appsPermissions: number) => ({ appsPermissions });
const isAway = (temporarilyInactive: boolean) => ({ temporarilyInactive });
const zoe = { givenName: 'Zoe\u0308', familyName: '' };

test.each<
  [
    why: string,
    want: UserField[],
    observed?: Partial<ObservedUser>,
    desired?: Partial<DesiredUser>,
    cells?: Cells<UserField>,
  ]
>([
  ['what is held is none', []],
  ['a deactivation', ['active'], {}, { active: false }],
  ['an activation', ['active'], { active: false }],
  ['another name', ['name'], { fullName: 'Ada Byron' }],
  ['composed and decomposed names are one', [], { fullName: 'Zoë' }, { name: zoe }],
  ['the case of a name is one', ['name'], { fullName: 'ada lovelace' }],
  ['a name that nobody gave is not ours', [], { fullName: 'Anybody' }, { name: undefined }],
  ['what came back for this very name is none', [], { fullName: 'LOVELACE Ada' }, {}, HEARD],
  ['permissions nobody set are not ours', [], may(7)],
  ['other permissions', ['appsPermissions'], may(7), may(2)],
  ['permissions that were never seen', ['appsPermissions'], {}, may(2)],
  ['a suspension nobody asked about is not ours', [], isAway(true)],
  ['a suspension', ['temporarilyInactive'], isAway(false), isAway(true)],
  ['who was never seen suspended is not', [], {}, isAway(false)],
  ['a suspension to be lifted', ['temporarilyInactive'], isAway(true), isAway(false)],
  ['another userName', ['address'], { userName: 'augusta@example.com' }],
  ['composed and decomposed userNames are one', [], { userName: 'zoë' }, { userName: 'zoe\u0308' }],
  ['an address nobody gave is not ours', [], { email: 'x@y' }, { address: undefined }],
  [
    'all of them, access first',
    ['active', 'name', 'appsPermissions', 'temporarilyInactive', 'address'],
    {},
    { active: false, name: zoe, ...may(1), ...isAway(true), userName: 'x' },
  ],
])(
  'a difference between what is desired and what the service holds: %s',
  (_why, want, seen, asked, cells) => {
    const held = { ...observed, ...seen };

    expect(compare({ ...desired, ...asked }, held, 'scim', cells)).toEqual(want);
  },
);

test('a userName and an address that the service does not show are no difference', () => {
  const { userName: _, email: __, ...shown } = observed;
  const asked = { ...desired, userName: 'x', address: 'y' };

  expect(compare(asked, shown, 'scim')).toEqual([]);
});

describe('either switch of the service can stand for active', () => {
  test.each<[Deactivation, active: boolean, suspended: boolean | undefined, want: boolean]>([
    ['scim', true, undefined, true],
    ['temporarilyInactive', true, undefined, true],
    ['temporarilyInactive', true, true, false],
  ])('%s: active %s, suspended %s is %s', (deactivation, active, suspended, want) => {
    const shown = suspended === undefined ? {} : { temporarilyInactive: suspended };
    const seen = { ...observed, active, ...shown };
    const listWanting = (wanted: boolean) =>
      compare({ ...desired, active: wanted }, seen, deactivation);

    expect(users.isWorking(seen, deactivation)).toBe(want);
    expect([listWanting(want), listWanting(!want)]).toEqual([[], ['active']]);
  });
});

/** Two attributes, one switch: what is asked, and whether a suspended or a working user differs. */
const BOTH: UserField[] = ['active', 'temporarilyInactive'];
test.each<
  [why: string, active: boolean, suspended: boolean, want: UserField[], suspension?: boolean]
>([
  ['"not suspended" does not let an inactive person in again', false, true, [], false],
  ['and an inactive person who works differs in both', false, false, BOTH, false],
  ['an active person who is to be suspended is', true, true, [], true],
  ['and differs while working', true, false, BOTH, true],
  ['without the attribute only active is ours', true, true, ['active']],
])('where suspending deactivates: %s', (_why, active, suspended, want, suspension) => {
  const asked = { ...desired, active, temporarilyInactive: suspension };
  const seen = { ...observed, temporarilyInactive: suspended };

  expect(compare(asked, seen, 'temporarilyInactive')).toEqual(want);
});

const set = { active: false, ...may(0), ...isAway(false) };
const texts = { active: 'no', appsPermissions: '1', temporarilyInactive: 'no' };
const unset = { appsPermissions: undefined, temporarilyInactive: undefined };
test.each<[why: string, sent: JsonObject, want: object]>([
  ['all that was set', { userName: 'ada', ...set }, set],
  ['active where nothing says otherwise', { userName: 'ada' }, { active: true, ...unset }],
  ['nothing of another shape', { userName: 'ada', ...texts }, { active: true, ...unset }],
])('the attributes of a user ask the service for: %s', (_why, sent, want) => {
  const attributes = { ...sent, [USER_EXTENSION]: sent };
  const asked = { userName: 'ada', address: undefined, name: undefined, ...want };

  expect(users.toDesiredUser(attributes, false)).toEqual(asked);
  expect(users.toDesiredUser(attributes, true)).toEqual({ ...asked, active: false });
  expect(users.toDesiredUser({}, false).userName).toBe('');
});

const known = { ...observed, created: '2020' };
const stranger = { userName: 'eve', emails: ['eve@b'], created: '2021' };
test.each([
  ['the userName', known, { ...stranger, userName: 'ADA@example.com' }, 'same'],
  ['an address', known, { ...stranger, emails: [undefined, address] }, 'same'],
  ['the time of creation', known, { ...stranger, created: '2020' }, 'same'],
  ['nothing', known, stranger, 'another'],
  ['nothing, and no time is shown', known, { ...stranger, created: undefined }, 'unclear'],
  ['nothing, and no time was seen', observed, stranger, 'unclear'],
  ['no name that is shown', known, { emails: [undefined] }, 'same'],
])('an account with the linked id shares %s', (_what, seen, shown, want) =>
  expect(users.compareAccount({ desired, observed: seen }, shown)).toBe(want),
);

test.each(['', 'erased'])('beside the name "%s" the time of creation counts alone', (userName) => {
  const nameless = { ...desired, userName, address: undefined };
  const seen = [null, { ...known, userName: '', email: '' }];
  const compareTo = (own: ObservedUser | null) =>
    users.compareAccount({ desired: nameless, observed: own }, stranger);

  expect(seen.map((own) => compareTo(own))).toEqual(['same', 'another']);
});

const waits = (...fields: UserField[]) =>
  Object.fromEntries(fields.map((one) => [one, { pending: 1 }]));
test.each([
  ['a deactivation', { active: false }, waits('active'), true],
  ['an account of somebody inactive, to be looked for', { active: false }, waits('account'), true],
  ['a suspension', isAway(true), waits('temporarilyInactive'), true],
  ['the end of a suspension', isAway(false), waits('temporarilyInactive'), false],
  ['a name of somebody inactive', { active: false, ...isAway(true) }, waits('name'), false],
  ['less of a licence', may(1), waits('appsPermissions'), true],
])('whether what waits for a user takes access away: %s', (_what, asked, cells, want) => {
  const seen = { ...observed, ...may(3) };
  const wanted = { ...desired, ...asked };
  expect(removesAccess({ type: 'user', desired: wanted, observed: seen, cells })).toBe(want);
});
