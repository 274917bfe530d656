import { beforeAll, expect, test } from 'vitest';
import type { JsonObject } from '../../src/domain/json.ts';
import { startTestBridge } from '../support/bridge.ts';
import { forSuite } from '../support/lifetimes.ts';
import { replace, toGroup, toPatch, toUser } from '../support/provider.ts';

const bridge = forSuite(() => startTestBridge());
let ada: string;
let pilots: string;

beforeAll(async () => {
  ada = await bridge.addUser('ada');
  pilots = await bridge.addGroup('Pilots', [ada]);
});

const WMU = 'urn:ietf:params:scim:schemas:extension:workmanagement:2.0:User';
const LONG = 'x'.repeat(600);

/** A request, the words it is refused with, and how. */
const cases: readonly (readonly [string, string, () => string, () => JsonObject, string])[] = [
  [
    'uniqueness',
    'POST',
    () => '/Users',
    () => toUser('ada'),
    'Another User already has this userName.',
  ],
  [
    'uniqueness',
    'POST',
    () => '/Users',
    () => toUser('eve', { emails: [{ value: 'ADA@example.com' }] }),
    'Another User already has this e-mail address.',
  ],
  [
    'invalidValue',
    'POST',
    () => '/Groups',
    () => ({ ...toGroup('New'), members: [{ value: ada }, { display: 'x' }] }),
    'Value 2 of members: Each of the members needs a value: the id of a user.',
  ],
  [
    'invalidValue',
    'PUT',
    () => `/Groups/${pilots}`,
    () => ({ ...toGroup('Pilots'), Members: [ada, { VALUE: ada }, 'a', { value: 'b' }, 'c'] }),
    'Value 3 of members is not the id of a User, nor are 2 more.',
  ],
  [
    'invalidValue',
    'PATCH',
    () => `/Groups/${pilots}`,
    () => toPatch({ op: 'replace', value: { members: [{ value: ada }, ada, 'nobody'] } }),
    'Value 3 of members is not the id of a User.',
  ],
  [
    'invalidValue',
    'POST',
    () => '/Users',
    () => toUser('eve', { emails: [{ value: 'eve@example.com' }, { value: LONG }] }),
    'Value 2 of emails: emails is longer than 512 characters.',
  ],
  [
    'invalidValue',
    'PATCH',
    () => `/Groups/${pilots}`,
    () =>
      toPatch(
        { op: 'add', path: 'members', value: [{ value: ada }] },
        { op: 'add', path: 'members', value: ['', {}] },
      ),
    'Operation 2: Value 1 of members: Each of the members needs a value: the id of a user.',
  ],
  [
    'invalidValue',
    'PATCH',
    () => `/Groups/${pilots}`,
    () =>
      toPatch(
        { op: 'add', path: 'members', value: [{ value: ada }] },
        { op: 'remove', path: 'members', value: [{ value: 'nobody' }] },
        { op: 'add', path: 'members', value: [{ value: ada }] },
        {
          op: 'add',
          path: 'members',
          value: [{ value: ada }, { value: ada }, { value: 'nobody' }],
        },
      ),
    'Operation 4: Value 3 of members is not the id of a User.',
  ],
  [
    'noTarget',
    'PATCH',
    () => `/Users/${ada}`,
    () => toPatch(replace('title', 'x'), replace('roles[value eq "none"].display', 'x')),
    'Operation 2: No value of roles fits the filter.',
  ],
  [
    'invalidValue',
    'PATCH',
    () => `/Users/${ada}`,
    () =>
      toPatch(replace('title', 'x'), {
        op: 'add',
        path: 'emails',
        value: [{ value: 'nowhere', primary: true }],
      }),
    'The address in emails by which the account is known is no e-mail address: text, one @, text, and no white space.',
  ],
  [
    'invalidValue',
    'POST',
    () => '/Users',
    () => toUser('eve', { [WMU]: { appsPermissions: 'x' } }),
    'The value of appsPermissions is no integer.',
  ],
];

test.each(cases)(
  '%s of %s is told with what and where',
  async (scimType, method, path, body, detail) => {
    const answer = await bridge.request(method, path(), body());

    expect(answer.body).toMatchObject({ scimType, detail });
  },
);

test('an address that no service can take is refused before the service is asked', async () => {
  const before = bridge.sandbox.calls.count();
  const other = { value: 'other@example.com' };
  // Of equal values one is kept, of empty ones none.
  const emails = [other, other, '', { Value: ' nowhere ', primary: true }];
  const detail = expect.stringMatching(/^The address in emails .* is no e-mail address/);

  const created = await bridge.request('POST', '/Users', toUser('eve', { emails }));
  const replaced = await bridge.request('PUT', `/Users/${ada}`, toUser('ada', { emails }));
  const patched = await bridge.request(
    'PATCH',
    `/Users/${ada}`,
    toPatch(replace('emails', emails)),
  );

  for (const { status, body } of [created, replaced, patched]) {
    expect({ status, body }).toMatchObject({
      status: 400,
      body: { scimType: 'invalidValue', detail },
    });
  }
  expect(bridge.sandbox.calls.count()).toBe(before);
  const filter = new URLSearchParams({ filter: 'userName eq "eve@example.com"' });
  expect(await bridge.list(`/Users?${filter}`)).toEqual([]);
});

test('an address that is left when others go is refused as one of the user', async () => {
  const id = await bridge.addUser('kim', {
    emails: [{ value: 'kim@example.com', primary: true }, { value: 'nowhere' }],
  });

  const answer = await bridge.request(
    'PATCH',
    `/Users/${id}`,
    toPatch({ op: 'remove', path: 'emails[primary eq true]' }),
  );

  expect(answer.body).toMatchObject({
    scimType: 'invalidValue',
    detail: expect.stringMatching(/^The address in emails .* is no e-mail address/),
  });
});

test('other addresses are kept as they are sent', async () => {
  const emails = [
    { value: 'ida@example.com', primary: true },
    { value: 'nowhere', type: 'other' },
  ];
  const id = await bridge.addUser('ida', { emails });

  expect((await bridge.send('GET', `/Users/${id}`)).body).toMatchObject({ emails });
});

test('words of our own about a call do not name it', async () => {
  const fault = bridge.sandbox.faults.add({
    operation: 'scim.addUser',
    fault: { kind: 'status', status: 400 },
  });
  const answer = await bridge.request('POST', '/Users', toUser('max'));
  fault.remove();

  expect(answer).toMatchObject({
    status: 400,
    body: { detail: 'The service refused the change: the service answered 400' },
  });
});
