import { expect, onTestFinished, test } from 'vitest';
import { startSandbox } from '../../src/sandbox/sandbox.ts';
import { makeClient, present, SETTINGS, toRight } from '../support/assertions.ts';
import { withTestBridge } from '../support/bridge.ts';
import { startIssuer } from '../support/issuer.ts';
import { describePostgres } from '../support/on-postgres.ts';

describePostgres(
  'sign-in without a shared secret, of two processes on one store',
  ({ makeUrl }) => {
    test('an assertion that is presented to both at the same time is taken by one of them', async () => {
      const issuer = await startIssuer();
      const service = await startSandbox();
      onTestFinished(() => service.stop());
      const settings = { ...SETTINGS, DATABASE_URL: await makeUrl('migrated') };
      await withTestBridge({ service, settings }, (here) =>
        withTestBridge({ service, settings }, async (there) => {
          const id = await makeClient(here, issuer);
          for (let round = 0; round < 10; round += 1) {
            const assertion = await issuer.sign(toRight(issuer));
            const bridges = [here, there, here, there];
            const answers = bridges.map((bridge) => present(bridge, id, assertion));
            const statuses = (await Promise.all(answers)).map(({ status }) => status);
            expect(statuses.toSorted()).toEqual([200, 401, 401, 401]);
          }
        }),
      );
    });
  },
);
