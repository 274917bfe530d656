import { expect, test } from 'vitest';
import { readAll, startCompany } from '../../../test/support/first-read.ts';
import { LONG } from '../../../test/support/long.ts';
import { describeBridges } from '../../../test/support/stores.ts';
import type { SandboxShapeChange } from '../../sandbox/shape.ts';
import { findAccount } from './find-account.ts';

const context = { class: 'look', key: 'user:test' } as const;
const nobody = { userNameFolded: 'nobody@example.com', emailFolded: 'nobody@example.com' };
const byAddress = { userNameFolded: 'user00150@example.com', emailFolded: undefined };

interface FilterCase {
  readonly why: string;
  readonly shape: SandboxShapeChange;
  readonly proof: 'proven' | 'refused' | undefined;
  /** Calls of the first look for an unknown user, and of the second one. */
  readonly calls: readonly [number, number];
}

const filters: FilterCase[] = [
  // One by userName, four to prove both filters, one by address; then two.
  { why: 'honoured', shape: {}, proof: 'proven', calls: [6, 2] },
  // One by userName, two that prove nothing, three pages; then without the proof.
  { why: 'ignored', shape: { filter: 'ignored' }, proof: 'refused', calls: [5, 4] },
  { why: 'refused', shape: { filter: 'refused' }, proof: undefined, calls: [4, 4] },
];

const big = { seed: { users: 450 }, shape: { filter: 'refused' } } as const;

describeBridges('find account in a big company without filters', ({ makeStore }) => {
  test('the search of its members saves the list where it shows the account', {
    tags: LONG,
  }, async () => {
    const sandbox = await startCompany(big);
    const { deps } = await readAll(sandbox, await makeStore());
    sandbox.calls.reset();

    const found = await findAccount(deps, context, byAddress);

    expect(found).toMatchObject({ kind: 'found', user: { emails: ['user00150@example.com'] } });
    // The filter that is refused, the search, and the account itself.
    expect(sandbox.calls.count()).toBe(3);
  });

  test('nobody is "not there" by the search alone: the list is read', { tags: LONG }, async () => {
    const sandbox = await startCompany(big);
    const { deps } = await readAll(sandbox, await makeStore());
    sandbox.calls.reset();

    expect(await findAccount(deps, context, nobody)).toEqual({ kind: 'not-there' });
    expect(sandbox.calls.count({ operation: 'companyUsers.getListOfUsers' })).toBe(1);
    expect(sandbox.calls.count({ operation: 'scim.getUsers' })).toBeGreaterThan(4);
  });

  test('a search that is refused is no look, and one that failed is a look that failed', {
    tags: LONG,
  }, async () => {
    const sandbox = await startCompany(big);
    const { deps } = await readAll(sandbox, await makeStore());
    const answers = [];
    for (const status of [400, 403, 404, 401]) {
      const fault = { kind: 'status', status } as const;
      sandbox.faults.add({ operation: 'companyUsers.getListOfUsers', fault });
      answers.push((await findAccount(deps, context, byAddress)).kind);
      sandbox.faults.clear();
    }

    expect(answers).toEqual(['found', 'found', 'found', 'could-not-look']);
  });
});

describeBridges('find account', ({ makeStore }) => {
  test('a filter that is refused is no look, and one that failed is a look that failed', async () => {
    const sandbox = await startCompany({ seed: { users: 250 } });
    const { deps } = await readAll(sandbox, await makeStore());
    const answers = [];
    for (const status of [400, 403, 404, 405, 501, 401]) {
      const fault = { kind: 'status', status } as const;
      sandbox.faults.add({ operation: 'scim.getUsers', fault, times: 1 });
      answers.push((await findAccount(deps, context, nobody)).kind);
      sandbox.faults.clear();
    }

    const listed = Array.from({ length: 5 }, () => 'not-there');
    expect(answers).toEqual([...listed, 'could-not-look']);
  });

  test.each(filters)(
    'an empty answer of a filter that is $why',
    async ({ shape, proof, calls }) => {
      const store = await makeStore();
      const sandbox = await startCompany({ shape, seed: { users: 250 } });
      const { deps } = await readAll(sandbox, store);

      for (const expected of calls) {
        sandbox.calls.reset();
        const found = await findAccount(deps, context, nobody);
        expect(found).toEqual({ kind: 'not-there' });
        expect(sandbox.calls.count()).toBe(expected);
      }
      expect(deps.quirks.current().userFilter).toBe(proof);
      expect(await findAccount(deps, context, byAddress)).toMatchObject({ kind: 'found' });
    },
  );
});
