import { expect, test } from 'vitest';
import { USER_EXTENSION } from '../../domain/extensions.ts';
import type { RepairKind } from '../repairs.ts';
import { core, enterprise, refused, userSchema } from '../scim-test-support.ts';
import { parseResource } from './parse-body.ts';

function parse(body: object | string) {
  const counts: Partial<Record<RepairKind, number>> = {};
  const count = (kind: RepairKind) => {
    counts[kind] = (counts[kind] ?? 0) + 1;
  };
  const json = typeof body === 'string' ? body : JSON.stringify(body);
  return { ...parseResource(JSON.parse(json), userSchema, { count }), counts };
}

const mails = (...emails: unknown[]) => ({ emails });
const extended = (value: unknown) => ({ [enterprise]: value });
const managed = { manager: { value: 'm1' } };
const referred = { value: 'm1', $ref: 'http://x/m1' };
const fullName = { givenName: 'A', familyName: 'L' };
const belgium = { type: 'work', country: 'BE' };
const permitted = (appsPermissions: unknown) => ({ [USER_EXTENSION]: { appsPermissions } });
const role = (change: object) => ({ roles: [{ value: 'r', ...change }] });
const certified = { x509Certificates: [{ value: 'QUJD!', type: 'signing' }] };
const twoTypes = mails({ value: 'a@x', type: 'work' }, { value: 'a@x', type: 'home' });

/** What the body says; what it comes to; the repair that is counted, if any. */
type ValueCase = readonly [object, object, RepairKind?];

const taken: readonly ValueCase[] = [
  [{ DisplayName: 'A' }, { displayName: 'A' }, 'name-spelling'],
  [{ NAME: { FAMILYNAME: 'L' } }, { name: { familyName: 'L' } }, 'name-spelling'],
  [{ 'name.givenName': 'A', 'name.familyName': 'L' }, { name: fullName }, 'name-spelling'],
  [{ name: { givenName: 'A' }, 'name.familyName': 'L' }, { name: fullName }],
  [{ [`${core}:title`]: 'T' }, { title: 'T' }, 'name-spelling'],
  [{ [`${enterprise}:department`]: 'D' }, extended({ department: 'D' }), 'name-spelling'],
  [{ [enterprise.replace(/:User$/, 'User')]: { department: 'D' } }, extended({ department: 'D' })],
  [{ department: 'D' }, extended({ department: 'D' }), 'name-spelling'],
  [{ [core]: { title: 'T' } }, { title: 'T' }],
  [{ active: 'False' }, { active: false }, 'boolean-as-text'],
  [{ active: [true] }, { active: true }, 'value-wrapped'],
  [{ title: ['T'] }, { title: 'T' }, 'value-wrapped'],
  [{ title: { value: 'T' } }, { title: 'T' }, 'value-wrapped'],
  [{ externalId: 42 }, { externalId: '42' }, 'text-as-other'],
  [permitted('2'), permitted(2), 'number-as-text'],
  [{ title: null }, {}],
  [{ title: '' }, {}, 'blank-as-unassign'],
  [{ title: [] }, {}],
  [{ name: { familyName: '', givenName: 'A' } }, { name: { givenName: 'A' } }],
  [{ name: { familyName: '' } }, {}],
  [{ name: {} }, {}],
  [{ emails: [] }, {}],
  [{ emails: null }, {}],
  [{ name: 'Ada L' }, { name: { formatted: 'Ada L' } }, 'value-for-object'],
  [{ emails: { value: 'a@x' } }, mails({ value: 'a@x' }), 'value-for-list'],
  [{ emails: 'a@x' }, mails({ value: 'a@x' }), 'value-for-list'],
  [mails('a@x', 'b@x'), mails({ value: 'a@x' }, { value: 'b@x' }), 'value-for-object'],
  [{ addresses: ['Road 1'] }, { addresses: [{ formatted: 'Road 1' }] }],
  [{ emails: [{ type: 'work', primary: true }, { type: 'work', value: '' }, null] }, {}],
  [mails({ value: 'a@x', type: null, $ref: null }), mails({ value: 'a@x' })],
  [role({ primary: 'True' }), role({ primary: true }), 'boolean-as-text'],
  [
    mails({ value: 'a@x', primary: true }, { value: 'b@x', primary: true }),
    mails({ value: 'a@x', primary: true }, { value: 'b@x', primary: false }),
    'several-primaries',
  ],
  [
    mails({ value: 'A@x', type: 'work' }, { value: 'a@x', type: 'Work', display: 'A' }),
    mails({ value: 'a@x', type: 'Work', display: 'A' }),
    'duplicate-values',
  ],
  [twoTypes, twoTypes],
  [
    { addresses: [belgium, { country: 'BE', type: 'work', primary: true }] },
    { addresses: [{ ...belgium, primary: true }] },
  ],
  [
    { roles: [{ value: '{"id":"1","value":"Admin","displayName":"The Admin"}' }] },
    { roles: [{ value: 'Admin', display: 'The Admin' }] },
    'json-in-text',
  ],
  [{ roles: ['{x'] }, { roles: [{ value: '{x' }] }],
  [certified, certified, 'binary-malformed'],
  [extended({ manager: 'm1' }), extended(managed)],
  [{ manager: [referred] }, extended({ manager: referred })],
  [{ manager: { value: '', $ref: 'x' } }, {}],
  [{ manager: { value: 'm1', displayName: 'M' } }, extended(managed), 'read-only-dropped'],
  [{ [USER_EXTENSION]: { role: 1 } }, {}, 'read-only-dropped'],
  [{ 'urn:okta:acme:2.0:user:custom': { a: 1 } }, {}, 'unknown-schema-dropped'],
  [{ 'emails[type eq "work"].value': 'a@x' }, {}],
  [{ title: { Title: 'X' } }, { title: 'X' }, 'value-wrapped'],
  [{ [enterprise]: null }, {}],
];

/** What is kept as it is, and counted each time. */
const kept: readonly RepairKind[] = ['binary-malformed'];

for (const [body, want, repair] of taken) {
  test(`a value is taken, with nothing left to put right: ${JSON.stringify(body)}`, () => {
    const { attributes, counts } = parse({ userName: 'a', ...body });
    expect(attributes).toEqual({ userName: 'a', ...want });
    if (repair) expect(counts[repair]).toBeGreaterThan(0);
    const again = parse({ schemas: [core, enterprise, USER_EXTENSION], ...attributes });
    expect(again.attributes).toEqual(attributes);
    expect(Object.keys(again.counts)).toEqual(kept.filter((kind) => kind === repair));
  });
}

/** Of these nothing is taken, as if they had not been sent. */
const dropped: readonly ValueCase[] = [
  [{ password: 'p' }, {}, 'password-dropped'],
  [{ id: 'x' }, {}, 'read-only-dropped'],
  [{ meta: { resourceType: 'User' } }, {}, 'read-only-dropped'],
  [{ groups: [{ value: 'g' }] }, {}, 'read-only-dropped'],
  [{ active: '' }, {}, 'blank-active-dropped'],
  [{ active: null }, {}],
  [{ shoeSize: 42 }, {}, 'unknown-attribute-dropped'],
];

test.each(['9007199254740993', '1.5', '1e400', '-1'])('%s is no number that may be set', (number) =>
  expect(() => parse({ userName: 'ada', ...permitted(number) })).toThrow(
    refused('invalidValue', 'appsPermissions is a whole number from 0 to 9007199254740991.'),
  ),
);

for (const [body, , repair] of dropped) {
  test(`a value is dropped and counted: ${JSON.stringify(body)}`, () => {
    const { attributes, mentioned, counts } = parse({ userName: 'a', ...body });
    expect(attributes).toEqual({ userName: 'a' });
    expect([...mentioned]).toEqual(['userName']);
    if (repair) expect(counts[repair]).toBeGreaterThan(0);
  });
}
