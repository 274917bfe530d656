import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { actions, controls } from '../../src/sandbox/control.ts';
import { bridgeForTest } from '../support/bridge.ts';
import { runAlone, runner } from '../support/command.ts';
import { failing } from '../support/faults.ts';

test('sandbox commands change the service behind the back of the bridge, have it fail, and heal it', async () => {
  const bridge = await bridgeForTest();
  await bridge.settled(bridge.addUser('ada'));
  const command = runner(bridge);
  const run = (args: string) => command(...args.split(' '));

  const done = await run('sandbox do setActive user=ada@example.com active=false');
  const state = await run('sandbox state');
  await run('sandbox fail scim.getUsers --status 503 --delay 20 --times 2');
  const faults = await run('sandbox faults');
  await run('sandbox heal');
  const healed = await run('sandbox faults');
  const unknown = await run('sandbox do dance');
  const wrong = await run('sandbox do setActive ada');
  const alone = await runAlone(
    ['sandbox', 'calls', '--url', bridge.sandbox.url, '--token', bridge.sandbox.token],
    {},
  );

  expect(done.code).toBe(0);
  expect(JSON.parse(state.text).users).toContainEqual(
    expect.objectContaining({ email: 'ada@example.com', active: false }),
  );
  expect(JSON.parse(faults.text).rules).toMatchObject([
    { operation: 'scim.getUsers', fault: { kind: 'delay', delayMs: 20 }, times: 2 },
    { operation: 'scim.getUsers', fault: failing(503), times: 2 },
  ]);
  expect(JSON.parse(healed.text).rules).toEqual([]);
  expect(unknown).toMatchObject({ code: 1, text: expect.stringContaining("no action 'dance'") });
  expect(wrong.code).toBe(64);
  expect(JSON.parse(alone.text).total).toBeGreaterThan(0);
});

const page = readFileSync('docs/command-line.md', 'utf8');

test('every example of the page works in its order, on a sandbox with nobody in it', async () => {
  const bridge = await bridgeForTest();
  const command = runner(bridge);
  const examples = [...page.matchAll(/^scim-bridge (sandbox .+)$/gm)].map(([, line]) => line);

  expect(examples.length).toBeGreaterThan(3);
  for (const example of examples) {
    const { code, text: said } = await command(...String(example).replaceAll("'", '').split(' '));
    expect(code, `${example}: ${said}`).toBe(0);
  }
  expect(bridge.sandbox.service.members('Pilots')).toEqual(['ada@example.com']);
});

test('the page names every action and every control of the sandbox', () => {
  expect(Object.keys(actions).length).toBeGreaterThan(10);
  for (const name of [...Object.keys(controls), ...Object.keys(actions)])
    expect(page).toContain(`\`${name}\``);
});
