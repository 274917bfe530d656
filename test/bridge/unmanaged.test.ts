import { beforeAll, expect, test } from 'vitest';
import { commands } from '../../src/cli/commands.ts';
import { startTestBridge } from '../support/bridge.ts';
import { runner } from '../support/command.ts';
import { forSuite } from '../support/lifetimes.ts';
import { OPS_TOKEN } from '../support/operator.ts';

const STRANGERS = ['stranger1@elsewhere.example', 'stranger2@elsewhere.example'];
const _COMMANDS = commands;

const bridge = forSuite(() => startTestBridge({}));
beforeAll(async () => {
  const { service } = bridge.sandbox;
  await bridge.addUsers(2);
  for (const email of STRANGERS) service.addUser({ email, userName: email });
  service.createGroup({ name: 'Skunks', permissions: 1 });
  service.updateUser('person1@example.com', { active: false });
  await bridge.sweep();
  service.updateUser('person2@example.com', { active: false });
  await bridge.sweep();
});

async function list(path: string): Promise<{ id: string; name: string; privileged?: unknown }[]> {
  const { items } = Object((await bridge.ops('GET', path)).body);
  return items.map(({ id, resource, name, privileged }: Record<string, { name: string }>) => {
    return { id, name: resource?.name ?? name, privileged };
  });
}

async function listNames(path: string): Promise<string[]> {
  return (await list(path)).map(({ name }) => name);
}

/** Differences that wait for a decision, as the metrics count them. */
async function countInMetrics(): Promise<number> {
  const headers = { authorization: `Bearer ${OPS_TOKEN}` };
  const text = await (await fetch(new URL('/metrics', bridge.baseUrl), { headers })).text();
  const counts = text.matchAll(/^scim_bridge_drift\{[^}]*status="open"[^}]*\} (\d+)/gm);
  return [...counts].reduce((sum, [, count]) => sum + Number(count), 0);
}

test('what is unmanaged has a list of its own, and every count of drifts leaves it out', async () => {
  const drifted = ['person2@example.com', 'person1@example.com'];
  expect(await listNames('/drifts?status=undecided')).toEqual(drifted);
  expect(await listNames('/drifts?order=oldest')).toEqual(drifted.toReversed());
  expect(await listNames('/drifts?q=SON1')).toEqual(['person1@example.com']);
  expect(await listNames('/users?drifted=true')).toEqual(drifted.toReversed());
  expect(await countInMetrics()).toBe(2);
  const status = Object((await bridge.ops('GET', '/status')).body);
  expect(status.drifts).toMatchObject([{ kind: 'user.deactivated', count: 2 }]);
  expect((await bridge.ops('GET', '/drifts?kind=user.unmanaged')).status).toBe(400);

  expect(status.unmanaged).toBe(4);
  expect(await listNames('/unmanaged?q=elsewhere&order=oldest')).toEqual(STRANGERS);
  expect(await listNames('/unmanaged?kind=group.unmanaged')).toEqual(['Skunks']);
  const privileged = (await list('/unmanaged')).filter((one) => one.privileged !== null);
  expect(privileged.map(({ name }) => name).toSorted()).toEqual(['Skunks', 'owner']);
});

test('a dry run says of each one what the act does: accept takes nobody over, and a takeover leaves who is privileged', async () => {
  const unmanaged = await list('/unmanaged?status=undecided');
  const [stranger] = unmanaged.filter(({ name }) => name === STRANGERS[0]);
  const [drift] = await list('/drifts?status=undecided');
  const ids = [...unmanaged.filter(({ name }) => name !== STRANGERS[1]), drift].map(
    (one) => one?.id ?? '',
  );
  const decide = async (decision: string, dryRun: boolean) => {
    const body = { decision, ids: [...ids, 'nobody'], dryRun };
    return Object((await bridge.ops('POST', '/drifts/decide', body)).body);
  };
  for (const decision of ['adopt', 'accept']) {
    const { dryRun: _, ...told } = await decide(decision, true);
    expect(await list('/unmanaged?status=undecided')).toEqual(
      decision === 'adopt' ? unmanaged : unmanaged.filter(({ id }) => id !== stranger?.id),
    );
    expect(await decide(decision, false)).toEqual({ dryRun: false, ...told });
    expect(told.done, decision).toBe(1);
  }
  expect(await listNames('/users?managed=true&q=elsewhere')).toEqual([STRANGERS[0]]);
  expect((await bridge.ops('POST', `/drifts/${unmanaged[0]?.id}/accept`)).status).toBe(409);
});

test('`scim-bridge unmanaged` lists and takes over after a question that says so; `drifts accept` refuses', async () => {
  const person = runner(bridge, { answer: 'y' });
  const [left] = await list(`/unmanaged?status=undecided&q=${STRANGERS[1]}`);
  const [owner] = await list('/unmanaged?q=owner');
  const ids = [left?.id ?? '', owner?.id ?? ''];
  expect((await person('unmanaged')).text).toContain('The account is an owner of the company.');

  const refused = await person('drifts', 'accept', '--dry-run', ...ids);
  expect(refused.text).toContain('0 can be accepted, 2 not.');
  expect(refused.text).toContain('It is unmanaged: take it over instead.');
  const { text, asked, code } = await person('unmanaged', 'adopt', ...ids);
  expect(asked).toEqual([
    expect.stringMatching(/^Take them over\? Providers may change and deact/),
  ]);
  expect(text).toContain('1 can be taken over, 1 not.');
  expect({ text, code }).toMatchObject({
    text: expect.stringContaining('\n1 taken over'),
    code: 1,
  });
  expect((await person('unmanaged', '--search', 'elsewhere')).text).toContain(
    'Nothing is unmanaged',
  );
});
