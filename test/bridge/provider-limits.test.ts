import { describe, expect, test } from 'vitest';
import { GROUP_EXTENSION, USER_EXTENSION } from '../../src/domain/extensions.ts';
import type { Right } from '../../src/domain/provider.ts';
import { RIGHTS } from '../../src/domain/provider.ts';
import type { JsonObject, JsonValue } from '../../src/domain/values.ts';
import type { Sandbox } from '../../src/sandbox/sandbox.ts';
import type { TestBridge } from '../support/bridge.ts';
import { bridgeForSuite } from '../support/bridge.ts';
import { dismiss, replace, toGroup, toMembers, toPatch, toUser } from '../support/provider.ts';
import type { WalledProvider } from '../support/walled.ts';
import { makeProvider } from '../support/walled.ts';

type Sent = readonly [status: number, method: string, path: string, body?: JsonObject];
type LimitCase = readonly [
  why: string,
  limits: JsonObject,
  prepare: (okta: WalledProvider, bridge: TestBridge) => Promise<readonly Sent[]>,
];

const set = (path: string, value: JsonValue) => toPatch(replace(path, value));
const without = (...rights: readonly Right[]) => ({
  may: RIGHTS.filter((right) => !rights.includes(right)),
});
const ofDomain = { domains: ['Example.com', 'example.net'] };
const at = (value: string) => [{ value, primary: true }];
const add = (id: string, path = 'members') => toPatch({ op: 'add', path, value: toMembers([id]) });

function prepare({ service }: Sandbox): void {
  const add = (userName: string, email = userName) =>
    service.addUser({ email, userName, fullName: 'Some Body' });
  add('old@example.com');
  add('early@example.com');
  add('away@example.org');
  add('far@example.org');
  add('plain', 'plain@example.org');
  add('mixed@example.org', 'mixed@example.com');
  service.createGroup({ name: 'Old' });
}

const findUser = async (bridge: TestBridge, name: string) =>
  `/Users/${await bridge.findId({ type: 'Users', name })}`;
const findOld = async (bridge: TestBridge) =>
  `/Groups/${await bridge.findId({ type: 'Groups', name: 'Old' })}`;
const addUser = async (okta: WalledProvider, name: string, change?: JsonObject) =>
  `/Users/${await okta.addUser(name, change)}`;
const addGroup = async (okta: WalledProvider, name: string, members?: string[]) =>
  `/Groups/${await okta.addGroup(name, members)}`;

const cases: readonly LimitCase[] = [
  [
    'new people are of the mail domains alone, by address and by userName',
    ofDomain,
    async () => [
      [201, 'POST', '/Users', toUser('amy')],
      [201, 'POST', '/Users', toUser('ben', { userName: 'ben', emails: at('BEN@EXAMPLE.NET') })],
      [403, 'POST', '/Users', toUser('c', { emails: [...at('c@example.com'), { value: 'c@x' }] })],
      [403, 'POST', '/Users', toUser('x', { userName: 'x', emails: at('x@example.org') })],
      [403, 'POST', '/Users', toUser('x', { userName: 'x@example.org' })],
      [403, 'POST', '/Users', toUser('x', { userName: 'x@example.com@example.org' })],
      [403, 'POST', '/Users', toUser('x', { userName: '@example.com' })],
      [403, 'POST', '/Users', toUser('x', { userName: 'x', emails: at('x@sub.example.com') })],
    ],
  ],
  [
    'accounts are taken over of the mail domains alone, whichever write would do it',
    ofDomain,
    async (_, bridge) => {
      const far = await findUser(bridge, 'far@example.org');
      return [
        [201, 'POST', '/Users', toUser('early')],
        [403, 'POST', '/Users', toUser('far', { userName: 'far@example.org' })],
        [403, 'POST', '/Users', toUser('x', { userName: 'plain', emails: at('x@example.com') })],
        [403, 'POST', '/Users', toUser('mixed')],
        [403, 'PUT', far, toUser('far')],
        [403, 'PATCH', far, set('active', false)],
        [403, 'DELETE', far],
        [403, 'PATCH', far, set('title', 'x')],
      ];
    },
  ],
  [
    'nobody is given a name of another mail domain; what was there before stays, and can leave',
    ofDomain,
    async (okta) => {
      const ann = await addUser(okta, 'ann');
      const name = 'xen@example.org';
      const far = await addUser(okta, 'xen', { userName: name, emails: at(name) });
      return [
        [403, 'PATCH', ann, set('userName', 'ann@example.org')],
        [403, 'PATCH', ann, set('emails', at('ann@example.org'))],
        [200, 'PATCH', ann, set('title', 'x')],
        [200, 'PATCH', far, set('title', 'x')],
        [200, 'PATCH', far, set('active', false)],
        [204, 'DELETE', far],
      ];
    },
  ],
  [
    'groups have names of the patterns alone, new, taken over or renamed',
    { groupNames: ['Okta *', 'Board'] },
    async (okta, bridge) => {
      const crew = await addGroup(okta, 'Crew');
      return [
        [201, 'POST', '/Groups', toGroup('okta pilots')],
        [201, 'POST', '/Groups', toGroup('Board')],
        [403, 'POST', '/Groups', toGroup('Boardroom')],
        [403, 'POST', '/Groups', toGroup('Old')],
        [403, 'PATCH', await findOld(bridge), set('displayName', 'Okta Old')],
        [204, 'PATCH', crew, set('externalId', 'x')],
        [403, 'PATCH', crew, set('displayName', 'Crew 2')],
        [204, 'PATCH', crew, set('displayName', 'Okta Crew')],
      ];
    },
  ],
  [
    'who may not create people takes none over either',
    without('users.create'),
    async (okta, bridge) => {
      const ada = await addUser(okta, 'ada');
      return [
        [403, 'POST', '/Users', toUser('bea')],
        [403, 'PATCH', await findUser(bridge, 'old@example.com'), set('title', 'x')],
        [200, 'PATCH', ada, set('title', 'x')],
        [204, 'DELETE', ada],
      ];
    },
  ],
  [
    'who may not change people may say the same again, deactivate (and nothing else with it) and delete',
    without('users.change'),
    async (okta) => {
      const abe = await addUser(okta, 'abe');
      return [
        [403, 'PATCH', abe, set('title', 'x')],
        [200, 'PUT', abe, toUser('abe')],
        [200, 'PUT', abe, toUser('abe', { active: false, title: 'x' })],
        [200, 'PATCH', abe, set('active', false)],
        [403, 'PATCH', abe, set('active', true)],
        [204, 'DELETE', abe],
      ];
    },
  ],
  [
    'who may not deactivate people does so by neither switch, nor with a takeover',
    without('users.deactivate'),
    async (okta, bridge) => {
      const ali = await addUser(okta, 'ali');
      return [
        [403, 'PATCH', ali, set('active', false)],
        [403, 'PATCH', ali, set(`${USER_EXTENSION}:temporarilyInactive`, true)],
        [200, 'PATCH', ali, set('title', 'x')],
        [403, 'PATCH', await findUser(bridge, 'old@example.com'), set('active', false)],
        [204, 'DELETE', ali],
      ];
    },
  ],
  [
    'who may not delete deletes neither people nor groups',
    without('users.delete', 'groups.delete'),
    async (okta) => {
      const ava = await addUser(okta, 'ava');
      return [
        [403, 'DELETE', ava],
        [403, 'DELETE', await addGroup(okta, 'Deck')],
        [200, 'PATCH', ava, set('active', false)],
      ];
    },
  ],
  [
    'who may neither create nor change groups leaves their lists alone as well',
    without('groups.create', 'groups.change'),
    async (okta, bridge) => {
      const aya = await okta.addUser('aya');
      const crew = await addGroup(okta, 'Hangar');
      return [
        [403, 'POST', '/Groups', toGroup('Pilots')],
        [403, 'PATCH', await findOld(bridge), add(aya)],
        [403, 'PATCH', crew, add(aya)],
        [403, 'PATCH', crew, set('displayName', 'Hangar 2')],
        [204, 'DELETE', crew],
      ];
    },
  ],
  [
    'who may not add others adds its own people alone; others who are there stay, and may go',
    without('groups.add-others'),
    async (okta, bridge) => {
      const axl = await okta.addUser('axl');
      const [bob, cy] = await bridge.addPeople('bob', 'cy');
      const old = await bridge.findId({ type: 'Users', name: 'old@example.com' });
      const crew = await addGroup(okta, 'Tower', [bob]);
      return [
        [204, 'PATCH', crew, add(axl)],
        [403, 'PATCH', crew, add(cy)],
        [403, 'PATCH', crew, add(old)],
        [403, 'POST', '/Groups', toGroup('Pilots', [cy])],
        [403, 'PATCH', crew, add(cy, `${GROUP_EXTENSION}:admins`)],
        [200, 'PUT', crew, toGroup('Tower', [axl, bob])],
        [204, 'PATCH', crew, toPatch(dismiss(bob))],
      ];
    },
  ],
];

const bridge = bridgeForSuite({ prepare });

describe('the limits of a provider', () => {
  describe('hold', () => {
    let count = 0;

    test.each(cases)('%s', async (_, limits, toRequests) => {
      count += 1;
      const name = `okta-${count}`;
      const okta = await makeProvider(bridge, name);
      const requests = await toRequests(okta, bridge);
      expect((await bridge.ops('POST', `/providers/${name}/change`, limits)).status).toBe(200);

      for (const [status, method, path, body] of requests) {
        const answer = await okta.request(method, path, body);
        expect(answer).toMatchObject({ status });
        if (status === 403)
          expect(answer.body.detail).toMatch(new RegExp(`^The provider ${name} may `));
      }
    });
  });

  test('the default provider has none, and no refusal names a person', async () => {
    const okta = await makeProvider(bridge, 'okta', ofDomain);
    const away = toUser('away', { userName: 'away@example.org' });
    const refused = await okta.request('POST', '/Users', away);
    const taken = await bridge.request('POST', '/Users', away);

    expect([refused.status, taken.status]).toEqual([403, 201]);
    expect(refused.text).not.toContain('away@');
    const domains = 'of these mail domains alone: example.com, example.net.';
    expect(refused.body.detail).toBe(`The provider okta may have people ${domains}`);
  });
});
