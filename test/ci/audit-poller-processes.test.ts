import { expect, test } from 'vitest';
import { startSandbox } from '../../src/sandbox/sandbox.ts';
import { startAuditWorld } from '../support/audit-world.ts';
import { createLeapingClock } from '../support/leaping-clock.ts';
import { forTest } from '../support/lifetimes.ts';
import { describePostgres } from '../support/on-postgres.ts';

const LIST = 'auditLogs.retrieveAuditLogEvents';

describePostgres('two bridges on one store', ({ makeUrl }) => {
  test('read the log in turns: what one has read just now the other does not', async () => {
    const clock = createLeapingClock();
    const service = await forTest(startSandbox({ clock: clock.now }));
    const options = { service, clock, settings: { DATABASE_URL: await makeUrl('migrated') } };
    // A start asks for the changes of the token's account beside it.
    const countReads = () =>
      service.calls
        .recent()
        .filter(({ operation, path }) => operation === LIST && !path.includes('author_id')).length;
    const one = await startAuditWorld(options);
    const other = await startAuditWorld(options);
    service.calls.reset();
    for (let times = 0; times < 5; times += 1) await one.poll();
    const callsOfBoth = countReads();
    await one.stop();
    await other.poll();
    await other.stop();

    expect(callsOfBoth).toBe(5);
    expect(countReads()).toBe(6);
  });
});
