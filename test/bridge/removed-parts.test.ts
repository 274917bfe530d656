import { expect, test } from 'vitest';
import { startTestBridge } from '../support/bridge.ts';
import { forSuite } from '../support/lifetimes.ts';
import { listResources, replace, toPatch } from '../support/provider.ts';

const bridge = forSuite(() => startTestBridge());

const work = (name: string) => ({ value: `${name}@example.com`, type: 'work', primary: true });
const home = (name: string) => ({ value: `${name}@home.example`, type: 'home', display: 'Home' });

async function addTwoAddresses(name: string): Promise<string> {
  const emails = [work(name), home(name)];
  return `/Users/${await bridge.addUser(name, { emails })}`;
}

async function findByAddress(address: string): Promise<unknown[]> {
  const filter = `emails.value eq "${address}"`;
  const found = await bridge.send('POST', '/Users/.search', { filter });
  return listResources(found).map(({ id }) => id);
}

test('one part of a value is removed, and the value stays', async () => {
  const path = await addTwoAddresses('ada');

  const patch = toPatch({ op: 'remove', path: 'emails[type eq "home"].display' });
  const { body } = await bridge.send('PATCH', path, patch);

  const { display: _, ...rest } = home('ada');
  expect(body.emails).toEqual([work('ada'), rest]);
  expect((await bridge.send('GET', path)).body.emails).toEqual([work('ada'), rest]);
});

test('an address without its value is found no more and free for another user, and keeps what else it says', async () => {
  const path = await addTwoAddresses('bob');
  expect(await findByAddress('bob@home.example')).toHaveLength(1);

  const patch = toPatch({ op: 'remove', path: 'emails[type eq "home"].value' });
  const { body } = await bridge.send('PATCH', path, patch);

  expect(body.emails).toEqual([work('bob'), { type: 'home', display: 'Home' }]);
  expect(await findByAddress('bob@home.example')).toEqual([]);
  const other = await bridge.addUser('other', { emails: [{ value: 'bob@home.example' }] });
  expect(await findByAddress('bob@home.example')).toEqual([other]);
});

test('an address of which only its type is left is gone', async () => {
  const emails = [work('eve'), { value: 'eve@home.example', type: 'home' }];
  const path = `/Users/${await bridge.addUser('eve', { emails })}`;

  const patch = toPatch({ op: 'remove', path: 'emails[type eq "home"].value' });
  const { body } = await bridge.send('PATCH', path, patch);

  expect(body.emails).toEqual([work('eve')]);
});

test('a part that no value has, of values that a filter does not find, is removed without an error', async () => {
  const path = await addTwoAddresses('cleo');
  const before = await bridge.send('GET', path);

  for (const target of ['emails[type eq "other"].value', 'emails[type eq "work"].display']) {
    const { body } = await bridge.patch(path, { op: 'remove', path: target });
    expect(body).toEqual(before.body);
  }
});

test('the parts of a member are immutable', async () => {
  const member = await bridge.addUser('dana');
  const { body: group } = await bridge.send('POST', '/Groups', {
    displayName: 'Immutable',
    members: [{ value: member }],
  });
  const path = `/Groups/${String(group.id)}`;

  for (const target of [
    `members[value eq "${member}"].value`,
    'members.value',
    'members[value pr]',
  ]) {
    const operation = replace(target, member);
    expect((await bridge.request('PATCH', path, toPatch(operation))).body).toMatchObject({
      status: '400',
      scimType: 'mutability',
    });
  }
  expect((await bridge.send('GET', path)).body).toEqual(group);
});
