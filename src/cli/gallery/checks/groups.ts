import type { JsonObject, JsonValue } from '../../../domain/json.ts';
import {
  type Answer,
  assertAt,
  assertEmpty,
  assertError,
  assertFilled,
  assertList,
  assertListed,
  assertStatus,
  fail,
  findAt,
  listAt,
} from '../answer.ts';
import { GROUP, type Stage, toPatch } from '../stage.ts';
import { toSearch } from '../talk.ts';
import type { Check } from './check.ts';

/** Longest answer to a list of groups that the suite of Okta takes, in milliseconds. */
const LIST_MAX_MS = 600;
/** A machine may be busy: the fastest of so many counts. */
const TRIES = 3;
/** Operations on members that the IPSIE profile wants in one PATCH. */
const OPERATIONS = 50;

/** Checks of groups. */
export const groups = {
  list: {
    id: 'list-groups',
    title: 'All groups are listed',
    async run(stage) {
      await stage.groupIdOf('crew');
      assertList(await stage.send('GET', '/Groups'));
    },
  },
  listQuickly: {
    id: 'list-groups-in-time',
    title: `All groups are listed within ${LIST_MAX_MS} ms`,
    async run(stage) {
      await stage.groupIdOf('crew');
      let answer = await stage.send('GET', '/Groups');
      for (let tries = 1; tries < TRIES && answer.durationMs > LIST_MAX_MS; tries += 1) {
        answer = await stage.send('GET', '/Groups');
      }
      assertList(answer);
      const { durationMs } = answer;
      if (durationMs > LIST_MAX_MS) fail(answer, `took ${durationMs} ms`);
      answer.parts.push(`took ${durationMs} ms`);
    },
  },
  create: {
    id: 'create-group',
    title: 'A new group without members is 201',
    async run(stage) {
      const answer = await stage.madeGroup('crew');
      assertStatus(answer, 201);
      assertFilled(answer, 'id');
      assertListed(answer, 'schemas', [GROUP]);
      assertAt(answer, 'displayName', stage.groupNameOf('crew'));
    },
  },
  read: {
    id: 'read-group',
    title: 'A group is read by its id',
    async run(stage) {
      const id = await stage.groupIdOf('crew');
      const answer = await stage.send('GET', `/Groups/${id}`);
      assertStatus(answer, 200);
      assertAt(answer, 'id', id);
      assertFilled(answer, 'displayName');
    },
  },
  find: {
    id: 'find-group',
    title: 'A group is found by displayName',
    async run(stage) {
      await assertFoundByName(stage);
    },
  },
  findWithoutMembers: {
    id: 'find-group-without-members',
    title: 'A group is found by displayName, and comes without its members where they are excluded',
    async run(stage) {
      await gather(stage, ['bob']);
      const answer = await assertFoundByName(stage, '&excludedAttributes=members');
      assertEmpty(answer, 'Resources/0/members');
    },
  },
  findByExternalId: {
    id: 'find-group-external-id',
    title: 'A group is found by externalId',
    async run(stage) {
      const id = await stage.groupIdOf('crew');
      await assertFound(stage, `externalId eq "${stage.mark}-crew"`, id);
    },
  },
  findByMember: {
    id: 'find-group-by-member',
    title: 'A group is found by a member',
    async run(stage) {
      const { id, bob } = await gather(stage, ['bob']);
      await assertFound(stage, `members[value eq "${bob}"]`, id);
    },
  },
  duplicate: {
    id: 'duplicate-group',
    title: 'A displayName that is taken is 409',
    async run(stage) {
      await stage.groupIdOf('crew');
      const body = { schemas: [GROUP], displayName: stage.groupNameOf('crew') };
      assertError(await stage.send('POST', '/Groups', { body }), 409);
    },
  },
  rename: {
    id: 'rename-group',
    title: 'A PATCH without a path, which has the id, renames a group',
    run: (stage) =>
      renameThereAndBack(stage, (id, displayName) => ({ value: { id, displayName } })),
  },
  patch: {
    id: 'patch-group',
    title: 'A PATCH of displayName renames a group',
    run: (stage) => renameThereAndBack(stage, (_, value) => ({ path: 'displayName', value })),
  },
  addMember: {
    id: 'add-member',
    title: 'A member is added',
    run: async (stage) => {
      const { group, bob } = await gather(stage, ['bob']);
      assertMembers(group, { has: [bob] });
    },
  },
  removeMember: {
    id: 'remove-member',
    title: 'Remove with a list of values removes those members alone',
    async run(stage) {
      const { ada, bob } = await gather(stage, ['ada', 'bob']);
      const group = await patchGroup(stage, [
        { op: 'Remove', path: 'members', value: [{ value: ada }] },
      ]);
      assertMembers(group, { has: [bob], lacks: [ada] });
    },
  },
  swapMembers: {
    id: 'swap-members',
    title: 'One PATCH removes a member and adds another one',
    async run(stage) {
      const { ada } = await gather(stage, ['ada']);
      const bob = await stage.idOf('bob');
      const group = await patchGroup(stage, [remove(ada), add(bob)]);
      assertMembers(group, { has: [bob], lacks: [ada] });
    },
  },
  replaceMembers: {
    id: 'replace-members',
    title: 'A PUT of a group replaces its members',
    async run(stage) {
      const { id, ada, bob } = await gather(stage, ['ada', 'bob']);
      const displayName = stage.groupNameOf('crew');
      const externalId = `${stage.mark}-crew`;
      const body = { schemas: [GROUP], displayName, externalId, members: [{ value: ada }] };
      assertStatus(await stage.send('PUT', `/Groups/${id}`, { body }), 200);
      assertMembers(await stage.send('GET', `/Groups/${id}`), { has: [ada], lacks: [bob] });
    },
  },
  manyMembers: {
    id: 'several-members',
    title: 'One PATCH adds several members',
    run: async (stage) => {
      const { group, ada, bob } = await gather(stage, ['ada', 'bob']);
      assertMembers(group, { has: [ada, bob] });
    },
  },
  manyOperations: {
    id: 'fifty-member-operations',
    title: `One PATCH takes ${OPERATIONS} operations on members`,
    async run(stage) {
      const [ada, bob] = [await stage.idOf('ada'), await stage.idOf('bob')];
      // Each is added, removed, and added again: few people are enough.
      const operations = Array.from({ length: OPERATIONS }, (_, place) => {
        const who = place % 2 === 0 ? ada : bob;
        return place % 4 < 2 ? add(who) : remove(who);
      });
      const group = await patchGroup(stage, operations);
      group.parts.push(`${OPERATIONS} operations`);
      assertMembers(group, { has: [ada, bob] });
    },
  },
  remove: {
    id: 'delete-group',
    title: 'DELETE of a group is 204, and it is there no more',
    async run(stage) {
      const path = `/Groups/${await stage.groupIdOf('gone')}`;
      assertStatus(await stage.send('DELETE', path), 204);
      assertError(await stage.send('GET', path), 404);
    },
  },
  bulk: {
    id: 'bulk',
    title: '/Bulk makes a group and changes a user in one request',
    async run(stage) {
      const ada = await stage.idOf('ada');
      const displayName = stage.groupNameOf('bulk');
      const data = { schemas: [GROUP], displayName, members: [{ value: ada }] };
      const change = toPatch({ op: 'replace', path: 'nickName', value: 'Countess' });
      const answer = await stage.send('POST', '/Bulk', {
        body: {
          schemas: ['urn:ietf:params:scim:api:messages:2.0:BulkRequest'],
          Operations: [
            { method: 'POST', path: '/Groups', bulkId: 'group', data },
            { method: 'PATCH', path: `/Users/${ada}`, data: change },
          ],
        },
      });
      assertStatus(answer, 200);
      assertAt(answer, 'Operations/0/status', '201');
      assertAt(answer, 'Operations/1/status', '200');
    },
  },
} as const satisfies Record<string, Check>;

function add(...ids: readonly string[]): JsonObject {
  return { op: 'add', path: 'members', value: ids.map((value) => ({ value })) };
}

function remove(id: string): JsonObject {
  return { op: 'remove', path: `members[value eq "${id}"]` };
}

/** Puts people into the group, and reads it. */
async function gather(stage: Stage, who: readonly ('ada' | 'bob')[]) {
  const [ada, bob] = [await stage.idOf('ada'), await stage.idOf('bob')];
  const ids = { ada, bob };
  const group = await patchGroup(stage, [add(...who.map((name) => ids[name]))]);
  return { id: await stage.groupIdOf('crew'), group, ...ids };
}

/** Changes the group, and reads it. */
async function patchGroup(stage: Stage, operations: readonly JsonObject[]): Promise<Answer> {
  const path = `/Groups/${await stage.groupIdOf('crew')}`;
  assertStatus(await stage.send('PATCH', path, { body: toPatch(...operations) }), 200, 204);
  const answer = await stage.send('GET', path);
  assertStatus(answer, 200);
  return answer;
}

/** Renames the group and gives it its name back. */
async function renameThereAndBack(
  stage: Stage,
  toOperation: (id: string, name: string) => JsonObject,
): Promise<void> {
  const id = await stage.groupIdOf('crew');
  const name = stage.groupNameOf('crew');
  for (const wanted of [`${name} renamed`, name]) {
    const answer = await patchGroup(stage, [{ op: 'replace', ...toOperation(id, wanted) }]);
    assertAt(answer, 'displayName', wanted);
  }
}

function assertMembers(
  answer: Answer,
  { has, lacks = [] }: { readonly has: readonly string[]; readonly lacks?: readonly string[] },
): void {
  const members: readonly JsonValue[] =
    findAt(answer.body, 'members') === undefined ? [] : listAt(answer, 'members');
  const ids = members.map((member) => findAt(member, 'value') ?? null);
  assertListed(answer, 'members', has, ids);
  for (const id of lacks) {
    if (ids.includes(id)) fail(answer, `members still has ${id}`);
    answer.parts.push(`members is without ${id}`);
  }
}

async function assertFoundByName(stage: Stage, rest = ''): Promise<Answer> {
  const id = await stage.groupIdOf('crew');
  return assertFound(stage, `displayName eq "${stage.groupNameOf('crew')}"`, id, rest);
}

/** Asserts that a filter finds the group. */
async function assertFound(stage: Stage, filter: string, id: string, rest = ''): Promise<Answer> {
  const answer = await stage.send('GET', toSearch('Groups', filter, rest));
  assertStatus(answer, 200);
  assertAt(answer, 'totalResults', 1);
  assertAt(answer, 'Resources/0/id', id);
  return answer;
}
