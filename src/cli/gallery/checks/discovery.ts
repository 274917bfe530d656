import type { JsonValue } from '../../../domain/json.ts';
import {
  type Answer,
  assertAt,
  assertListed,
  assertStatus,
  CheckSkipped,
  fail,
  findAt,
  LIST,
  listAt,
} from '../answer.ts';
import { GROUP, type Stage, USER } from '../stage.ts';
import type { Check } from './check.ts';

/** Most resources of a page that the IPSIE profile wants. */
const PAGE_MAX = 1_000;

/** Checks of what the bridge says about itself. */
export const discovery = {
  config: {
    id: 'service-provider-config',
    title: '/ServiceProviderConfig names PATCH and filters',
    async run({ send }) {
      const answer = await send('GET', '/ServiceProviderConfig');
      assertStatus(answer, 200);
      for (const path of ['patch/supported', 'filter/supported']) assertAt(answer, path, true);
    },
  },
  resourceTypes: {
    id: 'resource-types',
    title: '/ResourceTypes has users and groups',
    async run({ send }) {
      const answer = await send('GET', '/ResourceTypes');
      assertStatus(answer, 200);
      assertListed(answer, 'Resources', ['User', 'Group'], listNames(answer, 'Resources', 'name'));
    },
  },
  schemas: {
    id: 'schemas',
    title: '/Schemas is a list with the schemas of users and groups',
    async run({ send }) {
      const answer = await send('GET', '/Schemas');
      assertStatus(answer, 200);
      assertListed(answer, 'schemas', [LIST]);
      assertListed(answer, 'Resources', [USER, GROUP], listNames(answer, 'Resources', 'id'));
    },
  },
  userSchema: {
    id: 'user-schema',
    title: 'The schema of users has userName, displayName and active',
    run: async (stage) => {
      const { answer, names } = await readSchema(stage, USER);
      assertListed(answer, 'attributes', ['userName', 'displayName', 'active'], names);
    },
  },
  groupSchema: {
    id: 'group-schema',
    title: 'The schema of groups has displayName and members',
    run: async (stage) => {
      const { answer, names } = await readSchema(stage, GROUP);
      assertListed(answer, 'attributes', ['displayName', 'members'], names);
    },
  },
  noPassword: {
    id: 'no-password',
    title: 'No password is supported',
    async run(stage) {
      const { answer, names } = await readSchema(stage, USER);
      if (names.includes('password')) fail(answer, 'attributes has password');
      answer.parts.push('attributes is without password');
    },
  },
  pageLimit: {
    id: 'page-limit',
    title: `A page has at most ${PAGE_MAX} resources`,
    async run({ send }) {
      const answer = await send('GET', '/ServiceProviderConfig');
      const most = findAt(answer.body, 'filter/maxResults');
      if (typeof most !== 'number' || most > PAGE_MAX) {
        fail(answer, `filter/maxResults is no number up to ${PAGE_MAX}`);
      }
      answer.parts.push(`filter/maxResults is ${most}`);
    },
  },
  interopProfile: {
    id: 'interop-profile',
    title: 'Conformance with the SCIM 2.0 Interoperability Profile',
    async run({ send }) {
      const answer = await send('GET', '/ServiceProviderConfig');
      if (findAt(answer.body, 'interopProfileConformant') !== true) {
        const why =
          'the bridge does not claim it: that draft has PATCH without a path refused, which providers send, and accounts deleted, which the service can only deactivate';
        throw new CheckSkipped(why);
      }
      assertAt(answer, 'interopProfileConformant', true);
    },
  },
} as const satisfies Record<string, Check>;

async function readSchema(
  { send }: Stage,
  urn: string,
): Promise<{ answer: Answer; names: readonly JsonValue[] }> {
  const answer = await send('GET', `/Schemas/${urn}`);
  assertStatus(answer, 200);
  return { answer, names: listNames(answer, 'attributes', 'name') };
}

function listNames(answer: Answer, path: string, key: string): readonly JsonValue[] {
  return listAt(answer, path).map((entry) => findAt(entry, key) ?? null);
}
