import { expect, test } from 'vitest';
import { startSandbox } from '../../src/sandbox/sandbox.ts';
import { startTestBridge } from '../support/bridge.ts';
import { forTest } from '../support/lifetimes.ts';
import { describePostgres } from '../support/on-postgres.ts';
import { replace, toPatch } from '../support/provider.ts';
import { readTimeline, toLines, untilTold } from '../support/timeline.ts';

describePostgres('the line of time of several processes', ({ makeUrl }) => {
  test('has no end of an outage because another process starts', async () => {
    const service = await forTest(startSandbox());
    const options = {
      settings: { DATABASE_URL: await makeUrl('migrated') },
      service,
    };
    const leader = await forTest(startTestBridge(options));
    const id = await leader.addUser('ada');
    const fault = { kind: 'status', status: 401 } as const;
    service.faults.add({ operation: '*', fault });
    const rename = toPatch(replace('name.familyName', 'King'));
    await leader.send('PATCH', `/Users/${id}`, rename);
    await untilTold(leader, id, 'outage: the service refuses the token');

    const other = await forTest(startTestBridge(options));

    const lines = toLines(await readTimeline(other, `/users/${id}/timeline`));
    expect(lines.filter((line) => line.startsWith('outage: '))).toEqual([
      'outage: the service refuses the token',
    ]);
  });
});
