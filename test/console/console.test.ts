// @module-tag long
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { findBrowser } from '../support/browser.ts';
import { askOps, OPS_TOKEN } from '../support/sweep.ts';
import { findSerious, openWorld, tabTo, type World } from './console.ts';
import { READER_TOKEN } from './story.ts';

const browserPath = findBrowser();
/** Longest time in which an operator who knows the pages sees and decides the story, in milliseconds. */
const STORY_MS = 120_000;

/** Bytes of everything that the first page loads, compressed as it is sent: a second on a slow line. */
const FIRST_PAGE_BYTES = 350_000;

describe.skipIf(browserPath === undefined)('the console', () => {
  let world: World;
  beforeAll(async () => {
    world = await openWorld(browserPath ?? '');
  });
  afterAll(() => world?.stop());

  async function ask(path: string) {
    const { body } = await askOps(world.story.bridge, 'GET', path);
    return Object(body);
  }

  test('signs in with a token by keyboard, tells a wrong one, and signs out', async () => {
    const page = await world.openStranger();
    await page.goto('/console/plans');
    await page.getByLabel('Token of an operator').waitFor();

    await page.keyboard.type('a-token-that-nobody-has');
    await page.keyboard.press('Enter');
    await page.getByRole('alert').getByText('No operator or reader has this token').waitFor();
    await page.getByLabel('Token of an operator').fill(OPS_TOKEN);
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Plans', level: 1 }).waitFor();

    await tabTo(page, /Signed in as/);
    await page.keyboard.press('Enter');
    await page.getByRole('menuitem', { name: 'Sign out' }).press('Enter');
    await page.getByLabel('Token of an operator').waitFor();
  });

  test('shows a reader everything and no button that changes something', async () => {
    const { payrollId } = world.story;
    const [plan] = (await ask('/plans?status=held')).items;
    const buttons = /Approve|Discard|Repair|Retry|Look|Pause|Revoke|Rotate|Make|End/;
    const page = await world.open(`/plans/${plan.id}`, { token: READER_TOKEN });
    await page.getByText('You are signed in as a reader').waitFor();
    for (const path of [
      `/plans/${plan.id}`,
      '/',
      `/groups/${payrollId}`,
      '/credentials',
      '/drifts',
    ]) {
      await page.goto(`/console${path}`);
      await page.locator('h1').waitFor();
      await page.locator('table').first().waitFor();
      expect(await page.getByRole('button', { name: buttons }).count(), path).toBe(0);
      expect(await page.getByRole('checkbox').count(), path).toBe(0);
    }
  });

  test('has the story seen and decided in under two minutes, by keyboard alone', async () => {
    const startedAt = performance.now();
    const page = await world.open('/');
    await page.getByRole('heading', { name: /^Not yet\. \d+ things need you\.$/ }).waitFor();

    // Why has Ada lost her place in Payroll?
    await tabTo(page, /^Users$/);
    await page.keyboard.press('Enter');
    await tabTo(page, /^Search$/);
    await page.keyboard.type('lovelace');
    await page.getByText('1 in all').waitFor();
    await tabTo(page, /^ada\.lovelace@example\.com$/);
    await page.keyboard.press('Enter');
    await page.getByText('by mallory from 203.0.113.9').first().waitFor();
    await page
      .getByRole('row', { name: /Payroll/ })
      .getByText('drifted')
      .waitFor();

    // What waits for a decision?
    await tabTo(page, /^Plans/);
    await page.keyboard.press('Enter');
    await tabTo(page, /^Remove 22 members$/);
    await page.keyboard.press('Enter');
    await page.getByRole('link', { name: 'alan.turing@example.com' }).waitFor();
    await tabTo(page, /^Approve$/);
    await page.keyboard.press('Enter');
    await page
      .getByRole('dialog')
      .getByText('Remove 22 members. Harm: 22 members removed.')
      .waitFor();
    await page.keyboard.press('Enter');
    await page.getByText('by ops.token', { exact: true }).waitFor();
    await page.locator('.head + .tag', { hasText: 'applied' }).waitFor();

    const members = world.story.bridge.sandbox.service.members('Payroll');
    expect(members).toEqual(['grace.hopper@example.com']);
    expect(performance.now() - startedAt).toBeLessThan(STORY_MS);
  });

  test('decides about chosen drifts, each with what would follow', async () => {
    const page = await world.open('/drifts?kind=member.removed');
    await page.getByLabel(/Choose Payroll/).check();
    await page.getByRole('button', { name: 'Repair' }).click();
    const question = page.getByRole('dialog');
    await question.getByText('ada.lovelace@example.com in Payroll').waitFor();
    await question.getByText('puts into the group').waitFor();
    await question.getByRole('button', { name: 'Repair', exact: true }).click();

    const read = () => world.story.bridge.sandbox.service.members('Payroll').toSorted();
    await expect.poll(read).toEqual(['ada.lovelace@example.com', 'grace.hopper@example.com']);
    await page.getByText('No differences of this kind').waitFor();
  });

  test('rotates a credential by keyboard: the new secret is shown once', async () => {
    const page = await world.open('/credentials');
    await page.getByText('entra').first().waitFor();
    await tabTo(page, /^Rotate entra$/);
    await page.keyboard.press('Enter');
    await page.getByRole('dialog').getByText('scim-bridge client rotate entra').waitFor();
    await page.keyboard.press('Enter');
    const secret = page.getByRole('textbox', { name: 'Client secret' });
    await secret.waitFor();

    expect(await secret.inputValue()).toMatch(/^scimbridge_secret_/);
    const [client] = (await ask('/clients')).items;
    expect(client.secrets).toHaveLength(2);
    await page.getByRole('button', { name: 'I have copied it' }).click();
    expect(await secret.count()).toBe(0);
    await page.getByRole('row', { name: /entra/ }).getByText('ends').nth(1).waitFor();
  });

  test('shows what happens elsewhere as it happens', async () => {
    const page = await world.open('/credentials');
    await page.getByText('Live', { exact: true }).waitFor();
    await askOps(world.story.bridge, 'POST', '/tokens', { name: 'made-elsewhere' });
    await page.getByText('made-elsewhere').waitFor();
  });

  test('has nothing serious for axe on a page that is decided upon', async () => {
    const page = await world.open('/drifts?status=all');
    await page.getByLabel('Choose all').check();
    await page.getByRole('button', { name: 'Accept' }).click();
    await page.getByRole('dialog').waitFor();
    expect(await findSerious(page)).toEqual([]);
  });

  test('loads its first page in 350 KB', async () => {
    const page = await world.openStranger();
    const sizes: Promise<number>[] = [];
    page.on('requestfinished', (request) => {
      if (new URL(request.url()).pathname.startsWith('/console/'))
        sizes.push(request.sizes().then(({ responseBodySize }) => responseBodySize));
    });
    await page.goto('/console/');
    await page.getByLabel('Token of an operator').fill(OPS_TOKEN);
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { level: 1 }).waitFor();
    await page.locator('figure.chart svg').first().waitFor();
    const bytes = (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0);

    expect(bytes).toBeGreaterThan(FIRST_PAGE_BYTES / 10);
    expect(bytes).toBeLessThan(FIRST_PAGE_BYTES);
  });

  test('asks nothing of other origins and breaks no policy, on every page that was seen', () => {
    expect(world.faults).toEqual([]);
  });
});
