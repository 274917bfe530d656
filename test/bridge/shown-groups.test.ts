import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../src/domain/json.ts';
import type { Sandbox } from '../../src/sandbox/sandbox.ts';
import { startTestBridge, type TestBridge } from '../support/bridge.ts';
import { forTest } from '../support/lifetimes.ts';

const BOB = 'user00002@example.com';

/** Groups by person, each in alphabetical order. */
type Groups = Readonly<Record<'ann' | 'bob', readonly string[]>>;

/** What others do in the service with groups that nobody manages; ann is in Group 001, bob in Group 002. */
const changes: readonly {
  readonly why: string;
  readonly groups: Groups;
  act(service: Sandbox['service']): unknown;
}[] = [
  {
    why: 'somebody came',
    groups: { ann: ['Group 001'], bob: ['Group 001', 'Group 002'] },
    act: (service) => service.link('Group 001', BOB),
  },
  {
    why: 'a group got another name',
    groups: { ann: ['Group 001'], bob: ['Pilots'] },
    act: (service) => service.updateGroup('Group 002', { name: 'Pilots' }),
  },
];

async function readGroups(bridge: TestBridge): Promise<Groups> {
  const of = async (name: string) => {
    const { body } = await bridge.request('GET', `/Users?filter=userName eq "${name}"`);
    const groups: JsonObject[] = Object(body.Resources)[0].groups;
    return groups.map(({ display }) => String(display)).toSorted();
  };
  return { ann: await of('user00001'), bob: await of('user00002') };
}

describe('the groups that users show', () => {
  const openCompany = () =>
    forTest(startTestBridge({ sandbox: { seed: { users: 2, groups: 2, membersPerGroup: 1 } } }));

  test.each(changes)('are new after a sweep where $why', async ({ groups, act }) => {
    const bridge = await openCompany();
    act(bridge.sandbox.service);

    await bridge.sweep();

    expect(await readGroups(bridge)).toEqual(groups);
  });

  test('are new after a look at one group', async () => {
    const bridge = await openCompany();
    const path = '/Groups?filter=displayName eq "Group 001"';
    const [group] = Object((await bridge.request('GET', path)).body.Resources);
    bridge.sandbox.service.link('Group 001', BOB);

    await bridge.ops('POST', `/groups/${group?.id}/look`, {});

    expect((await readGroups(bridge)).bob).toEqual(['Group 001', 'Group 002']);
  });
});
