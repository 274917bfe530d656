import { describe, expect, test } from 'vitest';
import { findBrowser } from '../../support/browser.ts';
import { forSuite } from '../../support/lifetimes.ts';
import { replace } from '../../support/provider.ts';
import { openWorld, press, readFocused, tabTo } from './console.ts';

const browserPath = findBrowser();
const NEWCOMER = 'grown.up@example.com';
const UNTIL = '2099-01-31';

describe.skipIf(browserPath === undefined)('what an operator decides on a page', () => {
  const world = forSuite(() => openWorld(browserPath ?? ''));

  async function sweep(): Promise<void> {
    const { bridge } = world.story;
    await bridge.untilSwept(String((await bridge.ops('POST', '/sweeps', {})).body.id));
  }

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

  test('the overview promises no time while the service takes no calls', async () => {
    const status = await world.ask('/status');
    const page = await world.openSignedIn();
    const upstream = {
      ...status.upstream,
      service: { ...status.upstream.service, kind: 'shut' },
    };
    const leavers = { count: 3, since: status.since, heldBy: null, plan: null };
    await page.route(/\/ops\/status/, (route) =>
      route.fulfill({ json: { ...status, upstream, leavers } }),
    );
    await page.goto('/console/');

    await page.getByText('waits until the service takes calls again').waitFor();
    await page.getByText('3 who left are not out').waitFor();
  });

  test('requests are chosen by what they are for, and by the credential that sent them', async () => {
    const [{ credential }] = (await world.ask('/requests?type=group')).items;
    const page = await world.open('/requests');
    const rows = page.locator('.rows tbody tr');
    const first = page.getByText(/^\/Users/).first();
    await first.waitFor();
    await page.getByRole('combobox', { name: 'Every type' }).click();
    await page.getByRole('option', { name: 'Group', exact: true }).click();
    await page.waitForURL(/type=group/);
    await expect.poll(() => rows.getByText(/^\/Users/).count()).toBe(0);
    expect(await rows.count()).toBeGreaterThan(0);

    await rows.getByRole('link', { name: credential, exact: true }).first().click();
    await page.waitForURL(`**/requests?credential=${credential}`);
    const box = page.getByRole('searchbox', { name: 'Credential' });
    await expect.poll(() => box.inputValue()).toBe(credential);
    await first.waitFor();
    await box.fill('nobody');
    await page.getByText('There is nothing to list. Credential: With').waitFor();
    await box.fill('');
    await page.getByRole('searchbox', { name: 'Resource' }).fill('ada.lovelace@example.com');
    await page.getByText('scim-bridge requests --of ada.lovelace@example.com').waitFor();
    await first.waitFor();
    await page.goto('/console/drifts?status=all&kind=user.deactivated');
    await page.getByText('1 in all').waitFor();
    expect(await page.locator('.command').count()).toBe(0);
  });

  test('*Take over* makes a user the bridge’s, whom a provider may change from then on', async () => {
    const { bridge } = world.story;
    const { service } = bridge.sandbox;
    service.addUser({ email: NEWCOMER, fullName: 'Grown Up' });
    await sweep();
    const [{ id }] = (await world.ask(`/users?q=${NEWCOMER}`)).items;
    const page = await world.open(`/users/${id}`);
    await page.getByText('Only observed').waitFor();

    await press(page, /^Take over$/);
    const question = page.getByRole('dialog');
    await question.getByText(/^The bridge takes .+ over as the service holds it/).waitFor();
    await press(page, /^Take over$/);
    await page.getByText('managed, adopted').waitFor();
    await question.getByRole('button', { name: 'Close' }).last().press('Enter');

    expect((await world.ask(`/users/${id}/explain`)).managed).toBe('adopted');
    await bridge.patch(`/Users/${id}`, replace('active', false));
    await expect.poll(() => service.getUser(NEWCOMER).active).toBe(false);
    // There is nothing to take over any more, so the page has the focus of the button.
    await page.locator('#page:focus').waitFor();
    expect(await page.getByRole('button', { name: 'Take over' }).count()).toBe(0);
  });

  test('*Retry* brings to the service what it had refused', async () => {
    const { bridge, ids } = world.story;
    const { service } = bridge.sandbox;
    const address = 'katherine.johnson@example.com';
    expect(service.getUser(address).fullName).toBe('Katherine Johnson');
    const page = await world.open(`/users/${ids.get(address)}`);
    await page.getByText('Last problem').waitFor();

    await press(page, /^Retry$/);
    await page.getByRole('dialog').waitFor();
    await press(page, /^Retry$/);
    await page.getByRole('status').getByText('Tried now: 1').waitFor();

    await expect.poll(() => service.getUser(address).fullName).toBe('Katherine Goble');
    await page.getByText('Last problem').waitFor({ state: 'detached' });
    expect((await world.ask('/status')).stuckCount).toBe(0);
  });

  test('*Ignore until …* leaves a difference alone until the day, with the reason', async () => {
    const page = await world.open('/drifts?kind=user.deactivated');
    await tabTo(page, /^Choose tony\.hoare@example\.com/);
    await page.keyboard.press('Space');
    // The bar with the decisions is above the list.
    await page.keyboard.press('Shift+Tab');
    await press(page, /^Ignore until …$/);
    const question = page.getByRole('dialog');
    await expect.poll(() => page.evaluate(readFocused)).toMatch(/^Until/);
    await question.getByRole('textbox', { name: 'Until' }).fill(UNTIL);
    await tabTo(page, /^Why/);
    await page.keyboard.type('back in spring');
    await question
      .getByText(`scim-bridge drifts ignore --until ${UNTIL} --reason 'back in spring'`)
      .waitFor();
    await press(page, /^Ignore$/);
    await page.getByText('There is nothing to list.').waitFor();
    await page.keyboard.press('Enter');
    await page.locator('#page:focus').waitFor();

    const [drift] = (await world.ask('/drifts?status=ignored&kind=user.deactivated')).items;
    expect(drift).toMatchObject({ resource: { name: 'tony.hoare@example.com' } });
    await page.goto('/console/drifts?kind=user.deactivated&status=all');
    await page.getByText('back in spring').waitFor();
    await sweep();
    expect(world.story.bridge.sandbox.service.getUser('tony.hoare@example.com').active).toBe(false);
    expect((await world.ask('/drifts?status=ignored&kind=user.deactivated')).items).toHaveLength(1);
  });

  test('a decision that somebody else has taken meanwhile is refused in words', async () => {
    const { bridge } = world.story;
    bridge.sandbox.service.createGroup({ name: 'Pilots' });
    await sweep();
    const page = await world.open('/unmanaged?kind=group.unmanaged');
    await page.getByLabel(/Choose Pilots/).check();
    await page.getByRole('button', { name: 'Take over' }).click();
    const question = page.getByRole('dialog');
    await expect.poll(() => page.evaluate(readFocused)).toBe('Cancel');
    const [{ resource }] = (await world.ask('/unmanaged?kind=group.unmanaged')).items;
    await bridge.ops('POST', `/groups/${resource.id}/adopt`);
    await question.getByRole('button', { name: 'Take over', exact: true }).click();
    await question.getByText('Pilots: It is accepted already.').waitFor();
  });
});
