import { describe, expect, test } from 'vitest';
import type { Sandbox } from '../../src/sandbox/sandbox.ts';
import { type TestBridge, withTestBridge } from '../support/bridge.ts';
import { type Interleaved, interleave } from '../support/interleaved-providers.ts';
import { listResources, toGroup, toUser, untilSettled } from '../support/provider.ts';
import { askOps, SWEEP_SETTINGS } from '../support/sweep.ts';
import {
  makeProvider,
  toDefaultProvider,
  toOwner,
  type WalledProvider,
} from '../support/walled.ts';

/** One seed instead of all: `PROVIDER_SEED=17 npx vitest run test/bridge/provider-interleavings.test.ts`. */
const SEED = process.env.PROVIDER_SEED;
/** Operations of each provider. */
const OPERATIONS = 60;

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
const ROUNDS = 4;

function prepareMany({ service }: Sandbox): void {
  for (let round = 1; round <= ROUNDS; round += 1) {
    const email = `n${round}@example.com`;
    service.addUser({ email, userName: email, fullName: 'Some Body' });
    service.createGroup({ name: `n${round}` });
  }
}

async function play(bridge: TestBridge, seed: number): Promise<Interleaved> {
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
  return interleave({ providers, seed, operations: OPERATIONS, known });
}

type Item = Readonly<Record<string, unknown>>;

async function listManaged(bridge: TestBridge, type: 'users' | 'groups'): Promise<Item[]> {
  const { body } = await askOps(bridge, 'GET', `/${type}?managed=true&limit=1000`);
  return Array.isArray(body.items) ? body.items.map((item) => Object(item)) : [];
}

/** Everything that is not its owner's, or that its owner may not have. */
async function listForeign(bridge: TestBridge, { owners }: Interleaved) {
  const users = await listManaged(bridge, 'users');
  const groups = await listManaged(bridge, 'groups');
  const shown = listResources(await bridge.request('GET', '/Users?count=1000'));
  const titles = new Map(shown.map(({ id, title }) => [id, title]));
  const isOther = ({ id, provider }: Item) =>
    owners.has(String(id)) && owners.get(String(id)) !== provider;
  const isOfDomain = ({ name, provider }: Item) =>
    DOMAINS[String(provider)]?.includes(String(name).split('@').at(-1) ?? '') ?? true;
  return [
    ...[...users, ...groups].filter(isOther),
    ...users.filter(({ id, provider }) => {
      const title = titles.get(String(id));
      return title !== undefined && !String(title).startsWith(`${provider} `);
    }),
    ...users.filter((user) => !isOfDomain(user)),
    ...groups.filter(
      ({ name, provider }) => provider === 'okta' && !String(name).startsWith('okta '),
    ),
  ];
}

describe('providers that act at the same time', () => {
  async function expectApart(seed: number): Promise<void> {
    const settings = { ...SWEEP_SETTINGS };
    await withTestBridge({ settings, prepare }, async (bridge) => {
      const played = await play(bridge, seed);
      // Two may want the same name for a group of the service.
      await untilSettled(bridge, 'may stay');

      expect(played.breaches, `PROVIDER_SEED=${seed}`).toEqual([]);
      expect(played.refusals).toBeGreaterThan(OPERATIONS / 20);
      expect(await listForeign(bridge, played), `PROVIDER_SEED=${seed}`).toEqual([]);
      for (const { upstreamId, active } of await listManaged(bridge, 'users')) {
        if (upstreamId === null) continue;
        expect(bridge.sandbox.service.getUser(Number(upstreamId)).active).toBe(
          Object(active).desired,
        );
      }
    });
  }

  test.each(SEED === undefined ? [1] : [Number(SEED)])(
    'write, adopt and see nothing of each other: seed %i',
    (seed) => expectApart(seed),
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
});
