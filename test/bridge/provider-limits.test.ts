import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../src/domain/json.ts';
import { RIGHTS, type Right } from '../../src/domain/provider.ts';
import type { Sandbox } from '../../src/sandbox/sandbox.ts';
import { startTestBridge, type TestBridge } from '../support/bridge.ts';
import { forSuite } from '../support/lifetimes.ts';
import {
  replace,
  type TestAnswer,
  toGroup,
  toMembers,
  toPatch,
  toUser,
} from '../support/provider.ts';
import { makeProvider, type WalledProvider } from '../support/walled.ts';

const EXTENSION = 'urn:ietf:params:scim:schemas:extension:workmanagement:2.0:User';

/** A company whose provider gets its limits in the course of the story. */
interface Story {
  readonly bridge: TestBridge;
  readonly okta: WalledProvider;
  /** Sets the limits of the case. */
  readonly limit: () => Promise<void>;
}

interface LimitCase {
  readonly why: string;
  readonly limits: JsonObject;
  readonly act: (story: Story) => Promise<readonly TestAnswer[]>;
  /** Statuses of the answers. */
  readonly want: readonly number[];
}

const set = (path: string, value: JsonObject[string]) => toPatch(replace(path, value));
const without = (...rights: readonly Right[]) => ({
  may: RIGHTS.filter((right) => !rights.includes(right)),
});
const ofDomain = { domains: ['Example.com', 'example.net'] };

/** Accounts and a group that nobody manages yet. */
function prepare({ service }: Sandbox): void {
  for (const [userName, email] of [
    ['old@example.com', 'old@example.com'],
    ['early@example.com', 'early@example.com'],
    ['away@example.org', 'away@example.org'],
    ['far@example.org', 'far@example.org'],
    ['plain', 'plain@example.org'],
    ['mixed@example.org', 'mixed@example.com'],
  ] as const) {
    service.addUser({ email, userName, fullName: 'Some Body' });
  }
  service.createGroup({ name: 'Old' });
}

const findUser = (bridge: TestBridge, name: string) => bridge.findId({ type: 'Users', name });

const cases: readonly LimitCase[] = [
  {
    why: 'new people are of the mail domains alone, by address and by userName',
    limits: ofDomain,
    want: [201, 201, 403, 403, 403, 403, 403, 403],
    async act({ okta, limit }) {
      await limit();
      const post = (name: string, change?: JsonObject) =>
        okta.request('POST', '/Users', toUser(name, change));
      const at = (value: string) => [{ value, primary: true }];
      return [
        await post('amy'),
        await post('ben', { userName: 'ben', emails: at('BEN@EXAMPLE.NET') }),
        await post('cyd', { emails: [...at('cyd@example.com'), { value: 'cyd@private.test' }] }),
        await post('x', { userName: 'x', emails: at('x@example.org') }),
        await post('x', { userName: 'x@example.org' }),
        await post('x', { userName: 'x@example.com@example.org' }),
        await post('x', { userName: '@example.com' }),
        await post('x', { userName: 'x', emails: at('x@sub.example.com') }),
      ];
    },
  },
  {
    why: 'accounts are taken over of the mail domains alone, whichever write would do it',
    limits: ofDomain,
    want: [201, 403, 403, 403, 403, 403, 403, 403],
    async act({ bridge, okta, limit }) {
      await limit();
      const far = await findUser(bridge, 'far@example.org');
      const own = [{ value: 'x@example.com', primary: true }];
      return [
        await okta.request('POST', '/Users', toUser('early')),
        await okta.request('POST', '/Users', toUser('far', { userName: 'far@example.org' })),
        await okta.request('POST', '/Users', toUser('x', { userName: 'plain', emails: own })),
        await okta.request('POST', '/Users', toUser('mixed')),
        await okta.request('PUT', `/Users/${far}`, toUser('far')),
        await okta.request('PATCH', `/Users/${far}`, set('active', false)),
        await okta.request('DELETE', `/Users/${far}`),
        await okta.request('PATCH', `/Users/${far}`, set('title', 'x')),
      ];
    },
  },
  {
    why: 'nobody is given a name of another mail domain; what was there before stays, and can leave',
    limits: ofDomain,
    want: [403, 403, 200, 200, 200, 204],
    async act({ okta, limit }) {
      const ada = await okta.addUser('ann');
      const far = await okta.addUser('xen', {
        userName: 'xen@example.org',
        emails: [{ value: 'xen@example.org', primary: true }],
      });
      await limit();
      const emails = [{ value: 'ann@example.org', type: 'work', primary: true }];
      return [
        await okta.request('PATCH', `/Users/${ada}`, set('userName', 'ann@example.org')),
        await okta.request('PATCH', `/Users/${ada}`, set('emails', emails)),
        await okta.request('PATCH', `/Users/${ada}`, set('title', 'x')),
        await okta.request('PATCH', `/Users/${far}`, set('title', 'x')),
        await okta.request('PATCH', `/Users/${far}`, set('active', false)),
        await okta.request('DELETE', `/Users/${far}`),
      ];
    },
  },
  {
    why: 'groups have names of the patterns alone, new, taken over or renamed',
    limits: { groupNames: ['Okta *', 'Board'] },
    want: [201, 201, 403, 403, 403, 204, 403, 204],
    async act({ bridge, okta, limit }) {
      const old = await bridge.findId({ type: 'Groups', name: 'Old' });
      const crew = await okta.addGroup('Crew');
      await limit();
      return [
        await okta.request('POST', '/Groups', toGroup('okta pilots')),
        await okta.request('POST', '/Groups', toGroup('Board')),
        await okta.request('POST', '/Groups', toGroup('Boardroom')),
        await okta.request('POST', '/Groups', toGroup('Old')),
        await okta.request('PATCH', `/Groups/${old}`, set('displayName', 'Okta Old')),
        await okta.request('PATCH', `/Groups/${crew}`, set('externalId', 'x')),
        await okta.request('PATCH', `/Groups/${crew}`, set('displayName', 'Crew 2')),
        await okta.request('PATCH', `/Groups/${crew}`, set('displayName', 'Okta Crew')),
      ];
    },
  },
  {
    why: 'who may not create people takes none over either',
    limits: without('users.create'),
    want: [403, 403, 200, 204],
    async act({ bridge, okta, limit }) {
      const ada = await okta.addUser('ada');
      const old = await findUser(bridge, 'old@example.com');
      await limit();
      return [
        await okta.request('POST', '/Users', toUser('bea')),
        await okta.request('PATCH', `/Users/${old}`, set('title', 'x')),
        await okta.request('PATCH', `/Users/${ada}`, set('title', 'x')),
        await okta.request('DELETE', `/Users/${ada}`),
      ];
    },
  },
  {
    why: 'who may not change people may say the same again, deactivate (and nothing else with it) and delete',
    limits: without('users.change'),
    want: [403, 200, 200, 200, 403, 204],
    async act({ okta, limit }) {
      const ada = await okta.addUser('abe');
      await limit();
      return [
        await okta.request('PATCH', `/Users/${ada}`, set('title', 'x')),
        await okta.request('PUT', `/Users/${ada}`, toUser('abe')),
        await okta.request('PUT', `/Users/${ada}`, toUser('abe', { active: false, title: 'x' })),
        await okta.request('PATCH', `/Users/${ada}`, set('active', false)),
        await okta.request('PATCH', `/Users/${ada}`, set('active', true)),
        await okta.request('DELETE', `/Users/${ada}`),
      ];
    },
  },
  {
    why: 'who may not deactivate people does so by neither switch, nor with a takeover',
    limits: without('users.deactivate'),
    want: [403, 403, 200, 403, 204],
    async act({ bridge, okta, limit }) {
      const ada = await okta.addUser('ali');
      const old = await findUser(bridge, 'old@example.com');
      await limit();
      const suspend = set(`${EXTENSION}:temporarilyInactive`, true);
      return [
        await okta.request('PATCH', `/Users/${ada}`, set('active', false)),
        await okta.request('PATCH', `/Users/${ada}`, suspend),
        await okta.request('PATCH', `/Users/${ada}`, set('title', 'x')),
        await okta.request('PATCH', `/Users/${old}`, set('active', false)),
        await okta.request('DELETE', `/Users/${ada}`),
      ];
    },
  },
  {
    why: 'who may not delete deletes neither people nor groups',
    limits: without('users.delete', 'groups.delete'),
    want: [403, 403, 200],
    async act({ okta, limit }) {
      const ada = await okta.addUser('ava');
      const crew = await okta.addGroup('Deck');
      await limit();
      return [
        await okta.request('DELETE', `/Users/${ada}`),
        await okta.request('DELETE', `/Groups/${crew}`),
        await okta.request('PATCH', `/Users/${ada}`, set('active', false)),
      ];
    },
  },
  {
    why: 'who may neither create nor change groups leaves their lists alone as well',
    limits: without('groups.create', 'groups.change'),
    want: [403, 403, 403, 403, 204],
    async act({ bridge, okta, limit }) {
      const ada = await okta.addUser('aya');
      const crew = await okta.addGroup('Hangar');
      const old = await bridge.findId({ type: 'Groups', name: 'Old' });
      await limit();
      const add = toPatch({ op: 'add', path: 'members', value: toMembers([ada]) });
      return [
        await okta.request('POST', '/Groups', toGroup('Pilots')),
        await okta.request('PATCH', `/Groups/${old}`, add),
        await okta.request('PATCH', `/Groups/${crew}`, add),
        await okta.request('PATCH', `/Groups/${crew}`, set('displayName', 'Hangar 2')),
        await okta.request('DELETE', `/Groups/${crew}`),
      ];
    },
  },
  {
    why: 'who may not add others adds its own people alone; others who are there stay, and may go',
    limits: without('groups.add-others'),
    want: [204, 403, 403, 403, 403, 200, 204],
    async act({ bridge, okta, limit }) {
      const ada = await okta.addUser('axl');
      const [bob, cy] = await bridge.addPeople('bob', 'cy');
      const old = await findUser(bridge, 'old@example.com');
      const crew = await okta.addGroup('Tower', [bob]);
      await limit();
      const add = (id: string) => toPatch({ op: 'add', path: 'members', value: toMembers([id]) });
      const path = `/Groups/${crew}`;
      const admins = 'urn:ietf:params:scim:schemas:extension:workmanagement:2.0:Group:admins';
      return [
        await okta.request('PATCH', path, add(ada)),
        await okta.request('PATCH', path, add(cy)),
        await okta.request('PATCH', path, add(old)),
        await okta.request('POST', '/Groups', toGroup('Pilots', [cy])),
        await okta.tryPatch(path, { op: 'add', path: admins, value: toMembers([cy]) }),
        await okta.request('PUT', path, toGroup('Tower', [ada, bob])),
        await okta.tryPatch(path, { op: 'remove', path: `members[value eq "${bob}"]` }),
      ];
    },
  },
];

const bridge = forSuite(() => startTestBridge({ prepare }));

describe('the limits of a provider', () => {
  describe('hold', () => {
    let count = 0;

    test.each(cases)('$why', async ({ limits, act, want }) => {
      count += 1;
      const name = `okta-${count}`;
      const okta = await makeProvider(bridge, name);
      const limit = async () => {
        expect((await bridge.ops('POST', `/providers/${name}/change`, limits)).status).toBe(200);
      };

      const answers = await act({ bridge, okta, limit });

      expect(
        answers.map(({ status, text }) => `${status} ${status === 403 ? '' : text}`.slice(0, 3)),
      ).toEqual(want.map(String));
      const refused = answers.filter(({ status }) => status === 403);
      for (const { body } of refused)
        expect(body.detail).toMatch(new RegExp(`^The provider ${name} may `));
    });
  });

  test('the default provider has none, and no refusal names a person', async () => {
    const okta = await makeProvider(bridge, 'okta', ofDomain);
    const away = toUser('away', { userName: 'away@example.org' });
    const refused = await okta.request('POST', '/Users', away);
    const taken = await bridge.request('POST', '/Users', away);

    expect([refused.status, taken.status]).toEqual([403, 201]);
    expect(refused.text).not.toContain('away@');
    expect(refused.body.detail).toBe(
      'The provider okta may have people of these mail domains alone: example.com, example.net.',
    );
  });
});
