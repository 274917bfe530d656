import { describe, expect, test } from 'vitest';
import { failing, HANGING } from '../support/faults.ts';
import { forSuite } from '../support/lifetimes.ts';
import type { TestAnswer } from '../support/provider.ts';
import { replace, toGroup, toUser } from '../support/provider.ts';
import type { TimedBridge } from '../support/timed-bridge.ts';
import { startTimedBridge, untilEnded, untilQuiet } from '../support/timed-bridge.ts';

const SECONDS_MS = 30_000;
const refused = failing(400, 'message');
const lost = { kind: 'reset', at: 'before-effect' } as const;
/** An answer, after which a group is made again at once. */
const failed = failing(500);

interface Pair {
  readonly user: string;
  readonly group: string;
}

const toEmail = (name: string) => `${name}@example.com`;

const CREATES = ['scim.addUser', 'groups.createGroup'] as const;

function post({ bridge }: TimedBridge, { user, group }: Pair): Promise<TestAnswer[]> {
  return Promise.all([
    bridge.request('POST', '/Users', toUser(user)),
    bridge.request('POST', '/Groups', toGroup(group)),
  ]);
}

async function listShown({ bridge }: TimedBridge, { user, group }: Pair): Promise<unknown[]> {
  const users = await bridge.list('/Users');
  const groups = await bridge.list('/Groups');
  const names = [...users.map(({ userName }) => userName), ...groups.map((one) => one.displayName)];
  return names.filter((name) => name === toEmail(user) || name === group);
}

function listGroups({ bridge }: TimedBridge, ...names: readonly string[]): string[] {
  const all = bridge.sandbox.service.groups().map(({ name }) => name);
  return all.filter((name) => names.includes(name)).toSorted();
}

describe('a create whose answer was lost and that was refused then', () => {
  const timed = forSuite(() => startTimedBridge({ settings: { SCIM_WRITE_WAIT: '60s' } }));

  async function postInVain(pair: Pair): Promise<TestAnswer[]> {
    const { faults } = timed.bridge.sandbox;
    faults.add({ operation: 'scim.addUser', fault: lost, times: 1 });
    faults.add({ operation: 'groups.createGroup', fault: failed, times: 1 });
    for (const operation of CREATES) faults.add({ operation, fault: refused });
    const answers = await untilEnded(timed, post(timed, pair));
    faults.clear();
    return answers;
  }

  function arriveLate({ user, group }: Pair, fullName: string) {
    const { service } = timed.bridge.sandbox;
    service.addUser({ email: toEmail(user), userName: toEmail(user), fullName });
    service.createGroup({ name: group });
  }

  test('is removed, or deactivated, where it arrives late, and is in no answer', async () => {
    const pair = { user: 'ada', group: 'Pilots' };
    const answers = await postInVain(pair);
    const shown = await listShown(timed, pair);
    await untilQuiet(timed, SECONDS_MS);

    arriveLate(pair, 'Ada Example');
    await untilQuiet(timed);

    expect(answers.map(({ status }) => status)).toEqual([400, 400]);
    expect(shown).toEqual([]);
    expect(timed.bridge.sandbox.service.getUser(toEmail('ada')).active).toBe(false);
    expect(listGroups(timed, 'Pilots')).toEqual([]);
    expect(await listShown(timed, pair)).toEqual([]);
  });

  test('is looked for a bounded number of times', async () => {
    const { calls } = timed.bridge.sandbox;
    calls.reset();
    await postInVain({ user: 'bob', group: 'Crew' });

    await untilQuiet(timed);

    expect(calls.count({ operation: 'scim.addUser', status: 400 })).toBeGreaterThan(0);
    expect(calls.count({ operation: 'groups.getListOfGroups' })).toBeLessThan(20);
    expect(await timed.bridge.readWork()).toMatchObject({ due: 0, stuck: 0 });
  });

  test('is taken over by the next POST of the name, which creates nobody twice', async () => {
    const { service, calls } = timed.bridge.sandbox;
    const pair = { user: 'cyd', group: 'Cooks' };
    await postInVain(pair);
    await untilQuiet(timed, SECONDS_MS);
    arriveLate(pair, 'Cyd Example');
    calls.reset();

    const answers = await post(timed, pair);
    await untilQuiet(timed);

    expect(answers.map(({ status }) => status)).toEqual([201, 201]);
    expect(service.getUser(toEmail('cyd')).active).toBe(true);
    expect(listGroups(timed, 'Cooks')).toEqual(['Cooks']);
    expect(calls.count({ mutating: true })).toBe(0);
  });
});

describe('a create whose answer was lost', () => {
  const timed = forSuite(() => startTimedBridge({ settings: { SCIM_WRITE_WAIT: '50ms' } }));

  function rename(ids: readonly unknown[], { user, group }: Pair): Promise<TestAnswer[]> {
    const { bridge } = timed;
    const value = toEmail(user);
    const names = [replace('userName', value), replace('emails[type eq "work"].value', value)];
    return Promise.all([
      bridge.tryPatch(`/Users/${ids[0]}`, ...names),
      bridge.tryPatch(`/Groups/${ids[1]}`, replace('displayName', group)),
    ]);
  }

  /** Creates both, and gives them other names while nobody can look whether the creates arrived. */
  async function renameUnseen(from: Pair, to: Pair, at: 'before-effect' | 'after-effect') {
    const { faults, calls } = timed.bridge.sandbox;
    calls.reset();
    const fault = { kind: 'reset', at } as const;
    const creates = CREATES.map((operation) => faults.add({ operation, fault, times: 1 }));
    for (const operation of ['scim.getUsers', 'groups.getListOfGroups'] as const)
      faults.add({ operation, fault: failing(503) });
    const posted = await untilEnded(timed, post(timed, from));
    // On a busy machine the wait of a POST may be over before its call has left.
    for (const create of creates) await untilEnded(timed, create.until(1));
    const ids = posted.map(({ body }) => body.id);
    const answers = await untilEnded(timed, rename(ids, to));
    faults.clear();
    return [...posted, ...answers].map(({ status }) => status);
  }

  function countCalls() {
    const { calls } = timed.bridge.sandbox;
    const operations = [...CREATES, 'scim.updateUser'] as const;
    return operations.map((operation) => calls.count({ operation }));
  }

  test('before its resource was renamed exists once', async () => {
    const { service } = timed.bridge.sandbox;
    const from = { user: 'ada', group: 'Pilots' };
    const statuses = await renameUnseen(
      from,
      { user: 'countess', group: 'Flyers' },
      'after-effect',
    );
    await untilQuiet(timed);

    expect(statuses).toEqual([201, 201, 200, 204]);
    expect(listGroups(timed, 'Pilots', 'Flyers')).toEqual(['Flyers']);
    expect(service.users().filter(({ fullName }) => fullName === 'Ada Example')).toHaveLength(1);
    // The account that was found still has the address that it was created with.
    expect(countCalls()).toEqual([1, 1, 1]);
    expect(await timed.bridge.readWork()).toMatchObject({ due: 0, stuck: 0 });
  });

  test('and never arrived is not taken from whoever got the name since', async () => {
    const { service } = timed.bridge.sandbox;
    const from = { user: 'bob', group: 'Crew' };
    const statuses = await renameUnseen(from, { user: 'robert', group: 'Staff' }, 'before-effect');
    await untilEnded(timed, post(timed, from));
    await untilQuiet(timed);

    expect(statuses).toEqual([201, 201, 200, 204]);
    expect(listGroups(timed, 'Crew', 'Staff')).toEqual(['Crew', 'Staff']);
    for (const name of ['bob', 'robert']) expect(service.findUser(toEmail(name))).toBeDefined();
    // Each was lost once.
    expect(countCalls()).toEqual([3, 3, 0]);
    expect(await timed.bridge.readWork()).toMatchObject({ due: 0, stuck: 0 });
  });

  test('takes nothing over where its name is taken after its resource was renamed', async () => {
    const { service, faults } = timed.bridge.sandbox;
    const fault = HANGING;
    const creates = CREATES.map((operation) => faults.add({ operation, fault, times: 1 }));
    const posts = post(timed, { user: 'dan', group: 'Divers' });
    await Promise.all(creates.map((create) => create.until(1)));
    const ids = (await posts).map(({ body }) => body.id);
    service.addUser({ email: toEmail('dan'), userName: toEmail('dan'), fullName: 'Another Dan' });
    service.createGroup({ name: 'Divers' });
    await rename(ids, { user: 'daniel', group: 'Swimmers' });
    faults.release();
    await untilQuiet(timed);

    expect(listGroups(timed, 'Divers', 'Swimmers')).toEqual(['Divers', 'Swimmers']);
    const people = service.users().filter(({ fullName }) => / Dan|Dan /.test(fullName));
    expect(people.map(({ userName, fullName }) => [userName, fullName]).toSorted()).toEqual([
      [toEmail('dan'), 'Another Dan'],
      [toEmail('daniel'), 'Dan Example'],
    ]);
  });

  test.each([
    { what: 'an answer', fault: lost },
    { what: 'an answer of its own', fault: failing(502) },
  ])(
    'of a group, without $what, is not repeated while it may still arrive, so that the group exists once',
    async ({ what: name, fault }) => {
      const { calls, faults, service } = timed.bridge.sandbox;
      const operation = 'groups.createGroup';
      calls.reset();
      faults.add({ operation, fault, times: 1 });
      await untilEnded(timed, timed.bridge.request('POST', '/Groups', toGroup(name)));
      await untilQuiet(timed, SECONDS_MS);
      service.createGroup({ name });
      await untilQuiet(timed);

      expect(calls.count({ operation })).toBe(1);
      expect(listGroups(timed, name)).toEqual([name]);
      expect(await timed.bridge.readWork()).toMatchObject({ due: 0, stuck: 0 });
    },
  );

  test('of a group that the service has answered with a failure is repeated at once', async () => {
    const { calls, faults } = timed.bridge.sandbox;
    const operation = 'groups.createGroup';
    calls.reset();
    faults.add({ operation, fault: failed, times: 1 });
    await untilEnded(timed, timed.bridge.request('POST', '/Groups', toGroup('Stewards')));
    await untilQuiet(timed, SECONDS_MS);

    expect(calls.count({ operation })).toBe(2);
    expect(listGroups(timed, 'Stewards')).toEqual(['Stewards']);
  });
});
