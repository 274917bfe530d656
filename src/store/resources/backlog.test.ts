import { expect, test } from 'vitest';
import { describeStores } from '../../../test/support/stores.ts';
import { readBacklog } from './backlog.ts';

describeStores('the backlog', ({ makeStore }) => {
  test('has its names in the spelling of the program', async () => {
    const { noSeat, ...rest } = await readBacklog((await makeStore()).read);

    expect(noSeat).toBe(0);
    expect(Object.keys(rest)).not.toContain('noseat');
  });
});
