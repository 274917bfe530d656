import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { JsonObject } from '../../src/domain/values.ts';
import type { OpsJson } from '../../src/ops/schemas/schemas.ts';
import type { TestBridge } from './bridge.ts';
import { runner } from './command.ts';
import { makeFolder } from './lifetimes.ts';

/** Imports the list of an earlier server, one entry a line. */
export async function importIds(
  bridge: Pick<TestBridge, 'baseUrl'>,
  list: JsonObject[],
  ...options: string[]
) {
  const file = join(makeFolder(), 'list.json');
  writeFileSync(file, list.map((one) => `${JSON.stringify(one)}\n`).join(''));
  const asked = ['provider', 'import-ids', 'default', file, '--json', ...options];
  const { code, text } = await runner(bridge)(...asked);
  const { counts, items } = JSON.parse(text) as OpsJson<'IdImport'>;
  return { code, counts, outcomes: items.map(({ outcome }) => outcome) };
}
