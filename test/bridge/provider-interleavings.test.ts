import { expect, test } from 'vitest';
import type { Sandbox } from '../../src/sandbox/sandbox.ts';
import { startTestBridge } from '../support/bridge.ts';
import { forTest } from '../support/lifetimes.ts';
import { toGroup, toUser } from '../support/provider.ts';
import { makeProvider, toOwner, type WalledProvider } from '../support/walled.ts';

/** Rounds in which several providers want one person and one group. */
const ROUNDS = 4;

function prepareMany({ service }: Sandbox): void {
  for (let round = 1; round <= ROUNDS; round += 1) {
    const email = `n${round}@example.com`;
    service.addUser({ email, userName: email, fullName: 'Some Body' });
    service.createGroup({ name: `n${round}` });
  }
}

test.each([
  { what: 'create', prepare: () => {} },
  { what: 'take over', prepare: prepareMany },
])(
  'of providers that $what the same at once one does, and the others are told whose it is',
  async ({ prepare }) => {
    const bridge = await forTest(startTestBridge({ prepare }));
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
        const answered = answers.map((answer) => [answer.status, toOwner(answer)]);
        const [made, ...refused] = answered.toSorted(([x], [y]) => Number(x) - Number(y));
        expect(made).toEqual([201, undefined]);
        expect(refused).toEqual(refused.map(() => [403, winner]));
      }
    }
  },
);
