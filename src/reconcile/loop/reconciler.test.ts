import { expect, onTestFinished, test } from 'vitest';
import { startPostgresProxy } from '../../../test/support/postgres-proxy.ts';
import { describePostgres, describeStores } from '../../../test/support/stores.ts';
import { insertWait, refuseWait } from '../../store/waits.ts';
import { systemClock } from '../../telemetry/system-clock.ts';
import { endWaiting } from './reconciler.ts';

describeStores('the wait of a request whose caller hung up', ({ makeStore }) => {
  test('ends as it was settled where the process has stopped meanwhile', async () => {
    const store = await makeStore();
    await store.close();
    const settlement = { kind: 'not-yet', reason: 'the process stops' } as const;

    const ended = endWaiting({ store, clock: systemClock }, 'some wait', settlement);

    await expect(ended).resolves.toEqual(settlement);
  });
});

describePostgres(
  'the wait of a request whose write another process refused',
  ({ makeUrl, open }) => {
    test('ends as refused where the commit that ended it was lost on its way', async () => {
      const proxy = await startPostgresProxy(await makeUrl('migrated'));
      onTestFinished(() => proxy.stop());
      const store = await open(proxy.url);
      const problem = { code: 'refused', words: 'No' };
      const wait = {
        id: 'w',
        resource_type: 'user',
        resource_id: 'ada',
        version: 1,
        undo: '{}',
      } as const;
      await store.write(async (tx) => {
        await insertWait(tx, { ...wait, until: Date.now() + 60_000 });
        await refuseWait(tx, 'w', JSON.stringify(problem));
      });
      const lost = proxy.loseNextCommit();
      const notYet = { kind: 'not-yet', reason: 'the service takes longer than the wait' } as const;

      const ended = await endWaiting({ store, clock: systemClock }, 'w', notYet);

      await lost;
      expect(ended).toEqual({ kind: 'refused', problem });
    });
  },
);
