import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { TestBridge } from '../../support/bridge.ts';
import { startTestBridge } from '../../support/bridge.ts';
import { findBrowser, startBrowser } from '../../support/browser.ts';
import { buildPages, signIn } from './console.ts';

const browserPath = findBrowser();
const USERS = 1_000;
const PAGE = 200;

describe.skipIf(browserPath === undefined)('the console of a large company', () => {
  let bridge: TestBridge;
  let browser: Browser;
  let page: Page;
  beforeAll(async () => {
    buildPages();
    bridge = await startTestBridge({ sandbox: { seed: { users: USERS } } });
    browser = await startBrowser(browserPath ?? '');
    page = await (await browser.newContext({ baseURL: new URL(bridge.baseUrl).origin })).newPage();
    await signIn(page);
    await page.goto('/console/users');
    await page.locator('.rows tbody a').first().waitFor();
  });
  afterAll(async () => {
    await browser?.close();
    await bridge?.stop();
  });

  const countRows = () => page.locator('.rows tbody tr').count();

  test('shows one page, and leads to the next and back', async () => {
    expect(await countRows()).toBe(PAGE);
    const readFirst = () => page.locator('.rows tbody a').first().textContent();
    const first = await readFirst();

    await page.getByRole('button', { name: 'Next page' }).click();
    await page.getByText('Page 2').waitFor();
    await expect.poll(readFirst).not.toBe(first);
    expect(await countRows()).toBe(PAGE);

    await page.getByRole('button', { name: 'Previous page' }).click();
    await expect.poll(readFirst).toBe(first);
  });

  test('finds one user of all by a part of the name', async () => {
    const { email } = bridge.sandbox.service.users().at(-1) ?? { email: '' };
    await page.getByLabel('Search').fill(email);
    await page.getByText('1 in all').waitFor();
    await page.getByRole('link', { name: email.replace(/@.*/, '') }).click();
    await page.getByRole('heading', { name: 'Why it is so' }).waitFor();
  });
});
