import { expect, test } from 'vitest';
import type { JsonObject } from '../../src/domain/values.ts';
import { behindTheBack, startAudit } from '../support/audit-world.ts';
import { runner } from '../support/command.ts';
import { forSuite } from '../support/lifetimes.ts';
import { admit, dismiss, toGroup, toPatch } from '../support/provider.ts';

const [MINUTE_MS, DAY_MS] = [60_000, 86_400_000];
const READER = 'token-of-a-reader';

const world = forSuite(() => startAudit({ settings: { OPS_READER_TOKEN: READER } }));

/** Who was in a group, in lines: user, role, how, by whom; `?` where it is not certain. */
async function report(group: string, at?: number): Promise<string[]> {
  const moment = at === undefined ? '' : `&at=${new Date(at).toISOString()}`;
  return (await world.listOps(`/reports/access?group=${group}${moment}`)).map(toLine);
}

function toLine({ user, role, how, by, asked, certain }: JsonObject): string {
  const { name, id } = Object(user);
  const request = asked === null ? '' : ` by ${Object(asked).requestId}`;
  const author = by === null ? '' : ` by ${by}`;
  return `${name ?? id} ${role}: ${how}${request}${author}${certain ? '' : '?'}`;
}

/** Lets time pass, and returns a moment between what was and what comes. */
async function pass(): Promise<number> {
  await world.poll(DAY_MS);
  await world.sweep();
  const at = world.clock.now();
  await world.poll(MINUTE_MS);
  return at;
}

const send = (method: string, path: string, body: JsonObject, id: string) =>
  world.settled(world.request(method, path, body, { 'x-request-id': id }));

test('the report tells who was in a group at a moment, and which request or which other person let them in', async () => {
  const [ada, bob] = await world.addPeople('ada', 'bob', 'cora');
  await pass();
  const { body } = await send('POST', '/Groups', toGroup('Pilots', [ada, bob]), 'founding');
  const founded = await pass();
  await send('PATCH', `/Groups/${body.id}`, toPatch(dismiss(bob)), 'farewell');
  behindTheBack(world).link('Pilots', 'cora@example.com');
  const changed = await pass();
  await send('PATCH', `/Groups/${body.id}`, toPatch(dismiss(ada), admit(bob)), 'return');
  const [drift] = await world.listOps('/drifts');
  await world.ops('POST', '/drifts/decide', { ids: [String(drift?.id)], decision: 'accept' });

  const first = ['ada', 'bob'].map((name) => `${name}@example.com member: request by founding`);
  const cora = 'cora@example.com member: accepted by admin';
  const bobAgain = 'bob@example.com member: request by return';
  expect(await report('pilots', founded)).toEqual(first);
  expect(await report('Pilots', changed)).toEqual([first[0], cora]);
  expect(await report(String(body.id))).toEqual([bobAgain, cora]);
});

test('a repair names its plan; of a deleted group the report tells who was in it until then', async () => {
  const [dora] = await world.addPeople('dora', 'dirk');
  const group = await world.addGroup('Crew', [dora]);
  await pass();
  behindTheBack(world).unlink('Crew', 'dora@example.com');
  const taken = await pass();
  const [drift] = await world.listOps('/drifts');
  const { body } = await world.ops('POST', '/drifts/decide', {
    ids: [String(drift?.id)],
    decision: 'repair',
  });
  await world.untilSettled();
  const again = await pass();
  await world.settled(world.send('DELETE', `/Groups/${group}`));

  expect(await report('Crew', taken)).toEqual([]);
  expect(await report('Crew', again)).toEqual([
    expect.stringMatching(`^dora@example.com member: plan by .* by ${Object(body.plan).id}$`),
  ]);
  expect(await report('Crew')).toEqual([]);
});

test('what is not recorded is not certain: before the first sweep, in a group that nobody managed, before its adoption', async () => {
  const began = world.clock.now();
  const people = await world.addPeople('ella', 'erik');
  world.sandbox.service.createGroup({ name: 'Board' });
  world.sandbox.service.link('Board', 'ella@example.com');
  await pass();
  behindTheBack(world).link('Board', 'erik@example.com');
  const observed = await pass();
  const before = await report('Board', observed);
  await send('POST', '/Groups', toGroup('Board', people), 'adoption');
  const adopted = await pass();

  const [ella, erik] = [
    'ella@example.com member: found',
    'erik@example.com member: others by admin',
  ];
  expect(await report('Board', began)).toEqual([`${ella}?`]);
  expect(before).toEqual([`${ella}?`, `${erik}?`]);
  expect(await report('Board', observed)).toEqual(before);
  expect(await report('Board', adopted)).toEqual([ella, erik]);
});

test('readers get it as JSON page by page, as a table and as CSV; a wrong moment and an unknown group are errors', async () => {
  await world.addGroup('Choir', await world.addPeople('fay', 'gus'));
  await pass();
  const env = { OPS_TOKEN: READER };
  const run = (...args: string[]) => runner(world, { env })('report', 'access', ...args);
  const [first] = await world.listOps('/reports/access?group=Choir&limit=1');
  const { body } = await world.ops('GET', '/reports/access?group=Choir&limit=1');
  const rest = await world.listOps(`/reports/access?group=Choir&cursor=${body.nextCursor}`);
  const table = await run('--group', 'Choir');
  const csv = await run('--group', 'Choir', '--csv');
  const json = await run('--group', 'Choir', '--json');
  const wrong = await Promise.all([
    run('--at', '2999-01-01'),
    run('--at', '2026-02-30'),
    run('--group', 'Nobody'),
  ]);

  expect([first, ...rest].map((item) => toLine(item ?? {}))).toEqual(await report('Choir'));
  expect(table.text).toMatch(
    /^GROUP +USER +ROLE +SINCE +HOW +BY .*CERTAIN\nChoir +fay@example.com +member +2/,
  );
  const heads = 'group,group id,user,user id,role,since,how,by,asked,request,certain,at';
  expect(csv.out).toMatch(`${heads}\r\nChoir,`);
  expect(JSON.parse(json.out)).toMatchObject({ items: [{ how: 'request' }, {}], nextCursor: null });
  expect(wrong.map(({ code }) => code)).toEqual([64, 64, 1]);
  expect(wrong.map(({ err }) => err)).toEqual([
    expect.stringContaining('--at is still to come'),
    expect.stringContaining('--at is a date'),
    expect.stringContaining('Nothing has this id or name'),
  ]);
});
