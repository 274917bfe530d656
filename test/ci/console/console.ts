import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import axe from 'axe-core';
import type { BrowserContext, Page } from 'playwright-core';
import { expect, onTestFinished } from 'vitest';
import { startBrowser } from '../../support/browser.ts';
import { OPS_TOKEN, playStory } from './story.ts';

const root = join(import.meta.dirname, '../../..');

/** How a page is seen. */
interface Look {
  readonly height?: number;
  readonly token?: string;
}

/** A browser in front of the console of the story. */
export type World = Awaited<ReturnType<typeof openWorld>>;

/** Builds the pages unless they are built, plays the story and starts the browser. No page may break a promise of all. */
export async function openWorld(browserPath: string) {
  buildPages();
  const [story, browser] = await Promise.all([playStory(), startBrowser(browserPath)]);
  const faults: string[] = [];
  const signedIn = new Map<string, SessionCookies>();

  async function openStranger({ height = 800 }: Look = {}) {
    const context = await browser.newContext({
      ...{ baseURL: story.origin, viewport: { width: 1_200, height } },
      ...{ locale: 'en-GB', timezoneId: 'UTC', reducedMotion: 'reduce' },
    });
    // Pages that stay open go on following the bridge, each in a process of its own.
    onTestFinished(() => context.close());
    const page = await context.newPage();
    watch(page, story.origin, faults);
    return page;
  }

  async function openSignedIn({ token = OPS_TOKEN, ...look }: Look = {}) {
    const page = await openStranger(look);
    const known = signedIn.get(token);
    if (known === undefined) signedIn.set(token, await signIn(page, token));
    else await page.context().addCookies(known);
    return page;
  }

  return {
    story,
    ask: async (path: string) => Object((await story.bridge.ops('GET', path)).body),
    openStranger,
    openSignedIn,
    async open(path: string, look?: Look) {
      const page = await openSignedIn(look);
      await page.goto(`/console${path}`);
      await page.locator('h1').waitFor();
      return page;
    },
    async stop() {
      await browser.close();
      await story.bridge.stop();
      expect(faults, 'requests to other origins, and what the policy or a page refused').toEqual(
        [],
      );
    },
  };
}

/** Builds the pages unless they are built. */
export function buildPages(): void {
  execFileSync(process.execPath, ['scripts/build-console.mjs'], { cwd: root, stdio: 'inherit' });
}

function watch(page: Page, origin: string, faults: string[]): void {
  page.on('request', (request) => {
    const url = request.url();
    if (!url.startsWith(origin)) faults.push(`a request to ${url}`);
  });
  page.on('pageerror', (error) => faults.push(`a fault of the page: ${error.message}`));
  page.on('console', (message) => {
    const text = message.text();
    if (/content security policy|refused to/i.test(text)) faults.push(text);
  });
}

type SessionCookies = Awaited<ReturnType<BrowserContext['cookies']>>;

/** Signs in with a token, without the page of it. */
export async function signIn(page: Page, token = OPS_TOKEN): Promise<SessionCookies> {
  const answer = await page.request.post('/console/session', {
    headers: { 'X-Scim-Bridge-Console': '1' },
    data: { token },
  });
  expect(answer.status()).toBe(201);
  return page.context().cookies();
}

interface Violation {
  readonly id: string;
  readonly impact: string;
  readonly nodes: readonly string[];
}

interface Turning {
  readonly effect: { getComputedTiming(): { readonly endTime: number } };
}

/** What axe-core finds on a page that is serious or critical, and names that two landmarks have, once what fades in is there; `rules`: of these alone. */
export async function findSerious(
  page: Page,
  rules: readonly string[] | undefined = undefined,
): Promise<Violation[]> {
  await page.evaluate(async () => {
    const { document, requestAnimationFrame: next } = Reflect.get(globalThis, 'window');
    await new Promise((drawn) => next(() => next(drawn)));
    // What turns while something is awaited has no end.
    const ends = document
      .getAnimations()
      .filter(({ effect }: Turning) => Number.isFinite(effect.getComputedTiming().endTime))
      .map(({ finished }: { finished: Promise<unknown> }) => finished);
    await Promise.allSettled(ends);
  });
  // As a protocol of the browser, since the policy of the page lets no script in.
  if (!(await page.evaluate(() => Reflect.has(globalThis, 'axe')))) await page.evaluate(axe.source);
  return page.evaluate(async (only) => {
    const loaded = Reflect.get(globalThis, 'axe');
    const { violations } = await loaded.run(Reflect.get(globalThis, 'document'), {
      resultTypes: ['violations'],
      ...(only && { runOnly: only }),
    });
    return violations
      .filter(({ impact, id }: Violation) => /serious|critical/.test(impact) || /unique/.test(id))
      .map(({ id, impact, nodes }: { id: string; impact: string; nodes: { html: string }[] }) => ({
        ...{ id, impact },
        nodes: nodes.map(({ html }) => html.slice(0, 200)),
      }));
  }, rules);
}

/** Presses Tab until the thing with this name has the focus. @throws Error when nothing with the name is reached */
export async function tabTo(page: Page, name: RegExp): Promise<void> {
  const seen: string[] = [];
  for (let presses = 0; presses < 120; presses += 1) {
    await page.keyboard.press('Tab');
    const focused = await page.evaluate(readFocused);
    if (name.test(focused)) return;
    seen.push(focused);
  }
  throw new Error(`Tab does not lead to ${name}, but to: ${seen.join(' | ')}`);
}

/** Leads the keyboard to the thing with this name, and presses it. */
export async function press(page: Page, name: RegExp): Promise<void> {
  await tabTo(page, name);
  await page.keyboard.press('Enter');
}

/** The name of what has the focus. */
export function readFocused(): string {
  const element = Reflect.get(globalThis, 'document').activeElement;
  const label = element.labels?.[0]?.textContent;
  return element.getAttribute('aria-label') ?? label ?? element.textContent ?? '';
}
