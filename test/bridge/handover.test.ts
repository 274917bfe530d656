import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../src/domain/values.ts';
import type { OpsJson } from '../../src/ops/schemas/schemas.ts';
import type { TestBridge } from '../support/bridge.ts';
import { bridgeForTest } from '../support/bridge.ts';
import { runner } from '../support/command.ts';
import { makeFolder } from '../support/lifetimes.ts';
import { replace, toMembers, toUser } from '../support/provider.ts';
import type { WalledProvider } from '../support/walled.ts';
import { makeProvider, toOwner } from '../support/walled.ts';

interface Company {
  readonly bridge: TestBridge;
  readonly okta: WalledProvider;
  readonly entra: WalledProvider;
  readonly switchOver: (...options: string[]) => Promise<OpsJson<'Handover'>>;
  readonly write: (text: string) => string;
}

async function approve(bridge: TestBridge, { planId, hash }: OpsJson<'Handover'>) {
  const body = { hash: String(hash) };
  expect((await bridge.ops('POST', `/plans/${planId}/approve`, body)).status).toBe(200);
  const read = async () => (await bridge.ops('GET', `/plans/${planId}`)).body;
  await expect.poll(async () => (await read()).status).toBe('applied');
  return read();
}

function toOutcomes({ items }: OpsJson<'Handover'>): Record<string, string> {
  return Object.fromEntries(
    items.map(({ name, outcome, by }) => [`${name}`, by === null ? outcome : `${outcome} ${by}`]),
  );
}

async function find(provider: WalledProvider, name: string): Promise<JsonObject> {
  const [found] = await provider.find('/Users', `userName eq "${name}@example.com"`);
  return found ?? {};
}

describe('a handover', () => {
  const open = async (): Promise<Company> => {
    const folder = makeFolder();
    const bridge = await bridgeForTest();
    return {
      bridge,
      okta: await makeProvider(bridge, 'okta'),
      entra: await makeProvider(bridge, 'entra'),
      async switchOver(...options) {
        const asked = ['provider', 'switch', 'okta', 'entra', '--json', ...options];
        const { code, text } = await runner(bridge)(...asked);
        expect([code, text]).toEqual([0, expect.any(String)]);
        return JSON.parse(text) as OpsJson<'Handover'>;
      },
      write(text) {
        const path = join(folder, 'entra.csv');
        writeFileSync(path, text);
        return path;
      },
    };
  };

  test('from Okta to Entra: nobody is there twice, ids and memberships stay, earlier ids too, the service hears nothing', async () => {
    const { bridge, okta, entra, switchOver } = await open();
    const ada = await okta.addUser('ada', { externalId: '00u-ada' });
    const bob = await okta.addUser('bob', { externalId: '00u-bob' });
    const pilots = await okta.addGroup('Pilots', [ada, bob]);
    await bridge.untilSettled();
    const service = () => [bridge.sandbox.calls.counts(), bridge.sandbox.service.members('Pilots')];
    const before = service();
    expect(toOwner(await entra.request('POST', '/Users', toUser('ada')))).toBe('okta');
    const earlier = { id: 'before-okta', externalId: '00u-ada' };
    await bridge.ops('POST', '/providers/okta/import-ids', earlier);

    const done = await approve(bridge, await switchOver());

    expect(done).toMatchObject({ source: 'handover', done: 3, dropped: 0, counts: { harm: {} } });
    expect(service()).toEqual(before);
    // Entra's first cycle: look up, match, write its id; then groups.
    expect(await find(entra, 'ada')).toMatchObject({ id: ada });
    expect(await find(entra, 'ada')).not.toHaveProperty('externalId');
    const id = { op: 'Add', path: 'externalId', value: '7a-ada' };
    await entra.patch(`/Users/${ada}`, id);
    await entra.addUser('carl', { externalId: '7a-carl' });
    const leaving = { op: 'Remove', path: 'members', value: toMembers([bob]) };
    await entra.patch(`/Groups/${pilots}`, leaving);
    await bridge.untilSettled();
    expect(await find(entra, 'ada')).toMatchObject({ id: ada, externalId: '7a-ada' });
    expect(await find(okta, 'ada')).not.toHaveProperty('externalId');
    expect(await okta.readMemberIds(pilots)).toEqual([ada]);
    expect(toOwner(await okta.request('DELETE', `/Users/${bob}`))).toBe('entra');
    expect(toOwner(await okta.request('DELETE', `/Groups/${pilots}`))).toBe('entra');
    expect((await entra.send('GET', '/Users/before-okta')).body).toMatchObject({ id: ada });
    await bridge.ops('POST', `/tokens/okta-token/revoke`);
    expect((await bridge.ops('POST', '/providers/okta/delete')).status).toBe(200);
    const accounts = bridge.sandbox.service.users().map(({ email }) => email);
    expect(accounts.toSorted()).toEqual([
      ...['ada@example.com', 'bob@example.com', 'carl@example.com', 'owner@example.com'],
    ]);
  });

  test('with a file those go who are found in it, by the earlier id, the name or the address', async () => {
    const { bridge, okta, entra, switchOver, write } = await open();
    for (const name of ['ada', 'bob', 'carl', 'dora', 'eve', 'fay'])
      await okta.addUser(name, { externalId: `00u-${name}` });
    await entra.addUser('gus');
    await bridge.untilSettled();
    const file = write(
      [
        'userPrincipalName,mail,objectId,formerExternalId,accountEnabled',
        'new@example.com,,7a-ada,00u-ada,True',
        'BOB@example.com,,7a-bob,,True',
        'x,carl@example.com,7a-carl,,True',
        'dora@example.com,eve@example.com,7a-dora,,True',
        'hugo@example.com,,7a-hugo,,True',
        'ida@example.com,,7a-ida,,False',
      ].join('\n'),
    );

    const told = await switchOver('--file', file, '--dry-run');
    const none = (await bridge.ops('GET', '/plans')).body;
    const planned = await switchOver('--file', file);
    await approve(bridge, planned);

    expect([told.planId, none.items]).toEqual([null, []]);
    expect(toOutcomes(told)).toEqual({
      'ada@example.com': 'handed-over externalId',
      'bob@example.com': 'handed-over userName',
      'carl@example.com': 'handed-over email',
      ...{ 'dora@example.com': 'handed-over userName', 'eve@example.com': 'ambiguous' },
      ...{ 'fay@example.com': 'only-here', 'hugo@example.com': 'only-file' },
    });
    const others = { ambiguous: 1, 'only-here': 1, 'only-file': 1 };
    expect(planned.counts).toEqual({ 'handed-over': 4, ...others });
    expect(await find(entra, 'ada')).toMatchObject({ externalId: '7a-ada' });
    expect(await find(entra, 'bob')).toMatchObject({ externalId: '7a-bob' });
    expect(await find(okta, 'fay')).toMatchObject({ externalId: '00u-fay' });
    expect(await find(okta, 'eve')).toMatchObject({ externalId: '00u-eve' });
  });

  test('is undone with the ids of before, but for whom the other provider has written since', async () => {
    const { bridge, okta, entra, switchOver } = await open();
    const ada = await okta.addUser('ada', { externalId: '00u-ada' });
    await okta.addUser('bob', { externalId: '00u-bob' });
    await okta.addGroup('Pilots', [ada]);
    await bridge.untilSettled();
    const { planId } = await switchOver().then(async (told) => {
      await approve(bridge, told);
      return told;
    });
    const id = { op: 'Add', path: 'externalId', value: '7a-ada' };
    await entra.patch(`/Users/${ada}`, id);
    await bridge.untilSettled();
    const calls = bridge.sandbox.calls.counts();

    const undoing = await bridge.ops('POST', `/plans/${planId}/undo`);
    const read = async () => (await bridge.ops('GET', `/plans/${undoing.body.id}`)).body;
    await expect.poll(async () => (await read()).status).toBe('applied');

    expect(undoing.body).toMatchObject({ leftOut: 1, counts: { total: 2 } });
    expect(await find(okta, 'bob')).toMatchObject({ externalId: '00u-bob' });
    expect(await find(entra, 'ada')).toMatchObject({ externalId: '7a-ada' });
    expect(bridge.sandbox.calls.counts()).toEqual(calls);
  });

  test('who has changed since the plan was made stays, and the other provider is not deleted while a plan hands over to it', async () => {
    const { bridge, okta, entra, switchOver } = await open();
    const ada = await okta.addUser('ada', { externalId: '00u-ada' });
    const bob = await okta.addUser('bob', { externalId: '00u-bob' });
    await bridge.untilSettled();
    const planned = await switchOver();
    await okta.send('DELETE', `/Users/${ada}`);
    await okta.patch(`/Users/${bob}`, replace('externalId', '00u-new'));
    await bridge.untilSettled();

    const changed = await approve(bridge, planned);
    const again = await switchOver();
    const [{ id: token }] = Object((await bridge.ops('GET', '/tokens')).body.items).filter(
      ({ provider: of }: JsonObject) => of === 'entra',
    );
    await bridge.ops('POST', `/tokens/${token}/revoke`);
    const deleted = await bridge.ops('POST', '/providers/entra/delete');

    expect([changed.done, changed.dropped]).toEqual([0, 2]);
    expect(deleted).toMatchObject({
      status: 409,
      text: expect.stringContaining(`${again.planId}`),
    });
    expect(await find(okta, 'bob')).toMatchObject({ externalId: '00u-new' });
    expect(entra.name).toBe('entra');
  });

  test('waits for an operator, one at a time, and is told by the commands', async () => {
    const { bridge, okta, switchOver } = await open();
    await okta.addUser('ada');
    await bridge.untilSettled();
    const { planId } = await switchOver();
    const run = runner(bridge);

    const second = await run('provider', 'switch', 'okta', 'entra');
    const unknown = await run('provider', 'switch', 'okta', 'nobody');
    const shown = await run('plan', 'show');
    const ready = await bridge.readReadiness();
    await run('plan', 'discard', String(planId), '--yes');
    const told = await run('provider', 'switch', 'okta', 'entra', '--dry-run');
    const acts = await bridge.ops('GET', '/acts?target=okta');

    expect([second.code, unknown.code]).toEqual([1, 1]);
    expect(second.text).toContain(`Plan ${planId} hands over already`);
    expect(shown.text).toContain('of handover: 1 action, held');
    expect(shown.text).toMatch(/^ +1 user\.hand-over$/m); // Nobody has changed anything in the service.
    expect(shown.text).toMatch(/user.hand-over +ada@example.com +goes to another provider/);
    const reasons: JsonObject[] = Object(ready.body.reasons);
    expect(reasons.find(({ code }) => code === 'plan-held')?.detail).toMatch(
      /^A plan of 1 change \(a switch of providers\) has waited for an operator since .+\.$/,
    );
    expect(told.text).toContain('okta to entra: 1 handed-over.');
    expect(told.text).toContain('ada@example.com');
    const kept: JsonObject[] = Object(acts.body.items).filter(({ act }: JsonObject) =>
      String(act).startsWith('provider switch'),
    );
    expect(kept.map(({ outcome, after }) => [outcome, after])).toContainEqual([
      'done',
      { to: 'entra', how: 'keep', planId, handedOver: 1 },
    ]);
    expect(kept.filter(({ outcome }) => outcome === 'done')).toHaveLength(1);
  });
});
