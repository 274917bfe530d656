import { describe, expect, test } from 'vitest';
import { USER_EXTENSION } from '../../domain/extensions.ts';
import type { JsonObject } from '../../domain/json.ts';
import { revertFields } from '../../domain/undo.ts';
import type { UserField } from '../../domain/user.ts';
import { USER_FIELDS } from './undo.ts';

const before: JsonObject = {
  userName: 'ada',
  name: { givenName: 'Ada' },
  active: true,
  title: 'Countess',
  [USER_EXTENSION]: { appsPermissions: 1, temporarilyInactive: false },
};
const current: JsonObject = {
  userName: 'augusta',
  name: { givenName: 'Augusta' },
  active: false,
  title: 'Lady',
  [USER_EXTENSION]: { appsPermissions: 2, temporarilyInactive: true, other: 'x' },
};
const extension = { appsPermissions: 2, temporarilyInactive: true, other: 'x' };

const cases: {
  why: string;
  before?: JsonObject;
  current?: JsonObject;
  fields: UserField[];
  want: JsonObject;
}[] = [
  { why: 'nothing refused, nothing reverted', fields: [], want: current },
  {
    why: 'the refused field alone, what others wrote stays',
    fields: ['active'],
    want: { ...current, active: true },
  },
  { why: 'a name as a whole', fields: ['name'], want: { ...current, name: { givenName: 'Ada' } } },
  {
    why: 'several',
    fields: ['active', 'name'],
    want: { ...current, active: true, name: { givenName: 'Ada' } },
  },
  {
    why: 'one value of the extension, its neighbours stay',
    fields: ['appsPermissions'],
    want: { ...current, [USER_EXTENSION]: { ...extension, appsPermissions: 1 } },
  },
  {
    why: 'false is a value',
    fields: ['temporarilyInactive'],
    want: { ...current, [USER_EXTENSION]: { ...extension, temporarilyInactive: false } },
  },
  {
    why: 'what was not there before is not there again',
    before: {},
    fields: ['name', 'appsPermissions'],
    want: {
      userName: 'augusta',
      active: false,
      title: 'Lady',
      [USER_EXTENSION]: { temporarilyInactive: true, other: 'x' },
    },
  },
  {
    why: 'an extension that is empty again goes',
    before: {},
    current: { [USER_EXTENSION]: { appsPermissions: 2 } },
    fields: ['appsPermissions'],
    want: {},
  },
  {
    why: 'an extension that was removed comes back with the refused value',
    current: {},
    fields: ['appsPermissions'],
    want: { [USER_EXTENSION]: { appsPermissions: 1 } },
  },
  {
    why: 'the address is never refused',
    fields: ['address'],
    want: current,
  },
  {
    why: 'with the account the whole write goes: nobody wrote anything since',
    fields: ['account'],
    want: before,
  },
];

describe('a refused write of a person is taken back', () => {
  test.each(cases)('$why', ({ before: held, current: now, fields, want }) => {
    const given = structuredClone(now ?? current);

    expect(revertFields(given, held ?? before, fields, USER_FIELDS)).toEqual(want);
    expect(given).toEqual(now ?? current);
  });
});
