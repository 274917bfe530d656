import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { findBrowser } from '../../support/browser.ts';
import { forSuite } from '../../support/lifetimes.ts';
import { replace } from '../../support/provider.ts';
import type { World } from './console.ts';
import { findSerious, openWorld } from './console.ts';

const browserPath = findBrowser();
/** Pictures of the README, which are made again with `PICTURES=1`. */
const PICTURES = process.env.PICTURES === '1' ? ['overview-light', 'plan-dark'] : [];

/** The address of every page in the story. */
const PAGES: Readonly<Record<string, (world: World) => Promise<string> | string>> = {
  overview: () => '/',
  plans: () => '/plans',
  plan: async ({ ask }) => `/plans/${(await ask('/plans?status=held')).items[0].id}`,
  drifts: () => '/drifts',
  unmanaged: async ({ story: { bridge } }) => {
    bridge.sandbox.service.createGroup({ name: 'G'.repeat(255) });
    await bridge.untilSwept(String((await bridge.ops('POST', '/sweeps', {})).body.id));
    return '/unmanaged';
  },
  users: () => '/users',
  user: ({ story }) => `/users/${story.ids.get('ada.lovelace@example.com')}`,
  groups: () => '/groups',
  group: ({ story }) => `/groups/${story.payrollId}`,
  leavers: async ({ story: { bridge, ids } }) => {
    await bridge.patch(`/Users/${ids.get('robin.milner@example.com')}`, replace('active', false));
    const read = async () => (await bridge.ops('GET', '/leavers')).text;
    await expect.poll(read).toContain('robin.milner');
    return '/leavers';
  },
  requests: () => '/requests',
  credentials: () => '/credentials',
  acts: () => '/acts',
  settings: () => '/settings',
  'set-up': () => '/set-up',
};

const failed = { status: 500, json: { code: 'bug', message: 'The bridge could not do it.' } };
const forbidden = { status: 403, json: { code: 'forbidden', message: 'Readers may not see it.' } };
const FAULTS = [
  { what: 'a page of a bridge that fails', path: '/', answer: failed },
  { what: 'a page that is forbidden', path: '/credentials', answer: forbidden },
  { what: 'a plan that is not there', path: '/plans/none', answer: undefined },
];

const LAST: Readonly<Record<string, string>> = {
  overview: 'dl.facts dd',
  user: '[aria-label="What happened"]',
};
const HEIGHTS: Readonly<Record<string, number>> = { overview: 900, user: 1_400 };

describe.skipIf(browserPath === undefined)('every page of the console', () => {
  const world = forSuite(() => openWorld(browserPath ?? ''));

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
    '%s has nothing serious for axe in either look, and fits a screen, a tablet and a phone',
    async (name) => {
      const address = await PAGES[name]?.(world);
      const page = await world.openSignedIn({ height: HEIGHTS[name] ?? 800 });
      await page.goto(`/console${address}`);
      await page.locator('table, .ticks, dl.facts').first().waitFor();
      const last = page.locator(LAST[name] ?? 'h1').first();
      await last.waitFor();
      await expect.poll(() => page.getByLabel('Loading', { exact: true }).count()).toBe(0);

      for (const colorScheme of ['light', 'dark'] as const) {
        await page.emulateMedia({ colorScheme });
        // What differs between the looks are colours.
        const rules = colorScheme === 'light' ? undefined : ['color-contrast'];
        expect(await findSerious(page, rules), colorScheme).toEqual([]);
        const picture = `${name}-${colorScheme}`;
        const file = join(import.meta.dirname, `../../../docs/console/${picture}.png`);
        if (PICTURES.includes(picture))
          await page.screenshot({ path: file, animations: 'disabled' });
      }
      for (const width of [1_280, 1_024, 390]) {
        await page.setViewportSize({ width, height: 800 });
        // A tablet scrolls tables within their frame.
        const frames = width === 1_024 ? 'html' : 'html, .rows';
        await expect
          .poll(() => page.evaluate(readBeyond, frames), { message: `${width} px` })
          .toBe(0);
      }
      expect(await page.getByRole('navigation').getByRole('link').count(), 'shut').toBe(0);
    },
  );
});

function readBeyond(frames: string): number {
  const found: Iterable<{ scrollWidth: number; clientWidth: number }> = Reflect.get(
    globalThis,
    'document',
  ).querySelectorAll(frames);
  return Math.max(...Array.from(found, (one) => one.scrollWidth - one.clientWidth));
}
