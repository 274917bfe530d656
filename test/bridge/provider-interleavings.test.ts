import { describe, expect, test } from 'vitest';
import type { Sandbox } from '../../src/sandbox/sandbox.ts';
import { parseStored } from '../../src/store/engine/columns.ts';
import { type TestBridge, withTestBridge } from '../support/bridge.ts';
import { type Interleaved, interleave } from '../support/interleaved-providers.ts';
import { listResources, toGroup, toUser, untilSettled } from '../support/provider.ts';
import { SWEEP_SETTINGS } from '../support/sweep.ts';
import {
  makeProvider,
  toDefaultProvider,
  toOwner,
  type WalledProvider,
} from '../support/walled.ts';

/** One seed instead of all: `PROVIDER_SEED=17 npx vitest run test/bridge/provider-interleavings.test.ts`. */
const SEED = process.env.PROVIDER_SEED;
/** Operations of each provider in the long form; ten minutes and more: 60000. */
const OPERATIONS = Number(process.env.PROVIDER_OPERATIONS ?? 1_500);

/** Longest time of the long form, in milliseconds. */
const LONG_MS = 30 * 60_000;

const DOMAINS: Readonly<Record<string, string[]>> = {
  okta: ['example.com'],
  entra: ['example.com', 'example.net'],
};

/** Accounts and groups of names that all providers want. */
function prepare({ service }: Sandbox): void {
  for (const domain of ['example.com', 'example.net', 'example.org']) {
    for (const number of [1, 2, 3]) {
      const email = `n${number}@${domain}`;
      service.addUser({ email, userName: email, fullName: 'Some Body' });
    }
  }
  for (const name of ['okta 1', 'entra 1', 'plain 1']) service.createGroup({ name });
}

/** Rounds in which several providers want one person and one group. */
const ROUNDS = 10;

function prepareMany({ service }: Sandbox): void {
  for (let round = 1; round <= ROUNDS; round += 1) {
    const email = `n${round}@example.com`;
    service.addUser({ email, userName: email, fullName: 'Some Body' });
    service.createGroup({ name: `n${round}` });
  }
}

async function play(bridge: TestBridge, seed: number, operations: number): Promise<Interleaved> {
  const providers = [
    await makeProvider(bridge, 'okta', { domains: DOMAINS.okta ?? [], groupNames: ['okta *'] }),
    await makeProvider(bridge, 'entra', { domains: DOMAINS.entra ?? [] }),
    toDefaultProvider(bridge),
  ];
  const list = async (type: 'Users' | 'Groups') =>
    listResources(await bridge.request('GET', `/${type}`)).flatMap(({ id, userName }) =>
      userName === 'owner' ? [] : [{ type, id: String(id) }],
    );
  const known = [...(await list('Users')), ...(await list('Groups'))];
  return interleave({ providers, seed, operations, known });
}

/** Everything in the store that is not its owner's, or that its owner may not have. */
async function listForeign({ store: { read } }: TestBridge, { owners }: Interleaved) {
  const users = await read
    .selectFrom('users')
    .selectAll()
    .where('origin', 'is not', null)
    .execute();
  const groups = await read
    .selectFrom('groups')
    .selectAll()
    .where('origin', 'is not', null)
    .execute();
  const isOther = ({ id, provider }: { id: string; provider: string }) =>
    owners.has(id) && owners.get(id) !== provider;
  const isOfDomain = ({ user_name: name, provider }: { user_name: string; provider: string }) =>
    DOMAINS[provider]?.includes(name.split('@').at(-1) ?? '') ?? true;
  return [
    ...[...users, ...groups].filter(isOther),
    ...users.filter((user) => {
      const { title } = parseStored<{ title?: string }>(user.attributes);
      return title !== undefined && !title.startsWith(`${user.provider} `);
    }),
    ...users.filter((user) => !isOfDomain(user)),
    ...groups.filter(
      ({ external_id: id, provider }) => id !== null && !id.startsWith(`${provider} `),
    ),
    ...groups.filter(
      ({ display_name: name, provider }) => provider === 'okta' && !name.startsWith('okta '),
    ),
  ];
}

/** The accounts of managed people, with the access that their provider wants. */
async function listAccounts({ store: { read } }: TestBridge) {
  const live = read.selectFrom('users').select(['upstream_id', 'active']);
  const rows = await live.where('origin', 'is not', null).where('deleted_at', 'is', null).execute();
  return rows.flatMap(({ upstream_id: account, active }) =>
    account === null ? [] : [{ account, active: active === 1 }],
  );
}

describe('providers that act at the same time', () => {
  async function expectApart(seed: number, operations: number): Promise<void> {
    const settings = { ...SWEEP_SETTINGS };
    await withTestBridge({ settings, prepare }, async (bridge) => {
      const played = await play(bridge, seed, operations);
      // Two may want the same name for a group of the service.
      await untilSettled(bridge, 'may stay');

      expect(played.breaches, `PROVIDER_SEED=${seed}`).toEqual([]);
      expect(played.refusals).toBeGreaterThan(operations / 20);
      expect(await listForeign(bridge, played), `PROVIDER_SEED=${seed}`).toEqual([]);
      const accounts = await listAccounts(bridge);
      const seen = accounts.map(({ account }) => bridge.sandbox.service.getUser(account).active);
      expect(seen).toEqual(accounts.map(({ active }) => active));
    });
  }

  test.each(SEED === undefined ? [1, 2] : [Number(SEED)])(
    'write, adopt and see nothing of each other: seed %i',
    (seed) => expectApart(seed, 120),
  );

  test.each([
    { what: 'create', seed: undefined },
    { what: 'take over', seed: prepareMany },
  ])('that $what the same at once: one does, the others are told whose it is', async ({ seed }) => {
    const settings = { ...SWEEP_SETTINGS };
    await withTestBridge({ settings, ...(seed && { prepare: seed }) }, async (bridge) => {
      const names = ['a', 'b', 'c', 'd'];
      const providers: WalledProvider[] = [];
      for (const name of names) providers.push(await makeProvider(bridge, name));
      for (let round = 1; round <= ROUNDS; round += 1) {
        for (const [path, body] of [
          ['/Users', toUser(`n${round}`)],
          ['/Groups', toGroup(`n${round}`)],
        ] as const) {
          const answers = await Promise.all(
            providers.map(({ request }) => request('POST', path, body)),
          );
          const winner = names[answers.findIndex(({ status }) => status === 201)];
          const told = answers.map((answer) => [answer.status, toOwner(answer)]);
          const [made, ...refused] = told.toSorted(([x], [y]) => Number(x) - Number(y));
          expect(made).toEqual([201, undefined]);
          expect(refused).toEqual(refused.map(() => [403, winner]));
        }
      }
    });
  });

  test('the same for long', { timeout: LONG_MS }, () => expectApart(Number(SEED ?? 3), OPERATIONS));
});
