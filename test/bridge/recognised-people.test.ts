import { expect, test } from 'vitest';
import type { JsonObject } from '../../src/domain/json.ts';
import { startTestBridge } from '../support/bridge.ts';
import { forSuite } from '../support/lifetimes.ts';
import { toUser } from '../support/provider.ts';

/** An account of the service, and a person whom a provider sends. */
const cases = [
  {
    why: 'of the same userName',
    account: { userName: 'a1@example.com', email: 'other1@example.com' },
    person: { userName: 'a1@example.com', email: 'b1@example.com' },
  },
  {
    why: 'of the same address',
    account: { userName: 'zz2', email: 'a2@example.com' },
    person: { userName: 'b2', email: 'a2@example.com' },
  },
  {
    why: 'whose userName is the address',
    account: { userName: 'a3@example.com', email: 'other3@example.com' },
    person: { userName: 'b3', email: 'a3@example.com' },
  },
  {
    why: 'whose address is the userName',
    account: { userName: 'zz4', email: 'a4@example.com' },
    person: { userName: 'a4@example.com', email: 'b4@example.com' },
  },
  {
    why: 'whatever the case',
    account: { userName: 'a5@example.com', email: 'a5@example.com' },
    person: { userName: 'A5@Example.com', email: 'A5@EXAMPLE.com' },
  },
];

const bridge = forSuite(() =>
  startTestBridge({
    prepare({ service }) {
      for (const { account } of cases) service.addUser({ ...account, fullName: 'Ada Example' });
    },
  }),
);

function toPerson(name: string, { userName, email }: { userName: string; email: string }) {
  return toUser(name, { userName, emails: [{ value: email, primary: true }] });
}

async function findListed(email: string): Promise<JsonObject | undefined> {
  const all = await bridge.list('/Users?count=1000');
  return all.find(({ emails }) => JSON.stringify(emails).includes(`"${email}"`));
}

test.each(cases)('a new person is the account $why', async ({ account, person }) => {
  const listed = await findListed(account.email);
  const before = bridge.sandbox.service.users().length;

  const { body } = await bridge.send('POST', '/Users', toPerson('ada', person));
  await bridge.untilSettled();

  expect(body.id).toBe(listed?.id);
  expect(bridge.sandbox.service.users()).toHaveLength(before);
});

test('a new person is nobody who shares neither userName nor address', async () => {
  const before = bridge.sandbox.service.users().length;

  await bridge.addUser('stranger');

  expect(bridge.sandbox.service.users()).toHaveLength(before + 1);
});

test('a new person has the account of a deleted one with the address, under a new id', async () => {
  const names = { userName: 'c1@example.com', email: 'c1@example.com' };
  const first = await bridge.send('POST', '/Users', toPerson('carl', names));
  await bridge.send('DELETE', `/Users/${String(first.body.id)}`);
  await bridge.untilSettled();
  const before = bridge.sandbox.service.users().length;

  const renamed = { ...names, userName: 'd1' };
  const second = await bridge.send('POST', '/Users', toPerson('carl', renamed));
  await bridge.untilSettled();

  expect(second.body.id).not.toBe(first.body.id);
  expect(bridge.sandbox.service.users()).toHaveLength(before);
  expect(bridge.sandbox.service.getUser('c1@example.com').active).toBe(true);
});
