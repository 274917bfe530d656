import { expect, test } from 'vitest';
import { describeStores } from '../../../test/support/stores.ts';
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
