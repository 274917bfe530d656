import { beforeAll, expect, test } from 'vitest';
import type { JsonObject } from '../../src/domain/json.ts';
import { startTestBridge } from '../support/bridge.ts';
import { forSuite } from '../support/lifetimes.ts';
import { replace, toPatch, toUser } from '../support/provider.ts';
import { makeProvider, type WalledProvider } from '../support/walled.ts';

const VICTIM = 'Victim@A.Example';
const own = { value: 'bob@b.example', type: 'work', primary: true };
const bulk = (data: JsonObject, method: string, path: string) => ({
  schemas: ['urn:ietf:params:scim:api:messages:2.0:BulkRequest'],
  Operations: [{ method, path, bulkId: 'x', data }],
});

const bridge = forSuite(() => startTestBridge());
let partner: WalledProvider;
let bob: string;
beforeAll(async () => {
  partner = await makeProvider(bridge, 'partner');
  const domains = { domains: ['b.example'] };
  await bridge.ops('POST', '/providers/partner/change', domains);
  const made = await partner.request(
    'POST',
    '/Users',
    toUser('bob', { userName: own.value, emails: [own] }),
  );
  bob = String(made.body.id);
});

/** Requests that give somebody an address of another domain, in every place that has one. */
const both = [own, { value: VICTIM, type: 'home' }];
const alone = [{ value: VICTIM, type: 'other' }];
const rows: readonly (readonly [string, string, (id: string) => string, JsonObject])[] = [
  ['a POST', 'POST', () => '/Users', toUser('x', { userName: 'x@b.example', emails: both })],
  [
    'a POST without a work address',
    'POST',
    () => '/Users',
    toUser('x', { userName: 'x@b.example', emails: alone }),
  ],
  ['a PUT', 'PUT', (id) => `/Users/${id}`, toUser('bob', { userName: own.value, emails: both })],
  [
    'a PATCH that adds',
    'PATCH',
    (id) => `/Users/${id}`,
    toPatch({ op: 'add', path: 'emails', value: alone }),
  ],
  [
    'a PATCH without a path',
    'PATCH',
    (id) => `/Users/${id}`,
    toPatch({ op: 'add', value: { emails: both } }),
  ],
  [
    'a PATCH with a filter',
    'PATCH',
    (id) => `/Users/${id}`,
    toPatch(replace('emails[type eq "home"].value', VICTIM)),
  ],
];

test.each(rows)(
  '%s gives nobody an address of another domain',
  async (_what, method, path, body) => {
    const { status } = await partner.request(method, path(bob), body);
    const asBulk = await partner.request('POST', '/Bulk', bulk(body, method, path(bob)));
    expect(status).toBe(403);
    expect(Object(asBulk.body).Operations[0].status).toBe('403');
    for (const filter of [
      `emails.value eq "${VICTIM}"`,
      `emails co "a.example"`,
      `emails[value sw "victim"]`,
    ]) {
      const found = await bridge.request('GET', `/Users?filter=${encodeURIComponent(filter)}`);
      expect(found.body.totalResults).toBe(0);
    }
  },
);

test('an address of the own domain is taken, also as a second one', async () => {
  const value = [{ value: 'bob.b@b.example', type: 'home' }];
  const answer = await partner.request(
    'PATCH',
    `/Users/${bob}`,
    toPatch({ op: 'add', path: 'emails', value }),
  );
  expect([answer.status, Object(answer.body).emails?.length]).toEqual([200, 2]);
});
