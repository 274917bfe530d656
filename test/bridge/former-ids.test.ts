import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../src/domain/values.ts';
import { bridgeForSuite } from '../support/bridge.ts';
import { importIds } from '../support/import-ids.ts';
import { makeLives } from '../support/lives.ts';
import { admit, replace, toGroup, toPatch, toUser } from '../support/provider.ts';

const toEnd = (text: string): unknown => expect.stringMatching(new RegExp(`/${text}$`));

describe('the ids of an earlier SCIM server', () => {
  const bridge = bridgeForSuite();

  test('are ids by which people and groups are read and written, alone, in bulk and as members', async () => {
    const ada = await bridge.addUser('ada', { externalId: 'x-ada' });
    const bob = await bridge.addUser('bob');
    const pilots = await bridge.settled(bridge.addGroup('Pilots', [ada]));
    const people = [
      toUser('other', { id: 'old-ada', externalId: 'x-ada' }),
      toUser('bob', { id: 'old-bob' }),
    ];

    const imported = await importIds(bridge, people);
    const again = await importIds(bridge, people);
    const list = [{ ...toGroup('PILOTS'), id: 'old-pilots' }];
    const groups = await importIds(bridge, list, '--type', 'group');

    expect([imported.code, imported.counts]).toEqual([0, { imported: 2 }]);
    expect([again.code, again.counts]).toEqual([0, { known: 2 }]);
    expect(groups.counts).toEqual({ imported: 1 });
    const read = await bridge.send('GET', '/Users/old-ada');
    expect(read.body).toMatchObject({ id: ada, userName: 'ada@example.com' });
    const add = admit('old-bob');
    await bridge.patch('/Groups/old-pilots', add);
    expect(await bridge.readMemberIds(pilots)).toEqual([ada, bob].toSorted());
    const remove = { op: 'remove', path: 'members[value eq "old-ada"]' };
    await bridge.patch('/Groups/old-pilots', remove);
    expect(await bridge.readMemberIds('old-pilots')).toEqual([bob]);
    await bridge.send('PUT', '/Groups/old-pilots', toGroup('Pilots', ['old-ada', bob]));
    expect(await bridge.readMemberIds(pilots)).toEqual([ada, bob].toSorted());
    expect(await bridge.readMemberIds(await bridge.addGroup('Crew', ['old-bob']))).toEqual([bob]);
    const disable = toPatch(replace('active', false));
    const bulk = await bridge.send('POST', '/Bulk', {
      schemas: ['urn:ietf:params:scim:api:messages:2.0:BulkRequest'],
      Operations: [{ method: 'PATCH', path: '/Users/old-bob', data: disable }],
    });
    expect(Object(bulk.body.Operations)[0]).toMatchObject({ status: '200' });
    await bridge.settled(bridge.send('DELETE', '/Users/old-ada'));
    expect((await bridge.request('GET', '/Users/old-ada')).status).toBe(404);
    expect((await bridge.send('GET', `/Users/${bob}`)).body).toMatchObject({ active: false });
    const isActive = (email: string) =>
      bridge.sandbox.service.users().find((user) => user.email === email)?.active;
    expect([isActive('ada@example.com'), isActive('bob@example.com')]).toEqual([false, false]);
  });

  test('are taken for accounts that nobody manages yet, whom the first write takes over', async () => {
    bridge.sandbox.service.addUser({
      ...{ email: 'met@example.com', userName: 'met@example.com', fullName: 'Met Example' },
    });
    await bridge.sweep();
    const id = await bridge.findId({ type: 'Users', name: 'met@example.com' });

    const { counts } = await importIds(bridge, [toUser('met', { id: 'old-met' })]);
    const written = await bridge.patch('/Users/old-met', replace('title', 'Pilot'));

    expect(counts).toEqual({ imported: 1 });
    expect(written.body).toMatchObject({ id, title: 'Pilot' });
  });

  test('are refused where somebody else has them, and where it is not sure whose they are', async () => {
    const [ada, bob] = await bridge.settled(bridge.addPeople('ann', 'ben', 'carl'));
    await importIds(bridge, [toUser('ann', { id: 'old-ann' })]);
    const list = [
      toUser('ann', { id: bob }),
      toUser('ben', { id: 'old-ann' }),
      toUser('carl', { id: 'twice' }),
      toUser('dora', { id: 'twice' }),
      toUser('eve', { id: 'old-eve' }),
    ];

    const told = await importIds(bridge, list, '--dry-run');
    const done = await importIds(bridge, list);
    const nameless = await importIds(bridge, [{ userName: 'ann@example.com' }]).catch(String);

    expect([done.code, done.outcomes]).toEqual([
      2,
      ['taken', 'taken', 'ambiguous', 'only-file', 'only-file'],
    ]);
    expect(told.outcomes).toEqual(done.outcomes);
    expect(nameless).toContain('SyntaxError');
    expect((await bridge.send('GET', '/Users/old-ann')).body).toMatchObject({ id: ada });
    expect((await bridge.send('GET', `/Users/${bob}`)).body).toMatchObject({ id: bob });
    expect((await bridge.request('GET', '/Users/twice')).status).toBe(404);
    // Who comes back has the ids of before.
    await bridge.send('DELETE', `/Users/${ada}`);
    const back = await bridge.addUser('ann');
    const again = await importIds(bridge, [toUser('ann', { id: 'old-ann' })]);
    expect(again.counts).toEqual({ known: 1 });
    expect((await bridge.send('GET', '/Users/old-ann')).body).toMatchObject({ id: back });
  });

  test('are not taken for the externalId of somebody else, who may have the same number', async () => {
    const ada = await bridge.addUser('abe', { externalId: '17' });
    const bob = await bridge.addUser('bea');
    const pilots = await bridge.addGroup('Deck', []);
    const crew = (await bridge.send('POST', '/Groups', { ...toGroup('Cooks'), externalId: '8' }))
      .body.id;
    await bridge.untilSettled();

    await importIds(bridge, [toUser('bea', { id: '17' })]);
    await importIds(bridge, [{ ...toGroup('Deck'), id: '8' }], '--type', 'group');

    expect((await bridge.send('GET', '/Users/17')).body).toMatchObject({ id: bob });
    expect((await bridge.send('GET', '/Groups/8')).body).toMatchObject({ id: pilots });
    expect(ada).not.toBe(bob);
    expect(crew).not.toBe(pilots);
  });

  test('are told as the ids of the bridge, in the log of requests and where an operation of a bulk fails', async () => {
    const ada = await bridge.settled(bridge.addUser('amy'));
    const earlier = '0f8fad5b-d9cb-469f-a165-70867728950e';
    await importIds(bridge, [toUser('amy', { id: earlier })]);
    const jump = toPatch({ op: 'jump' });

    await bridge.patch(`/Users/${earlier}`, replace('title', 'Pilot'));
    await bridge.request('PATCH', `/Users/${earlier}`, jump);
    const bulk = await bridge.send('POST', '/Bulk', {
      schemas: ['urn:ietf:params:scim:api:messages:2.0:BulkRequest'],
      Operations: [{ method: 'PATCH', path: `/Users/${earlier}`, data: jump }],
    });

    const [operation] = Object(bulk.body.Operations);
    expect(operation).toMatchObject({ status: '400', location: toEnd(ada) });
    const list = async () => (await bridge.ops('GET', `/requests?resource=${ada}`)).body.items;
    await expect.poll(async () => Object(await list()).length).toBe(4);
    const ids = Object(await list()).map(({ resource }: JsonObject) => Object(resource).id);
    expect(ids).toEqual([ada, ada, ada, ada]);
    expect(JSON.stringify(await list())).not.toContain(earlier);
  });

  test('answer after a restart, and are forgotten with the person', async () => {
    const lives = await makeLives();
    let vera = '';
    await lives.live(async (bridge) => {
      vera = await bridge.addUser('vera', { active: false });
      await bridge.untilSettled();
      await importIds(bridge, [toUser('vera', { id: 'old-vera' })]);
    });
    await lives.live(async (bridge) => {
      expect((await bridge.send('GET', '/Users/old-vera')).body).toMatchObject({ id: vera });
      await bridge.settled(bridge.send('DELETE', '/Users/old-vera'));
      const erased = await bridge.ops('POST', '/users/vera@example.com/erase');

      expect(erased.status).toBe(200);
      const again = await importIds(bridge, [toUser('vera', { id: 'old-vera' })]);
      expect(again.outcomes).toEqual(['only-file']);
    });
  });
});
