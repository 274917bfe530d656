import { expect, test } from 'vitest';
import { describeStores } from '../../test/support/stores.ts';
import { systemClock } from '../telemetry/system-clock.ts';
import { openForms } from './forms.ts';

const HOUR_MS = 60 * 60_000;
const learnedAt = Date.UTC(2026, 0, 1);

function at(hours: number) {
  return { ...systemClock, now: () => learnedAt + hours * HOUR_MS };
}

describeStores('forms', ({ makeStore }) => {
  test('what was learned is still known after a restart, and a fixed form wins', async () => {
    const store = await makeStore();
    const forms = await openForms({ store, clock: at(0), fixed: {} });

    await forms.learn({ emailForm: 'strings', groupScimId: 'uid' });

    const fixed = { emailForm: 'objects' } as const;
    const reopened = await openForms({ store, clock: at(0), fixed });
    expect(reopened.current()).toEqual({ emailForm: 'objects', groupScimId: 'uid' });
  });

  test.each([
    { why: 'a refused batch', learned: { memberForm: 'single', memberFormAt: learnedAt } },
    { why: 'a proven filter', learned: { userFilter: 'proven', userFilterAt: learnedAt } },
  ] as const)('$why is asked for again after a day', async ({ learned }) => {
    const store = await makeStore();
    await (await openForms({ store, clock: at(0), fixed: {} })).learn(learned);

    const sameDay = await openForms({ store, clock: at(23), fixed: {} });
    const nextDay = await openForms({ store, clock: at(25), fixed: {} });

    expect(sameDay.current()).toEqual(learned);
    expect(nextDay.current().memberForm).toBeUndefined();
    expect(nextDay.current().userFilter).toBeUndefined();
  });
});
