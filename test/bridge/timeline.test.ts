import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { GROUP_EXTENSION } from '../../src/domain/extensions.ts';
import type { Rule } from '../../src/domain/rule-book.ts';
import { Field } from '../../src/ops/schemas/resources.ts';
import type { OpsJson } from '../../src/ops/schemas/schemas.ts';
import { behindTheBack, startAudit } from '../support/audit-world.ts';
import type { TestBridge } from '../support/bridge.ts';
import { bridgeForSuite } from '../support/bridge.ts';
import { runner } from '../support/command.ts';
import { failing } from '../support/faults.ts';
import { forSuite } from '../support/lifetimes.ts';
import { toObjects } from '../support/operator.ts';
import { replace, toMembers } from '../support/provider.ts';
import { readTimeline, toLines, untilTold } from '../support/timeline.ts';

const LONG_MS = 10 * 60_000;

async function untilRequests(bridge: TestBridge, id: string, count: number): Promise<void> {
  const read = async () => (await bridge.listOps(`/requests?resource=${id}`)).length;
  await expect.poll(read).toBe(count);
}

const world = forSuite(() => startAudit());

test('the line of time of a person tells who asked, who did it, who changed it, what was seen, in this order', async () => {
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
    'audit: deactivate "deactivate", by admin from 198.51.100.7',
    'drift: user.deactivated found: wanted {"active":true}, there is {"active":false}',
    'provider: PATCH /Users/{id}: replace active (1), answered 200',
    'drift: user.deactivated gone by itself, or by a write of the provider',
  ];
  const places = story.map((text) => lines.findIndex((line) => line.startsWith(text)));
  expect(places).not.toContain(-1);
  expect(places).toEqual(places.toSorted((a, b) => a - b));
  const done = [
    'bridge: user.create, by scim.addUser: done',
    'audit: invite "invite", by the account of the bridge',
    'audit: add_user "add_user", by the account of the bridge [Pilots]',
    'bridge: user.activate, by scim.updateUser: done',
    'audit: activate "activate", by the account of the bridge',
  ];
  expect(lines).toEqual(expect.arrayContaining(done));
  expect(lines.filter((line) => line.startsWith('seen: last seen in the service'))).toHaveLength(1);
});

test('`why` tells it in lines, or as JSON', async () => {
  const id = await world.addUser('wanda');
  await untilRequests(world, id, 1);
  const why = (args: string) => runner(world)('why', ...args.split(' '));
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
    const failed = /^bridge: user\.create, by scim\.addUser: failed \(.*\), it may have been done$/;
    const worked = 'bridge: user.create, by scim.addUser: done';
    expect(created).toEqual([expect.stringMatching(failed), worked]);
  });

  test('tells what operators decided about it, about its differences, and about everything', async () => {
    const [ada, bob] = await world.addPeople('dora', 'dirk');
    await world.poll(LONG_MS);
    behindTheBack(world).updateUser('dora@example.com', { fullName: 'Somebody Else' });
    const { body } = await world.ops('POST', `/users/${ada}/look`, {});
    const [drift] = toObjects(body.differences);
    const ids = [String(drift?.id), 'none'];
    await world.ops('POST', '/drifts/decide', { ids, decision: 'accept' });
    await world.ops('POST', '/retry', { name: 'dora@example.com' });
    await world.ops('POST', '/pause');
    await world.ops('POST', '/resume');
    await untilTold(world, bob, 'operator: ops.token: resume');
    const ofAda = await readTimeline(world, `/users/${ada}/timeline`);
    const ofBob = await readTimeline(world, `/users/${bob}/timeline`);

    const listDecisions = (timeline: OpsJson<'Timeline'>) =>
      toLines(timeline).filter((line) => line.startsWith('operator: '));
    const pauses = ['operator: ops.token: pause', 'operator: ops.token: resume'];
    expect(listDecisions(ofAda)).toEqual([
      'operator: ops.token: look',
      'operator: ops.token: drifts accept',
      'operator: ops.token: retry',
      ...pauses,
    ]);
    expect(listDecisions(ofBob)).toEqual(pauses);
    expect(await world.listOps('/acts?target=DORA@example.com')).toMatchObject([
      { act: 'retry', target: ada },
      { act: 'drifts accept', target: Object(drift).id },
      { act: 'look', target: ada },
    ]);
    expect(await world.listOps(`/acts?target=${bob}`)).toEqual([]);
  });

  test('tells when the service did not work, and when it did again', async () => {
    const id = await world.addUser('otto');
    const { faults } = world.sandbox;
    const refused = faults.add({ operation: 'scim.updateUser', fault: failing(401), times: 1 });
    const renamed = world.patch(`/Users/${id}`, replace('name.familyName', 'King'));
    await refused.until(1);
    await untilTold(world, id, 'outage: the service refuses the token');
    world.clock.leap(LONG_MS);
    await renamed;
    const lines = await untilTold(world, id, 'outage: the service takes the token again');

    const outage = lines.filter((line) => line.startsWith('outage: '));
    const [begun, over] = ['refuses the token', 'takes the token again'];
    expect(outage).toEqual([`outage: the service ${begun}`, `outage: the service ${over}`]);
  });
});

const rules: Rule[] = [
  { group: 'Board', permissions: 16 },
  { adminsOf: '*', from: '* Admins' },
  { membersOf: 'Guests', appsPermissions: 2 },
  { membersOf: 'Refused', appsPermissions: 2 },
];

async function explain(bridge: TestBridge, path: string): Promise<OpsJson<'Explanation'>> {
  const { status, text } = await bridge.ops('GET', `/${path}/explain`);
  expect(status).toBe(200);
  return JSON.parse(text) as OpsJson<'Explanation'>;
}

function toRows({ fields }: OpsJson<'Explanation'>): Record<string, unknown[]> {
  const rows = fields.map(({ field, desired, observed, standing, from }) => {
    return [field, [desired, observed, standing, from]];
  });
  return Object.fromEntries(rows);
}

test('docs/drift.md says once what each state of a field means', () => {
  const [, section = ''] = readFileSync('docs/drift.md', 'utf8').split(/^## (?=Explain|Why)/m);
  const listed = [...section.matchAll(/^\| `([a-z ]+)` \|/gm)].map(([, state]) => state);

  expect(listed).toEqual(Field.shape.standing.options);
});

describe('explain', () => {
  const settings = { RULES: JSON.stringify(rules), GROUPS_PERMISSIONS_MAX: '3' };
  const bridge = bridgeForSuite({ settings, sandbox: { seed: { users: 1, groups: 1 } } });

  test('each field of a person, its value and where it comes from', async () => {
    const id = await bridge.addUser('ada', { externalId: 'x-1' });
    await bridge.settled(bridge.addGroup('Guests', [id]));
    const userName = 'countess@example.com';
    await bridge.settled(bridge.patch(`/Users/${id}`, replace('userName', userName)));

    const explanation = await explain(bridge, `users/${userName}`);

    expect(explanation).toMatchObject({ type: 'user', id, managed: 'created', dueAt: null });
    expect(toRows(explanation)).toEqual({
      account: [true, true, 'settled', 'provider'],
      userName: [userName, 'ada@example.com', 'bridge only', 'provider'],
      address: ['ada@example.com', 'ada@example.com', 'settled', 'provider'],
      name: ['Ada Example', 'Ada Example', 'settled', 'provider'],
      active: [true, true, 'settled', 'provider'],
      appsPermissions: [2, 2, 'settled', 'rule 3: {"membersOf":"Guests","appsPermissions":2}'],
      temporarilyInactive: [null, false, 'not ours', null],
      externalId: ['x-1', null, 'bridge only', 'provider'],
    });
    expect(explanation.groups).toMatchObject([
      { name: 'Guests', desired: true, observed: true, from: 'provider', standing: 'settled' },
    ]);
    expect(explanation.seen?.by).toMatch(/^(scim|companyUsers)\./);
  });

  test('each field of a group, how many are in it and by whom its admins are wanted', async () => {
    const ids = await bridge.addPeople('gina', 'gus');
    const board = await bridge.addGroup('Board', ids);
    await bridge.settled(bridge.addGroup('Board Admins', ids.slice(0, 1)));

    const explanation = await explain(bridge, 'groups/board');

    expect(toRows(explanation)).toMatchObject({
      displayName: ['Board', 'Board', 'settled', 'provider'],
      permissions: [16, 16, 'settled', 'rule 1: {"group":"Board","permissions":16}'],
      addToCardsAndSpacesEnabled: [null, expect.anything(), 'not ours', null],
    });
    const counts = { desired: 2, observed: 2, pending: 0, stuck: 0, differing: 0 };
    expect(explanation.members).toEqual(counts);
    expect(explanation.admins).toContainEqual({
      ...{ id: ids[0], name: 'gina@example.com', desired: true, observed: true },
      from: 'rule 2: {"adminsOf":"*","from":"* Admins"}',
      standing: 'settled',
    });

    const value = { [GROUP_EXTENSION]: { permissions: 1, admins: toMembers(ids.slice(1)) } };
    await bridge.settled(bridge.patch(`/Groups/${board}`, { op: 'replace', value }));
    const asked = await explain(bridge, `groups/${board}`);

    const permissions = asked.fields.find(({ field }) => field === 'permissions');
    const note = 'It goes before rule 1: {"group":"Board","permissions":16}.';
    expect(permissions).toMatchObject({ desired: 1, from: 'provider', note });
    const admin = { id: ids[1], from: 'provider', standing: 'settled' };
    expect(asked.admins).toContainEqual(expect.objectContaining(admin));
  });

  test('what waits, what the service refuses and what somebody else changed', async () => {
    const { faults } = bridge.sandbox;
    const id = await bridge.addUser('rita');
    const fault = faults.add({ operation: 'companyUsers.updateUser', fault: failing(422) });
    await bridge.addGroup('Refused', [id]);
    const read = async () => toRows(await explain(bridge, `users/${id}`)).appsPermissions?.[2];
    await expect.poll(read).toBe('stuck');

    const { problem, dueAt } = await explain(bridge, `users/${id}`);

    fault.remove();
    expect(problem?.code).toBe('refused');
    expect(dueAt).not.toBeNull();
  });

  test('`explain` tells it as a table or as JSON, and says why it cannot', async () => {
    const id = await bridge.addUser('tom', { displayName: 'Twice' });
    await bridge.addGroup('Twice');
    await bridge.addGroup('Board of directors', [id]);
    const run = runner(bridge);

    const person = await run('explain', 'user', 'TOM@example.com');
    const group = await run('explain', 'board of directors');
    const json = await run('explain', 'user', id, '--json');
    const none = await run('explain', 'group', 'Nobody/here');
    const several = await run('explain', 'twice');
    const typed = await run('explain', 'group', 'twice');
    const wrong = [[], ['people', 'tom'], ['user', 'tom', 'sawyer']].map((args) =>
      run('explain', ...args),
    );

    expect(person).toMatchObject({ code: 0, err: '' });
    expect(person.out).toMatch(/^user tom@example\.com\n/);
    expect(person.out).toMatch(/^active +true +true +settled +provider$/m);
    expect(group.out).toMatch(/^ +members +1 wanted, 1 seen, 0 waiting, 0 different$/m);
    expect(JSON.parse(json.out)).toMatchObject({ type: 'user', id });
    const nothing = /^Nothing has this id or name\. .*answered 404\)/;
    expect(none).toMatchObject({ code: 1, out: '', err: expect.stringMatching(nothing) });
    const both = /^Several have this name.*user .*, group .*answered 409\)/;
    expect(several).toMatchObject({ code: 1, out: '', err: expect.stringMatching(both) });
    expect(typed).toMatchObject({ code: 0, out: expect.stringMatching(/^group Twice\n/) });
    for (const { code, out } of await Promise.all(wrong)) expect([code, out]).toEqual([64, '']);
  });

  test('who was deleted is still found by name, after whom there is now', async () => {
    const user = await bridge.addUser('del', { displayName: 'Pilots' });
    const group = await bridge.addGroup('Crew');
    await bridge.send('DELETE', `/Users/${user}`);
    await bridge.send('DELETE', `/Groups/${group}`);
    await bridge.untilSettled('may stay');
    const deleted = [
      await bridge.ops('GET', '/explain/DEL@example.com'),
      await bridge.ops('GET', '/groups/crew/explain'),
      await bridge.ops('GET', '/timeline/del@example.com'),
    ];
    const live = await bridge.addGroup('Pilots');
    const one = await bridge.ops('GET', '/explain/pilots');
    const again = await bridge.addUser('del');
    const newer = await bridge.ops('GET', '/explain/del@example.com');
    await bridge.send('DELETE', `/Users/${again}`);
    await bridge.untilSettled('may stay');
    const revived = await bridge.ops('GET', '/explain/del@example.com');

    expect(deleted.map(({ status, body }) => [status, body.id, body.deleted])).toEqual([
      [200, user, true],
      [200, group, true],
      [200, user, true],
    ]);
    expect([one.body.id, newer.body.id]).toEqual([live, again]);
    expect(revived.body).toMatchObject({ id: again, deleted: true });
  });
});
