import { describe, expect, test } from 'vitest';
import type { OpsJson } from '../../src/ops/schemas/schemas.ts';
import { behindTheBack, startAudit } from '../support/audit-world.ts';
import type { TestBridge } from '../support/bridge.ts';
import { runner } from '../support/command.ts';
import { forSuite } from '../support/lifetimes.ts';
import { replace, toPatch } from '../support/provider.ts';
import { readTimeline, toLines, untilTold } from '../support/timeline.ts';

/** What happened before is over, by clocks that differ too. */
const LONG_MS = 10 * 60_000;

/** Waits for the log of requests, which is behind the answers. */
async function untilRequests(bridge: TestBridge, id: string, count: number): Promise<void> {
  const read = async () => {
    const { body } = await bridge.ops('GET', `/requests?resource=${id}`);
    return Array.isArray(body.items) ? body.items.length : 0;
  };
  await expect.poll(read, { interval: 20 }).toBe(count);
}

const world = forSuite(() => startAudit({}));

describe('the line of time', () => {
  test('of a person tells who asked, who did it, who changed it, what was seen, in this order', async () => {
    const id = await world.addUser('ada');
    await world.addGroup('Pilots', [id]);
    await world.poll(LONG_MS);
    await world.sweep();
    behindTheBack(world).updateUser('ada@example.com', { active: false });
    await world.poll(LONG_MS);
    await world.sweep();
    await world.patch(`/Users/${id}`, replace('active', true));
    await world.poll(LONG_MS);
    await world.sweep();
    await untilRequests(world, id, 2);
    const timeline = await readTimeline(world, '/users/ADA@example.com/timeline');
    const times = timeline.items.map(({ at }) => at);
    const lines = toLines(timeline);

    expect(timeline).toMatchObject({ type: 'user', id, managed: 'created', more: false });
    expect(times).toEqual(times.toSorted());
    // What has one moment by two clocks may change places.
    const story = [
      'provider: POST /Users: set userName (1), set name.givenName (1)',
      'bridge: member.add, by ',
      'audit: deactivate "User deactivated", by admin from 198.51.100.7',
      'drift: user.deactivated found: wanted {"active":true}, there is {"active":false}',
      'provider: PATCH /Users/{id}: replace active (1), answered 200',
      'drift: user.deactivated gone by itself, or by a write of the provider',
    ];
    const places = story.map((text) => lines.findIndex((line) => line.startsWith(text)));
    expect(places).not.toContain(-1);
    expect(places).toEqual(places.toSorted((a, b) => a - b));
    expect(lines).toEqual(
      expect.arrayContaining([
        'bridge: user.create, by scim.addUser: done',
        'audit: invite "User invited", by the account of the bridge',
        'audit: add_user "Group member added", by the account of the bridge [Pilots]',
        'bridge: user.activate, by scim.updateUser: done',
        'audit: activate "User activated", by the account of the bridge',
      ]),
    );
    expect(lines.filter((line) => line.startsWith('seen: last seen in the service'))).toHaveLength(
      1,
    );
  });
});

test('`why` tells it in lines, or as JSON', async () => {
  const id = await world.addUser('wanda');
  await untilRequests(world, id, 1);
  const run = runner(world);
  const why = (args: string) => run('why', ...args.split(' '));
  const text = await why('wanda@example.com');
  const json = await why(`${id} --json --limit 1`);
  const nobody = await why('nobody');

  expect(text.code).toBe(0);
  expect(text.text).toMatch(/^user wanda@example\.com\nid [^\n]*, managed, created\n\n/);
  expect(text.text).toMatch(/\n2\d{3}-\S+Z {2}provider {3}POST \/Users: set userName \(1\)/);
  expect(text.text).toMatch(/\n2\d{3}-\S+Z {2}bridge {5}user\.create, by scim\.addUser: done\n/);
  expect(JSON.parse(json.text)).toMatchObject({ id, more: true });
  expect(nobody).toMatchObject({ code: 1, text: expect.stringContaining('Nothing has this id') });
});

describe('the line of time, whole', () => {
  test('tells the outcome of each call, and a create that failed is not one that worked', async () => {
    const { faults } = world.sandbox;
    const fault = { kind: 'reset', at: 'before-effect' } as const;
    faults.add({ operation: 'scim.addUser', fault, times: 1 });
    const id = await world.addUser('olga');
    await world.poll(LONG_MS);
    const lines = toLines(await readTimeline(world, `/users/${id}/timeline`));

    const created = lines.filter((line) => line.startsWith('bridge: user.create'));
    expect(created).toEqual([
      expect.stringMatching(
        /^bridge: user\.create, by scim\.addUser: failed \(.*\), it may have been done$/,
      ),
      'bridge: user.create, by scim.addUser: done',
    ]);
  });

  test('tells what operators decided about it, about its differences, and about everything', async () => {
    const [ada, bob] = [await world.addUser('dora'), await world.addUser('dirk')];
    await world.poll(LONG_MS);
    behindTheBack(world).updateUser('dora@example.com', { fullName: 'Somebody Else' });
    const { body } = await world.ops('POST', `/users/${ada}/look`, {});
    const [drift] = Array.isArray(body.differences) ? body.differences : [];
    await world.ops('POST', `/drifts/${Object(drift).id}/accept`);
    await world.ops('POST', '/retry', { name: 'dora@example.com' });
    await world.ops('POST', '/pause');
    await world.ops('POST', '/resume');
    await world.ops('POST', '/drifts/none/accept');
    await untilTold(world, bob, 'operator: ops.token ended the pause of all changes');
    const ofAda = await readTimeline(world, `/users/${ada}/timeline`);
    const ofBob = await readTimeline(world, `/users/${bob}/timeline`);

    const listDecisions = (timeline: OpsJson<'Timeline'>) =>
      toLines(timeline).filter((line) => line.startsWith('operator: '));
    const pauses = [
      'operator: ops.token paused all changes',
      'operator: ops.token ended the pause of all changes',
    ];
    expect(listDecisions(ofAda)).toEqual([
      'operator: ops.token looked at it',
      'operator: ops.token accepted a difference',
      'operator: ops.token had tried at once what waits',
      ...pauses,
    ]);
    expect(listDecisions(ofBob)).toEqual(pauses);
    const { body: acts } = await world.ops('GET', `/acts?target=${ada}`);
    expect(acts.items).toMatchObject([
      { act: 'had tried at once what waits', target: ada },
      { act: 'accepted a difference', target: Object(drift).id },
      { act: 'looked at it', target: ada },
    ]);
    const { body: ofOthers } = await world.ops('GET', `/acts?target=${bob}`);
    expect(ofOthers.items).toEqual([]);
  });

  test('tells when the service did not work, and when it did again', async () => {
    const id = await world.addUser('otto');
    const { faults } = world.sandbox;
    const fault = { kind: 'status', status: 401 } as const;
    const refused = faults.add({ operation: 'scim.updateUser', fault, times: 1 });
    const other = toPatch(replace('name.familyName', 'King'));
    const renamed = world.send('PATCH', `/Users/${id}`, other);
    await refused.until(1);
    await untilTold(world, id, 'outage: the service refuses the token');
    world.clock.leap(LONG_MS);
    await renamed;
    const lines = await untilTold(world, id, 'outage: the service takes the token again');

    const outage = lines.filter((line) => line.startsWith('outage: '));
    expect(outage).toEqual([
      'outage: the service refuses the token',
      'outage: the service takes the token again',
    ]);
  });
});
