import { expect, onTestFinished, test } from 'vitest';
import type { Timeline } from '../../src/ops/schemas/resources.ts';
import { startSandbox } from '../../src/sandbox/sandbox.ts';
import { startTestBridge, type TestBridge } from '../support/bridge.ts';
import { describePostgres } from '../support/on-postgres.ts';
import { addUser, send, toPatch } from '../support/provider.ts';
import { askOps, SWEEP_SETTINGS } from '../support/sweep.ts';

const settings = SWEEP_SETTINGS;

async function readTimeline(bridge: TestBridge, path: string): Promise<Timeline> {
  const { status, text } = await askOps(bridge, 'GET', path);
  expect(status).toBe(200);
  return parseTimeline(JSON.parse(text));
}

function parseTimeline(answer: unknown): Timeline {
  return answer as Timeline;
}

/** Source and text of each, with the others in brackets. */
function toLines({ items }: Timeline): string[] {
  return items.map(({ source, text, others }) => {
    const names = others.map(({ name }) => name).join(', ');
    return `${source}: ${text}${names === '' ? '' : ` [${names}]`}`;
  });
}

/** Waits until operators' decisions, which are kept behind the answers, are told. */
async function untilTold(bridge: TestBridge, id: string, text: string): Promise<string[]> {
  const read = async () => toLines(await readTimeline(bridge, `/timeline/${id}`));
  await expect.poll(read, { interval: 20 }).toContainEqual(text);
  return read();
}

describePostgres('the line of time of several processes', ({ makeUrl }) => {
  test('has no end of an outage because another process starts', async () => {
    const service = await startSandbox();
    onTestFinished(() => service.stop());
    const options = { settings: { ...settings, DATABASE_URL: await makeUrl('migrated') }, service };
    const leader = await startTestBridge(options);
    onTestFinished(() => leader.stop());
    const id = await addUser(leader, 'ada');
    const fault = { kind: 'status', status: 401 } as const;
    service.faults.add({ operation: '*', fault });
    const rename = toPatch({ op: 'replace', path: 'name.familyName', value: 'King' });
    await send(leader, 'PATCH', `/Users/${id}`, rename);
    await untilTold(leader, id, 'outage: the service refuses the token');

    const other = await startTestBridge(options);
    onTestFinished(() => other.stop());

    const lines = toLines(await readTimeline(other, `/users/${id}/timeline`));
    expect(lines.filter((line) => line.startsWith('outage: '))).toEqual([
      'outage: the service refuses the token',
    ]);
  });
});
