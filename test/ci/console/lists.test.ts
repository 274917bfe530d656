import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { findBrowser } from '../../support/browser.ts';
import { askOps } from '../../support/sweep.ts';
import { openWorld, type World } from './console.ts';

const browserPath = findBrowser();
/** Width of a phone, and the least of a cell that can be read, in pixels. */
const [PHONE, CELL_MIN] = [390, 100];

describe.skipIf(browserPath === undefined)('lists and tables of the console', () => {
  let world: World;
  beforeAll(async () => {
    world = await openWorld(browserPath ?? '');
  });
  afterAll(() => world?.stop());

  test('the box that searches says what the address asks for, however one came there', async () => {
    const page = await world.open('/users');
    const box = page.getByRole('searchbox', { name: 'Search' });
    await box.fill('ada');
    await page.waitForURL(/q=ada/);
    await page.getByRole('link', { name: 'ada.lovelace@example.com' }).click();
    await page.getByRole('heading', { name: 'ada.lovelace@example.com' }).waitFor();
    await page.goBack();
    await expect.poll(() => box.inputValue()).toBe('ada');

    await page.getByRole('link', { name: 'Users', exact: true }).click();
    await page.waitForURL((url) => url.search === '');
    await expect.poll(() => box.inputValue()).toBe('');
    await page.getByRole('link', { name: 'alan.turing@example.com' }).waitFor();
  });

  test('a plan that nobody decided about does not say that the policy did', async () => {
    const page = await world.openSignedIn();
    const { body } = await askOps(world.story.bridge, 'GET', '/plans?status=held');
    const [held] = Object(body).items;
    const over = { ...held, id: 'over', status: 'discarded', reason: 'superseded' };
    const items = [{ ...held, id: 'coming', status: 'making' }, over];
    await page.route(/\/ops\/plans\?limit=200/, (route) =>
      route.fulfill({ json: { items, nextCursor: null } }),
    );
    await page.goto('/console/plans');
    await page.locator('.rows tbody tr').nth(1).waitFor();

    expect(await page.locator('.rows tbody tr td:last-child').allTextContents()).toEqual([
      '',
      'the bridge',
    ]);
  });

  test('a list that its filters leave empty says nothing of what they leave out', async () => {
    const page = await world.open('/drifts?status=ignored');
    await page.getByText('No difference fits these filters.').waitFor();
    await page.goto('/console/plans?status=discarded');
    await page.getByText('No plan fits this filter.').waitFor();
    await page.goto('/console/leavers?status=withdrawn');
    await page.getByText('Nobody lost access in that time with this filter.').waitFor();
  });

  test('the overview promises no time while the service takes no calls', async () => {
    const { body } = await askOps(world.story.bridge, 'GET', '/status');
    const status = Object(body);
    const page = await world.openSignedIn();
    const upstream = { ...status.upstream, service: { ...status.upstream.service, kind: 'shut' } };
    const classes = [{ class: 'removals', waiting: 1, endMs: null }];
    await page.route(/\/ops\/status/, (route) =>
      route.fulfill({ json: { ...status, upstream, queue: { ...status.queue, classes } } }),
    );
    await page.goto('/console/');

    await page.getByText('waits until the service takes calls again').waitFor();
    await page.getByText('1 removal of access: not while nothing is changed').waitFor();
  });

  test('requests are chosen by what they are for, and by the credential that sent them', async () => {
    const { items } = Object(
      (await askOps(world.story.bridge, 'GET', '/requests?type=group')).body,
    );
    const [{ credential }] = items;
    const page = await world.open('/requests');
    const rows = page.locator('.rows tbody tr');
    await page
      .getByText(/ \/Users/)
      .first()
      .waitFor();
    await page.getByRole('combobox', { name: 'Users and groups' }).click();
    await page.getByRole('option', { name: 'Groups', exact: true }).click();
    await page.waitForURL(/type=group/);
    await expect.poll(() => rows.getByText(/ \/Users/).count()).toBe(0);
    expect(await rows.count()).toBeGreaterThan(0);

    await rows.getByRole('link', { name: credential, exact: true }).first().click();
    await page.waitForURL(`**/requests?credential=${credential}`);
    const box = page.getByRole('searchbox', { name: 'Id of a credential' });
    await expect.poll(() => box.inputValue()).toBe(credential);
    await page
      .getByText(/ \/Users/)
      .first()
      .waitFor();
    await box.fill('nobody');
    await page.getByText('No such request was kept.').waitFor();
  });

  test('a table of few rows scrolls on a phone and does not break names into a few letters', async () => {
    const { ids } = world.story;
    const page = await world.open(`/users/${ids.get('ada.lovelace@example.com')}`, {
      width: PHONE,
    });
    const cells = page.locator('.plain tbody td');
    await cells.first().waitFor();
    const widths = await cells.evaluateAll((all) =>
      all.map((cell) => Object(cell).getBoundingClientRect().width),
    );
    expect(Math.min(...widths)).toBeGreaterThanOrEqual(CELL_MIN);
  });
});
