import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { addProviderCommand } from '../../src/cli/provider.ts';
import type { JsonObject } from '../../src/domain/json.ts';
import type { ImportAnswer } from '../../src/ops/schemas/handover.ts';
import { startTestBridge, type TestBridge, withTestBridge } from '../support/bridge.ts';
import { runner } from '../support/command.ts';
import { describePostgres } from '../support/on-postgres.ts';
import { addUser, toUser, untilSettled } from '../support/provider.ts';
import { SWEEP_SETTINGS } from '../support/sweep.ts';

function parseImport(text: string): ImportAnswer {
  return JSON.parse(text) as ImportAnswer;
}

/** Imports the list of an earlier server, as it came. */
async function importIds(
  bridge: Pick<TestBridge, 'baseUrl'>,
  list: JsonObject[],
  ...options: string[]
) {
  const folder = mkdtempSync(join(tmpdir(), 'scim-bridge-former-ids-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const file = join(folder, 'list.json');
  writeFileSync(file, JSON.stringify({ totalResults: list.length, Resources: list }, null, 2));
  const asked = ['provider', 'import-ids', 'default', file, '--json', ...options];
  const { code, text } = await runner(bridge, [addProviderCommand])(...asked);
  const { counts, items } = parseImport(text);
  return { code, counts, outcomes: items.map(({ outcome }) => outcome) };
}

describePostgres('the ids of an earlier SCIM server, with several processes', ({ makeUrl }) => {
  test('are known to every process soon after the import', async () => {
    const settings = { ...SWEEP_SETTINGS, DATABASE_URL: await makeUrl('migrated') };
    await withTestBridge({ settings }, async (first) => {
      const second = await startTestBridge({ settings, service: first.sandbox });
      try {
        const ada = await addUser(first, 'ada');
        await untilSettled(first);
        await importIds(first, [toUser('ada', { id: 'old-ada' })]);

        const readId = async () => (await second.request('GET', '/Users/old-ada')).body.id;
        await expect.poll(readId, { interval: 10, timeout: 10_000 }).toBe(ada);
      } finally {
        await second.stop();
      }
    });
  });
});
