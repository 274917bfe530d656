import { describe, expect, test } from 'vitest';
import { USER_EXTENSION } from './extensions.ts';
import type { JsonObject } from './json.ts';
import { toDesiredUser } from './user.ts';

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
