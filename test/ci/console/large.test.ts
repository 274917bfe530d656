import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestBridge, type TestBridge } from '../../support/bridge.ts';
import { findBrowser, startBrowser } from '../../support/browser.ts';
import { addGroup, addUser, untilSettled } from '../../support/provider.ts';
import { OPS_TOKEN, SWEEP_SETTINGS } from '../../support/sweep.ts';
import { buildPages } from './console.ts';
import { CHANGES, DRIFTS, fillStore, MEMBERS, USERS } from './many.ts';

const browserPath = findBrowser();
/** Rows that a window of this height shows, with those that are kept ready. */
const ROWS_MADE_MAX = 80;
/** Long lists come in pages of this many. */
const PAGE = 200;

describe.skipIf(browserPath === undefined)('the console of a large company', () => {
  let bridge: TestBridge;
  let browser: Browser;
  let page: Page;
  let group: string;
  beforeAll(async () => {
    buildPages();
    bridge = await startTestBridge({ settings: SWEEP_SETTINGS });
    const like = await addUser(bridge, 'ada');
    group = await addGroup(bridge, 'Everybody');
    await untilSettled(bridge);
    await fillStore(bridge.store, { like, group });
    browser = await startBrowser(browserPath ?? '');
    const context = await browser.newContext({ baseURL: new URL(bridge.baseUrl).origin });
    page = await context.newPage();
    const headers = { 'X-Scim-Bridge-Console': '1' };
    await page.request.post('/console/session', { headers, data: { token: OPS_TOKEN } });
  }, 300_000);
  afterAll(async () => {
    await browser?.close();
    await bridge?.stop();
  });

  /** Opens a page and tells how long it took until its rows could be used, for whoever reads the output. */
  async function open(path: string): Promise<void> {
    const startedAt = performance.now();
    await page.goto(`/console${path}`);
    await page.locator('.rows tbody a').first().waitFor();
    console.log(
      `${path}: ${Math.round(performance.now() - startedAt)} ms until its rows are there`,
    );
  }

  const countRows = () => page.locator('.rows tbody tr').count();

  const LISTS = [
    { path: '/users', of: `${USERS.toLocaleString('en')} users` },
    { path: '/drifts', of: `${DRIFTS.toLocaleString('en')} drifts` },
    { path: '/groups/{group}', of: `a group of ${MEMBERS.toLocaleString('en')} members` },
    { path: '/plans/large', of: `a plan of ${CHANGES.toLocaleString('en')} changes` },
  ];
  test.each(LISTS)(
    'makes only the rows in sight of $of, and reads more where somebody goes',
    async ({ path }) => {
      await open(path.replace('{group}', group));
      expect(await countRows()).toBeLessThan(ROWS_MADE_MAX);

      const scroll = () =>
        page.locator('.rows').evaluate((list) => {
          const element = Object(list);
          element.scrollTop = element.scrollHeight;
        });
      await scroll();
      await page.getByText(`${(2 * PAGE).toLocaleString('en')} read so far`).waitFor();
      expect(await countRows()).toBeLessThan(ROWS_MADE_MAX);
    },
  );

  test('says at the heading of a part of a plan how many changes it has, also of those not read yet', async () => {
    await open('/plans/large');
    const heading = page.locator('.rows tbody strong').first();
    await heading.getByText(`activate ${CHANGES.toLocaleString('en')} users`).waitFor();
  });

  test('finds one user of all by a part of the name', async () => {
    await open('/users');
    await page.getByLabel('Search').fill(`person${USERS - 1}@`);
    await page.getByText('1 in all').waitFor();
    await page.getByRole('link', { name: `person${USERS - 1}@example.com` }).click();
    await page.getByRole('heading', { name: 'Why it is so' }).waitFor();
  });
});
