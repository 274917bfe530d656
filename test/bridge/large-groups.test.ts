import { beforeAll, expect, test } from 'vitest';
import { startTestBridge } from '../support/bridge.ts';
import { forSuite } from '../support/lifetimes.ts';
import { listResources, toPatch } from '../support/provider.ts';

/** More than are read in one piece. */
const MEMBERS = 2_100;

const bridge = forSuite(() =>
  startTestBridge({
    sandbox: { seed: { users: MEMBERS } },
    prepare({ service }) {
      service.createGroup({ name: 'Everybody' });
      for (let n = 1; n <= MEMBERS; n += 1) service.link('Everybody', `${toName(n)}@example.com`);
    },
  }),
);
let group: string;

beforeAll(async () => {
  group = await bridge.findId({ type: 'Groups', name: 'Everybody' });
});

/** The userName of a person of the service. */
function toName(n: number): string {
  return `user${String(n).padStart(5, '0')}`;
}

function listMemberIds(body: { members?: unknown }): unknown[] {
  const members = Array.isArray(body.members) ? body.members : [];
  return members.map(({ value }: { value: unknown }) => value);
}

test('a group of any size is answered completely', async () => {
  for (const query of ['', '?attributes=members', '?attributes=members.value']) {
    const { body } = await bridge.send('GET', `/Groups/${group}${query}`);

    expect(new Set(listMemberIds(body)).size).toBe(MEMBERS);
    expect(body.id).toBe(group);
  }
});

test('each of its members is found by a filter, wherever it is in the list', async () => {
  for (const [display, found] of [
    [toName(1), [group]],
    [toName(MEMBERS), [group]],
    ['nobody', []],
  ] as const) {
    const query = new URLSearchParams({ filter: `members[display eq "${display}"]` });
    const answer = await bridge.send('GET', `/Groups?${query}&attributes=displayName`);
    expect(listResources(answer).map(({ id }) => id)).toEqual(found);
  }
});

test('a removal by filters takes those whom it finds, wherever they are in the list', async () => {
  const where = (filter: string) => ({ op: 'remove', path: `members[${filter}]` });
  const found = [toName(1), toName(MEMBERS)];
  const removal = toPatch(...['nobody', ...found].map((name) => where(`display eq "${name}"`)));

  await bridge.send('PATCH', `/Groups/${group}`, removal);

  const { body } = await bridge.send('GET', `/Groups/${group}?attributes=members.display`);
  const left = Array.isArray(body.members) ? body.members : [];
  expect(left).toHaveLength(MEMBERS - 2);
  for (const name of found) expect(left).not.toContainEqual({ display: name });
});
