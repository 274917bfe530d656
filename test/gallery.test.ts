import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { addGalleryCommand } from '../src/cli/gallery.ts';
import type { GalleryReport } from '../src/cli/gallery/report.ts';
import { startTestBridge, type TestBridge } from './support/bridge.ts';
import { runner } from './support/command.ts';
import { OPS_TOKEN } from './support/sweep.ts';

let bridge: TestBridge;
beforeAll(async () => {
  bridge = await startTestBridge({ settings: { OPS_TOKEN, ACCESS_FAILED_DELAY_MAX: '0s' } });
});
afterAll(() => bridge.stop());

const untilStopped = () => new Promise<string>(() => undefined);

async function run(...args: string[]) {
  const person = { untilStopped };
  const command = runner(bridge, [addGalleryCommand], { OPS_TOKEN }, person);
  const { code, text } = await command('gallery', ...args, '--yes', '--json');
  return { code, report: JSON.parse(text) as GalleryReport };
}

describe('a whole bridge', () => {
  test.each(['okta', 'entra', 'ipsie'])('passes the gate %s', async (gate) => {
    const { code, report } = await run(gate);
    console.log(report.checks.filter((c) => c.status !== 'ok').map((c) => `${c.id} ${c.status} ${c.why}`), report.cleanUp, code);
    expect(code).toBe(0);
  });
});
