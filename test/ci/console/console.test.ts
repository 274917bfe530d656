import { describe, expect, test } from 'vitest';
import { exitCodes } from '../../../src/cli/command.ts';
import { findBrowser } from '../../support/browser.ts';
import { runner } from '../../support/command.ts';
import { forSuite } from '../../support/lifetimes.ts';
import { OPS_TOKEN } from '../../support/operator.ts';
import { admit, toProvider } from '../../support/provider.ts';
import { findSerious, openWorld, press, readFocused, tabTo } from './console.ts';
import { READER_TOKEN } from './story.ts';

const browserPath = findBrowser();
/** Longest time in which an operator who knows the pages sees and decides the story, in milliseconds. */
const STORY_MS = 120_000;

/** Bytes of everything that the first page loads, compressed as it is sent: a second on a slow line. */
const FIRST_PAGE_BYTES = 350_000;

const ACTS = /^(Pause all changes|Compare everything|Retry all|Undo|Look now|Retry)$/;

describe.skipIf(browserPath === undefined)('the console', () => {
  const world = forSuite(() => openWorld(browserPath ?? ''));

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

    await press(page, /Signed in as/);
    await page.getByRole('menuitem', { name: 'Sign out' }).press('Enter');
    await page.getByLabel('Token of an operator').waitFor();
  });

  test('shows a reader everything and no button that changes something', async () => {
    const { payrollId } = world.story;
    const [plan] = (await world.ask('/plans?status=held')).items;
    const buttons = /Approve|Discard|Repair|Retry|Look|Pause|Revoke|Rotate|Make|End/;
    const page = await world.open(`/plans/${plan.id}`, { token: READER_TOKEN });
    await page.getByText('You are signed in as a reader').waitFor();
    for (const path of ['/', `/groups/${payrollId}`, '/credentials', '/drifts']) {
      await page.goto(`/console${path}`);
      await page.locator('h1').waitFor();
      await page.locator('table, dl.facts').first().waitFor();
      expect(await page.getByRole('button', { name: buttons }).count(), path).toBe(0);
      expect(await page.getByRole('checkbox').count(), path).toBe(0);
    }
  });

  test('has the story seen and decided in under two minutes, by keyboard alone', async () => {
    const startedAt = performance.now();
    const page = await world.open('/');
    await page.getByRole('heading', { name: /^Not yet\. \d+ things need you\.$/ }).waitFor();
    await page.getByText('24 differences in the service, made by others').waitFor();

    // Why has Ada lost her place in Payroll?
    await press(page, /^Users$/);
    await tabTo(page, /^Search$/);
    await page.keyboard.type('lovelace');
    await page.getByText('1 in all').waitFor();
    await press(page, /^ada\.lovelace@example\.com$/);
    await page.getByText('by mallory from 203.0.113.9').first().waitFor();
    await page
      .getByRole('row', { name: /Payroll/ })
      .getByText('drifted')
      .waitFor();

    // What waits for a decision?
    await press(page, /^Plans/);
    await press(page, /^Remove 22 members$/);
    await page.getByRole('link', { name: 'alan.turing@example.com in Payroll' }).waitFor();
    const late = await world.open(new URL(page.url()).pathname.replace('/console', ''));
    await late.getByRole('button', { name: 'Discard' }).click();
    await press(page, /^Approve$/);
    const question = page.getByRole('dialog');
    await question.getByText('Remove 22 members. Harm: 22 members removed from groups.').waitFor();
    await expect.poll(() => page.evaluate(readFocused)).toBe('Cancel');
    await press(page, /^Approve$/);
    await question.getByText(/^Plan \w+ of .+: 22 actions, (approved|applied)/).waitFor();
    await page.keyboard.press('Enter');
    await question.waitFor({ state: 'detached' });
    await page.getByText(/by ops\.token$/).waitFor();
    await page.locator('.tag', { hasText: 'applied' }).waitFor();

    // Who decides later is told, though there is nothing left to decide.
    await late.locator('.tag', { hasText: 'applied' }).waitFor();
    await late.getByRole('dialog').getByRole('button', { name: 'Discard', exact: true }).click();
    await late.getByRole('alert').getByText('Not done').waitFor();

    const members = world.story.bridge.sandbox.service.members('Payroll');
    expect(members).toEqual(['grace.hopper@example.com']);
    expect(performance.now() - startedAt).toBeLessThan(STORY_MS);
  });

  test('decides about chosen drifts, each with what would follow', async () => {
    const page = await world.open('/drifts?kind=member.removed');
    await page.getByLabel(/Choose Payroll/).check();
    await page.getByRole('button', { name: 'Repair' }).click();
    const question = page.getByRole('dialog');
    await question.getByText('Add 1 member. Harm: none.').waitFor();
    expect(await findSerious(page)).toEqual([]);
    await question.getByRole('button', { name: 'Repair', exact: true }).click();

    const read = () => world.story.bridge.sandbox.service.members('Payroll').toSorted();
    await expect.poll(read).toEqual(['ada.lovelace@example.com', 'grace.hopper@example.com']);
    await page.getByText('There is nothing to list.').waitFor();
    await question.getByText('Decided: 1. Add 1 member. Harm: none. The plan').waitFor();
  });

  test('rotates a credential by keyboard: the new secret is shown once, and the old one is revoked', async () => {
    const page = await world.open('/credentials');
    await page.getByText('entra').first().waitFor();
    await press(page, /^Rotate entra$/);
    await page.getByRole('dialog').getByText('scim-bridge client rotate entra').waitFor();
    await press(page, /^Rotate$/);
    const secret = page.getByRole('textbox', { name: 'Client secret' });
    await secret.waitFor();

    expect(await secret.inputValue()).toMatch(/^scimbridge_secret_/);
    const [client] = (await world.ask('/clients')).items;
    expect(client.secrets).toHaveLength(2);
    // Nobody sees it again, so only a word of the person closes it.
    await page.keyboard.press('Escape');
    await page.mouse.click(5, 5);
    expect(await secret.isVisible()).toBe(true);
    await page.getByRole('button', { name: 'I have copied it' }).click();
    expect(await secret.count()).toBe(0);
    await page
      .getByRole('row', { name: /entra/ })
      .getByText(/expires .* expires/s)
      .waitFor();

    const { secrets } = client;
    await page.getByLabel(`Revoke ${secrets[0].id} of entra`).click();
    const command = `scim-bridge client revoke entra --secret ${secrets[0].id}`;
    const question = page.getByRole('dialog');
    await question.getByText(command).waitFor();
    await question.getByRole('button', { name: /^Revoke secret/ }).click();
    const readSecrets = async () => (await world.ask('/clients')).items[0].secrets;
    const revoked = [{ revokedAt: expect.any(String) }, { revokedAt: null }];
    await expect.poll(readSecrets).toMatchObject(revoked);
  });

  test('makes a credential with an end and a profile, of the provider that is chosen, and shows whose each is', async () => {
    const { status } = await world.story.bridge.ops('POST', '/providers', { name: 'okta' });
    expect(status).toBe(201);
    const page = await world.open('/credentials');
    await page.getByRole('button', { name: 'Make a credential' }).click();
    await page.getByRole('textbox', { name: 'Name' }).fill('okta-hr');
    for (const [box, option] of [
      ['Provider', /^okta$/],
      ['Ends after', /^90 days$/],
      ['Requests are read', /^Strict/],
    ] as const) {
      await page.getByRole('combobox', { name: box }).click();
      await page.getByRole('option', { name: option }).click();
    }
    await page.getByText(/^scim-bridge token create okta-hr --/).waitFor();
    const made = await page.getByText(/^scim-bridge token create okta-hr --/).textContent();
    for (const part of ['--provider okta', '--expires 90d', '--profile strict'])
      expect(made).toContain(part);
    await page.getByRole('button', { name: 'Make it' }).click();
    await page.getByRole('button', { name: 'I have copied it' }).click();

    await page
      .getByRole('row', { name: /okta-hr/ })
      .getByText('scim, of okta, strict')
      .waitFor();
    const { items } = await world.ask('/tokens');
    expect(items[0]).toMatchObject({ name: 'okta-hr', provider: 'okta', profile: 'strict' });
  });

  test('asks before a plan is undone', async () => {
    const { items } = await world.ask('/plans?status=applied');
    const plan = items.find(({ counts }: { counts: { total: number } }) => counts.total === 22);
    const page = await world.open(`/plans/${plan.id}`);
    await page.getByText('22 done').waitFor();
    await page.getByRole('button', { name: 'Undo', exact: true }).click();
    const question = page.getByRole('dialog');
    await question.getByText('is put back as it was').waitFor();
    await question.getByRole('button', { name: 'Cancel' }).click();
    expect((await world.ask(`/plans/${plan.id}`)).status).toBe('applied');
    expect((await world.ask('/plans?status=approved')).items).toEqual([]);
  });

  test('looks at a person, and says nothing more of the page before', async () => {
    const { ids } = world.story;
    const page = await world.open(`/users/${ids.get('tony.hoare@example.com')}`);
    await page.getByRole('button', { name: 'Look now' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Look now' }).click();
    await page.getByRole('status').getByText('deactivated user').waitFor();
    const other = `/console/users/${ids.get('radia.perlman@example.com')}`;
    await page.evaluate(
      (path) => Reflect.get(globalThis, 'history').pushState({}, '', path),
      other,
    );
    await page.getByRole('heading', { name: 'radia.perlman@example.com' }).waitFor();
    expect(await page.getByRole('status').getByText('deactivated user').count()).toBe(0);
  });

  test('shows commands that there are', async () => {
    const { payrollId, ids } = world.story;
    const [plan] = (await world.ask('/plans?status=applied')).items;
    const shown = new Set<string>();
    const page = await world.openSignedIn();
    for (const path of [
      ...['/', '/settings', '/set-up', `/plans/${plan.id}`],
      ...[`/groups/${payrollId}`, `/users/${ids.get('tony.hoare@example.com')}`],
    ]) {
      await page.goto(`/console${path}`);
      await page.locator('.command code, .tag').first().waitFor({ state: 'attached' });
      for (const button of await page.getByRole('button', { name: ACTS }).all()) {
        await button.click();
        await page.getByRole('dialog').locator('.command code').waitFor();
        for (const text of await page.locator('.command code').allTextContents()) shown.add(text);
        await page.keyboard.press('Escape');
        await page.getByRole('dialog').waitFor({ state: 'detached' });
      }
      for (const text of await page.locator('.command code').allTextContents()) shown.add(text);
    }
    expect(shown.size).toBeGreaterThan(8);
    const run = runner(world.story.bridge, { answer: 'n' });
    for (const command of shown) {
      const [program, ...args] = command.split(' ');
      expect(program, command).toBe('scim-bridge');
      const { code, text } = await run(...args);
      expect(code, `${command}: ${text}`).not.toBe(exitCodes.usage);
      expect(text, command).not.toMatch(/unknown|Nothing has|No client/);
    }
  });

  test('counts beside the pages what the overview says needs somebody, and no account that nobody asked for', async () => {
    const page = await world.openSignedIn();
    const status = { ...(await world.ask('/status')), drifts: [], unmanaged: 3, reasons: [] };
    await page.route(/\/ops\/status/, (route) => route.fulfill({ json: status }));
    await page.goto('/console/');
    await page.getByRole('heading', { name: /^Yes\. / }).waitFor();

    expect(await page.getByRole('link', { name: /^Drifts/ }).textContent()).toBe('Drifts');
  });

  test('ticks each step of the set-up by itself while a provider connects, however busy another one is', async () => {
    const { bridge } = world.story;
    const made = await bridge.ops('POST', '/tokens', { name: 'entra-new' });
    const headers = { authorization: `Bearer ${Object(made.body).token}` };
    const provider = toProvider((method, path, body) =>
      bridge.request(method, path, body, headers),
    );
    const page = await world.open('/set-up');
    const done = page.locator('.ticks .tag[data-tone="good"]');
    const expectDone = (count: number) => expect.poll(() => done.count()).toBe(count);
    await page.getByText('Waiting for the test of the connection.').waitFor();
    await expectDone(1);

    await provider.send('GET', '/Users?filter=userName%20eq%20%22nobody%22');
    await expectDone(2);
    await provider.request('POST', '/Users', { schemas: [] });
    await page.getByText('Refused so far, with 400').waitFor();
    const id = await provider.addUser('newcomer');
    await expectDone(3);
    const group = await provider.addGroup('Newcomers');
    await expectDone(4);
    const join = admit(id);
    await provider.patch(`/Groups/${group}`, join);
    await expectDone(5);

    const asks = Array.from({ length: 300 }, () => bridge.send('GET', `/Users/${id}`));
    await Promise.all(asks);
    await page.reload();
    await expectDone(5);
  });

  test('asks whoever is signed out elsewhere to sign in, says that nothing was done, and shows the same address then', async () => {
    const made = await world.story.bridge.ops('POST', '/tokens', {
      ...{ name: 'leaving', for: 'operator' },
    });
    const page = await world.open('/drifts?kind=user.deactivated', {
      token: String(Object(made.body).token),
    });
    await page.getByLabel(/Choose tony/).check();
    await page.getByRole('button', { name: 'Accept' }).click();
    const question = page.getByRole('dialog');
    await question.getByRole('button', { name: 'Accept', exact: true }).isEnabled();
    await world.story.bridge.ops('POST', '/tokens/leaving/revoke');
    await question.getByRole('alert').getByText('The session is over.').waitFor();
    await question.getByRole('button', { name: 'Cancel' }).click();
    await page.getByRole('status').getByText('The session is over').waitFor();

    await page.getByLabel('Token of an operator').fill(OPS_TOKEN);
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Drifts', level: 1 }).waitFor();
    expect(new URL(page.url()).search).toBe('?kind=user.deactivated');
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
    await page.locator('dl.facts dd').first().waitFor();
    const bytes = (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0);

    expect(bytes).toBeGreaterThan(FIRST_PAGE_BYTES / 10);
    expect(bytes).toBeLessThan(FIRST_PAGE_BYTES);
  });
});
