import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Sandbox } from '../../../src/sandbox/sandbox.ts';
import { startSandbox } from '../../../src/sandbox/sandbox.ts';
import type { TestBridge, TestBridgeOptions } from '../../support/bridge.ts';
import { startTestBridge } from '../../support/bridge.ts';
import { findBrowser, startBrowser } from '../../support/browser.ts';
import { HANGING } from '../../support/faults.ts';
import { freePort } from '../../support/free-port.ts';
import { buildPages, signIn } from './console.ts';

const browserPath = findBrowser();

describe.skipIf(browserPath === undefined)('a page while the bridge does not answer', () => {
  let browser: Browser;
  let sandbox: Sandbox;
  let folder: string;
  let port: number;
  let bridge: TestBridge;
  let page: Page;

  const start = (options?: TestBridgeOptions) =>
    startTestBridge({
      ...options,
      settings: { DATABASE_URL: `sqlite:${join(folder, 'bridge.db')}` },
      ...{ service: sandbox, port },
    });

  beforeAll(async () => {
    buildPages();
    folder = mkdtempSync(join(tmpdir(), 'scim-bridge-away-'));
    [sandbox, port] = await Promise.all([startSandbox(), freePort()]);
    bridge = await start();
    browser = await startBrowser(browserPath ?? '');
    page = await (await browser.newContext({ baseURL: `http://127.0.0.1:${port}` })).newPage();
    await signIn(page);
  });
  afterAll(async () => {
    await browser?.close();
    await bridge?.stop();
    await sandbox?.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  test('stays as it is, says so, and goes on by itself once the bridge is back', async () => {
    await page.goto('/console/credentials');
    await page.getByRole('button', { name: 'Make a credential' }).click();
    const name = page.getByRole('textbox', { name: 'Name' });
    await name.fill('half-typed');
    const asked = page.waitForEvent('requestfailed', isOfTokens);
    await bridge.stop();
    await asked;
    // Each read is tried three times before it counts as failed.
    for (let tries = 1; tries < 3; tries += 1) await page.waitForEvent('requestfailed', isOfTokens);
    await page.getByText('The bridge does not answer').first().waitFor({ state: 'attached' });
    await page.getByRole('button', { name: 'Make it' }).click();
    await page.getByText('It may have been done all the same').waitFor();
    expect(await name.inputValue()).toBe('half-typed');

    bridge = await start();
    await page.getByRole('button', { name: 'Make it' }).click();
    await page.getByRole('textbox', { name: 'Token' }).waitFor();
  });

  test('takes its verdict back as soon as the bridge is gone, or stands still', async () => {
    const verdict = page.getByRole('heading', { level: 1 });
    await page.goto('/console/');
    await verdict.getByText('Yes').waitFor();
    const well = await verdict.textContent();
    await bridge.stop();
    await verdict.getByText('Not known').waitFor({ timeout: 7_000 });
    bridge = await start();
    await verdict.getByText(String(well)).waitFor();

    await page.route(/\/ops\/status/, () => undefined);
    await verdict.getByText('Not known').waitFor();
    await page.unroute(/\/ops\/status/);
    await verdict.getByText(String(well)).waitFor();
    expect(well).toContain('Yes');
  });

  test('keeps its list where a read is refused as one too many', async () => {
    await makeToken(bridge, 'made-before');
    await page.goto('/console/credentials');
    await page.getByText('made-before').waitFor();
    const refused = { code: 'too-many', message: 'More requests than are answered.' };
    await page.route(/\/ops\/tokens/, (route) => route.fulfill({ status: 429, json: refused }));
    await makeToken(bridge, 'made-meanwhile');
    // Each read is tried three times before it counts as failed.
    for (let tries = 0; tries < 3; tries += 1) await page.waitForResponse(/\/ops\/tokens/);
    expect(await page.getByText('made-before').isVisible()).toBe(true);
    await page.unroute(/\/ops\/tokens/);
    await makeToken(bridge, 'made-later');
    await page.getByText('made-meanwhile').waitFor();
  });

  test('does at once what is asked of it, or says that it is not done, also where the browser thinks that it is offline', async () => {
    await page.goto('/console/');
    await page.route(/\/ops\/sweeps$/, (route) => route.abort());
    await page.evaluate(() => Reflect.get(globalThis, 'dispatchEvent')(new Event('offline')));
    const compare = { name: 'Compare everything' };
    await page.getByRole('button', compare).click();
    await page.getByRole('dialog').getByRole('button', compare).click();
    await page.getByRole('alert').getByText('The bridge does not answer').waitFor();
    await page.unroute(/\/ops\/sweeps$/);
  });

  test('says that nobody is signed out where the bridge did not hear of it', async () => {
    await page.goto('/console/');
    await page.getByLabel('Signed in as').click();
    await page.route(/\/console\/session$/, (route) => route.abort());
    await page.getByRole('menuitem', { name: 'Sign out' }).click();
    await page.getByRole('alert').getByText('Not signed out').waitFor();
    await page.unroute(/\/console\/session$/);
  });

  test('shows how far the first read is, and no trouble', async () => {
    await bridge.stop();
    const { faults } = sandbox;
    faults.add({ operation: 'scim.getGroups', fault: HANGING });
    rmSync(join(folder, 'bridge.db'));
    bridge = await start({ awaitsFirstRead: false });
    await signIn(page);
    await page.goto('/console/');

    await page.getByRole('heading', { name: 'Soon. It reads the service' }).waitFor();
    await page.getByRole('progressbar', { name: 'of groups read' }).waitFor();
    expect(await page.getByText('cannot serve').count()).toBe(0);
    faults.clear();
    faults.release();
    await page.getByRole('heading', { name: 'Yes. The service holds' }).waitFor();
  });
});

async function makeToken(bridge: TestBridge, name: string): Promise<void> {
  expect((await bridge.ops('POST', '/tokens', { name })).status).toBe(201);
}

function isOfTokens(request: { url(): string }): boolean {
  return request.url().includes('/ops/tokens');
}
