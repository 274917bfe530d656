import { describe, expect, test } from 'vitest';
import { waitingFor } from './cell-test-support.ts';
import { USER_EXTENSION } from './extensions.ts';
import type { JsonObject } from './json.ts';
import { removesUserAccess, toDesiredUser } from './user.ts';

describe('what the attributes of a person ask of the service', () => {
  const attributes: JsonObject = {
    userName: 'ada',
    emails: [{ value: 'ada@example.com' }],
    name: { givenName: 'Ada', familyName: 'Lovelace' },
    active: false,
    [USER_EXTENSION]: { appsPermissions: 0, temporarilyInactive: false },
  };

  test('everything that was set, also zero and false', () => {
    expect(toDesiredUser(attributes, false)).toEqual({
      userName: 'ada',
      address: 'ada@example.com',
      name: { givenName: 'Ada', familyName: 'Lovelace' },
      active: false,
      appsPermissions: 0,
      temporarilyInactive: false,
    });
  });

  test('nothing that was not: an absent active is true', () => {
    expect(toDesiredUser({ userName: 'ada' }, false)).toEqual({
      userName: 'ada',
      address: undefined,
      name: undefined,
      active: true,
      appsPermissions: undefined,
      temporarilyInactive: undefined,
    });
  });

  test('without a userName it is an empty text, which no account has', () => {
    expect(toDesiredUser({}, false).userName).toBe('');
    expect(toDesiredUser({ userName: 5 }, false).userName).toBe('');
  });

  test('a deleted person is to be inactive, whatever the attributes say', () => {
    expect(toDesiredUser({ ...attributes, active: true }, true).active).toBe(false);
  });

  test('extension values of another type are as good as unset', () => {
    const extension = { appsPermissions: '2', temporarilyInactive: 'true' };
    const asked = toDesiredUser({ [USER_EXTENSION]: extension }, false);

    expect([asked.appsPermissions, asked.temporarilyInactive]).toEqual([undefined, undefined]);
    expect(toDesiredUser({ [USER_EXTENSION]: null }, false).appsPermissions).toBeUndefined();
  });
});

describe('whether what waits for a person takes access away', () => {
  const active = toDesiredUser({}, false);
  const inactive = toDesiredUser({ active: false }, false);
  const suspension = (temporarilyInactive: boolean) => ({ ...active, temporarilyInactive });

  test.each([
    { why: 'nothing waits', desired: inactive, cells: {}, want: false },
    { why: 'a deactivation', desired: inactive, cells: waitingFor({ active: 1 }), want: true },
    {
      why: 'an account that may exist',
      desired: inactive,
      cells: waitingFor({ account: 1 }),
      want: true,
    },
    {
      why: 'another field of one inactive',
      desired: inactive,
      cells: waitingFor({ name: 1 }),
      want: false,
    },
    {
      why: 'an activation',
      desired: active,
      cells: waitingFor({ active: 1, account: 1 }),
      want: false,
    },
    {
      why: 'a suspension',
      desired: suspension(true),
      cells: waitingFor({ temporarilyInactive: 1 }),
      want: true,
    },
    {
      why: 'the end of a suspension',
      desired: suspension(false),
      cells: waitingFor({ temporarilyInactive: 1 }),
      want: false,
    },
    {
      why: 'a suspension that nobody set',
      desired: active,
      cells: waitingFor({ temporarilyInactive: 1 }),
      want: false,
    },
    {
      why: 'a suspension that holds',
      desired: suspension(true),
      cells: waitingFor({ name: 1 }),
      want: false,
    },
  ])('$why: $want', ({ desired, cells, want }) => {
    expect(removesUserAccess({ desired, cells })).toBe(want);
  });
});
