import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { findBrowser } from '../../support/browser.ts';
import { forSuite } from '../../support/lifetimes.ts';
import { replace } from '../../support/provider.ts';
import { findSerious, openWorld, type World } from './console.ts';

const browserPath = findBrowser();
/** Pictures of the README, which are made again with `PICTURES=1`. */
const PICTURES = process.env.PICTURES === '1' ? ['overview-light', 'plan-dark'] : [];

/** Every page; a function finds the address in the story. */
const PAGES: Readonly<Record<string, string | ((world: World) => Promise<string> | string)>> = {
  overview: '/',
  plans: '/plans',
  plan: async ({ story }) => {
    const { body } = await story.bridge.ops('GET', '/plans?status=held');
    return `/plans/${Object(body).items[0].id}`;
  },
  drifts: '/drifts',
  users: '/users',
  user: ({ story }) => `/users/${story.ids.get('ada.lovelace@example.com')}`,
  groups: '/groups',
  group: ({ story }) => `/groups/${story.payrollId}`,
  leavers: async ({ story: { bridge, ids } }) => {
    await bridge.patch(`/Users/${ids.get('robin.milner@example.com')}`, replace('active', false));
    const read = async () => (await bridge.ops('GET', '/leavers')).text;
    await expect.poll(read).toContain('robin.milner');
    return '/leavers';
  },
  requests: '/requests',
  credentials: '/credentials',
  acts: '/acts',
  settings: '/settings',
  'set-up': '/set-up',
};

const failed = { status: 500, json: { code: 'bug', message: 'The bridge could not do it.' } };
const forbidden = { status: 403, json: { code: 'forbidden', message: 'Readers may not see it.' } };
const FAULTS = [
  { what: 'a page of a bridge that fails', path: '/', answer: failed },
  { what: 'a page that is forbidden', path: '/credentials', answer: forbidden },
  { what: 'a plan that is not there', path: '/plans/none', answer: undefined },
];

const LAST: Readonly<Record<string, string>> = {
  overview: 'figure.chart',
  user: '[aria-label="What happened"]',
};
const HEIGHTS: Readonly<Record<string, number>> = { overview: 1_320, user: 1_400 };

describe.skipIf(browserPath === undefined)('every page of the console', () => {
  const world = forSuite(() => openWorld(browserPath ?? ''));

  async function findAddress(name: string): Promise<string> {
    const path = PAGES[name] ?? '/';
    return typeof path === 'string' ? path : path(world);
  }

  test('the page of signing in has nothing serious for axe', async () => {
    const page = await world.openStranger({ height: 640 });
    await page.goto('/console/');
    await page.getByLabel('Token of an operator').waitFor();
    expect(await findSerious(page)).toEqual([]);
  });

  test('the menu of the person, and a dialog that makes something, have nothing serious', async () => {
    const page = await world.open('/credentials');
    await page.getByLabel('Signed in as').click();
    await page.getByRole('menuitem', { name: 'Sign out' }).waitFor();
    expect(await findSerious(page)).toEqual([]);
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Make a credential' }).click();
    await page.getByRole('dialog').waitFor();
    expect(await findSerious(page)).toEqual([]);
  });

  test('a page that is not there yet says so, and has nothing serious for axe', async () => {
    const page = await world.openSignedIn();
    await page.route(/\/ops\/status/, () => undefined);
    await page.goto('/console/');
    await page.getByRole('status', { name: 'Loading' }).waitFor();
    expect(await findSerious(page)).toEqual([]);
  });

  test('an address without a page says so, and has nothing serious for axe', async () => {
    const page = await world.open('/nowhere/at-all');
    await page.getByRole('heading', { name: 'There is no such page', level: 1 }).waitFor();
    expect(await findSerious(page)).toEqual([]);
  });

  test.each(FAULTS)('$what has nothing serious for axe', async ({ path, answer }) => {
    const page = await world.openSignedIn();
    await page.route(/\/ops\//, (route) => (answer ? route.fulfill(answer) : route.fallback()));
    await page.goto(`/console${path}`);
    await page.getByRole('alert').first().waitFor();
    expect(await findSerious(page)).toEqual([]);
  });

  test.each(Object.keys(PAGES))(
    '%s has nothing serious for axe in either look, and fits a tablet and a phone',
    async (name) => {
      const address = await findAddress(name);
      const page = await world.openSignedIn({ height: HEIGHTS[name] ?? 800 });
      await page.goto(`/console${address}`);
      await page.locator('table, .ticks, .chart').first().waitFor();
      await page
        .locator(LAST[name] ?? 'h1')
        .first()
        .waitFor();
      await expect.poll(() => page.getByLabel('Loading', { exact: true }).count()).toBe(0);

      for (const colorScheme of ['light', 'dark'] as const) {
        await page.emulateMedia({ colorScheme });
        // What differs between the looks are colours.
        const rules = colorScheme === 'light' ? undefined : ['color-contrast'];
        expect(await findSerious(page, rules), colorScheme).toEqual([]);
        const path = join(import.meta.dirname, `../../../docs/console/${name}-${colorScheme}.png`);
        const isShown = PICTURES.includes(`${name}-${colorScheme}`);
        if (isShown) await page.screenshot({ path, animations: 'disabled' });
      }
      for (const [width, height] of [
        [1_024, 768],
        [390, 844],
      ] as const) {
        await page.setViewportSize({ width, height });
        await expect.poll(() => page.evaluate(readBeyond), { message: `${width} px` }).toBe(0);
      }
    },
  );

  test('none asks anything of other origins or breaks the policy', () => {
    expect(world.faults).toEqual([]);
  });
});

function readBeyond(): number {
  const { documentElement } = Reflect.get(globalThis, 'document');
  return documentElement.scrollWidth - documentElement.clientWidth;
}
