import { afterAll, beforeAll, expect, test } from 'vitest';
import type { JsonObject } from '../../src/domain/json.ts';
import { startTestBridge, type TestBridge } from '../support/bridge.ts';
import { addGroup, addUser, readMemberIds, send, toMembers, toPatch } from '../support/provider.ts';

const EXTENSION = 'urn:ietf:params:scim:schemas:extension:workmanagement:2.0:Group';

let bridge: TestBridge;
const ids = new Map<string, string>();

beforeAll(async () => {
  bridge = await startTestBridge();
  for (const name of ['ada', 'gabi', 'gast', 'zoe']) ids.set(name, await addUser(bridge, name));
});

afterAll(() => bridge.stop());

const id = (name: string): string => ids.get(name) ?? '';
const some = (...names: string[]) => toMembers(names.map(id));
const where = (filter: string): JsonObject => ({ op: 'remove', path: `members[${filter}]` });

/** Why; who is in the group before; the operations; who is in it afterwards. */
const cases: readonly (readonly [string, string[], () => JsonObject[], string[]])[] = [
  [
    'whom a replacement has put in is found',
    ['zoe'],
    () => [
      { op: 'replace', path: 'members', value: some('ada', 'gabi') },
      where('display sw "ga"'),
    ],
    ['ada'],
  ],
  [
    'whom an addition has put in is found',
    ['zoe'],
    () => [{ op: 'add', path: 'members', value: some('ada', 'gast') }, where('display sw "ga"')],
    ['ada', 'zoe'],
  ],
  [
    'whoever left before is not there to be kept',
    ['ada', 'gabi'],
    () => [
      { op: 'remove', path: 'members', value: some('gabi') },
      where('not (display sw "ga")'),
      { op: 'add', path: 'members', value: some('gabi') },
    ],
    ['gabi'],
  ],
  [
    'whoever comes afterwards stays',
    ['ada', 'gabi'],
    () => [where('display sw "ga"'), { op: 'add', path: 'members', value: some('gabi', 'gast') }],
    ['ada', 'gabi', 'gast'],
  ],
  [
    'whom a filter took out and an addition put in again, another filter finds',
    ['ada', 'gabi', 'gast'],
    () => [
      where('display sw "ga"'),
      { op: 'add', path: 'members', value: some('gast') },
      where('display co "s"'),
    ],
    ['ada'],
  ],
  [
    'a replacement by nobody leaves nobody to be found',
    ['ada', 'gabi'],
    () => [
      { op: 'replace', path: 'members', value: [] },
      where('display pr'),
      { op: 'add', path: 'members', value: some('zoe') },
    ],
    ['zoe'],
  ],
];

for (const [why, before, operations, after] of cases) {
  test(`operations on members follow each other: ${why}`, async () => {
    const group = await addGroup(bridge, why, before.map(id));

    await send(bridge, 'PATCH', `/Groups/${group}`, toPatch(...operations()));

    expect(new Set(await readMemberIds(bridge, group))).toEqual(new Set(after.map(id)));
  });
}

test('a member is removed by the address of the user, also one who came with the same request', async () => {
  const group = await addGroup(bridge, 'Addresses', [id('ada'), id('gabi'), id('zoe')]);
  const path = `/Groups/${group}`;
  const isAt = (name: string) => where(`$ref eq "${bridge.baseUrl}/Users/${id(name)}"`);

  await send(bridge, 'PATCH', path, toPatch(isAt('ada')));
  expect(new Set(await readMemberIds(bridge, group))).toEqual(new Set([id('gabi'), id('zoe')]));

  await send(bridge, 'PATCH', path, toPatch(where(`$ref ew "/${id('gabi')}"`)));
  expect(await readMemberIds(bridge, group)).toEqual([id('zoe')]);

  await send(
    bridge,
    'PATCH',
    path,
    toPatch({ op: 'replace', path: 'members', value: some('ada', 'gast') }, isAt('gast')),
  );
  expect(await readMemberIds(bridge, group)).toEqual([id('ada')]);

  // Addresses are compared with their case.
  await send(bridge, 'PATCH', path, toPatch(where(`$ref ew "/${id('ada').toUpperCase()}"`)));
  expect(await readMemberIds(bridge, group)).toEqual([id('ada')]);
});

test('operations on admins follow each other too', async () => {
  const group = await addGroup(bridge, 'Admins', []);
  const path = `${EXTENSION}:admins`;

  await send(
    bridge,
    'PATCH',
    `/Groups/${group}`,
    toPatch(
      { op: 'add', path, value: some('ada', 'gabi') },
      { op: 'remove', path: `${path}[display sw "ga"]` },
    ),
  );

  const { body } = await send(bridge, 'GET', `/Groups/${group}`);
  expect(body[EXTENSION]).toMatchObject({ admins: [{ value: id('ada') }] });
});
