import { once } from 'node:events';
import type { Server } from 'node:http';
import Provider from 'oidc-provider';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { JsonObject } from '../../../src/domain/values.ts';
import type { TestBridge } from '../../support/bridge.ts';
import { startTestBridge } from '../../support/bridge.ts';
import { findBrowser, startBrowser } from '../../support/browser.ts';
import { freePort } from '../../support/free-port.ts';
import { buildPages } from './console.ts';

const browserPath = findBrowser();
const SECRET = 'secret-of-the-console-at-the-provider';
const GROUPS: Readonly<Record<string, readonly string[]>> = {
  ada: ['staff', 'bridge-operators'],
  grace: ['staff', 'bridge-readers'],
  mallory: ['staff'],
};

async function startProvider(consoleUrl: string): Promise<{ issuer: string; server: Server }> {
  const port = await freePort();
  const issuer = `http://127.0.0.1:${port}`;
  const provider = new Provider(issuer, {
    clients: [
      {
        ...{ client_id: 'console', client_secret: SECRET },
        redirect_uris: [`${consoleUrl}/console/oidc/callback`],
        post_logout_redirect_uris: [`${consoleUrl}/console/`],
      },
    ],
    scopes: ['openid', 'profile', 'groups'],
    claims: { openid: ['sub'], profile: ['preferred_username'], groups: ['groups'] },
    findAccount: (_context, sub) => ({
      accountId: sub,
      claims: () => ({ sub, preferred_username: sub, groups: [...(GROUPS[sub] ?? [])] }),
    }),
    pkce: { required: () => true },
    cookies: { keys: ['a-key-of-a-test'] },
  });
  const server = provider.listen(port, '127.0.0.1');
  await once(server, 'listening');
  return { issuer, server };
}

describe.skipIf(browserPath === undefined)('signing in with OpenID Connect', () => {
  let bridge: TestBridge;
  let browser: Browser;
  let provider: Server;
  const log: JsonObject[] = [];

  beforeAll(async () => {
    buildPages();
    const port = await freePort();
    const origin = `http://127.0.0.1:${port}`;
    const { issuer, server } = await startProvider(origin);
    provider = server;
    bridge = await startTestBridge({
      port,
      onLog: (line) => void log.push(line),
      settings: {
        ...{ CONSOLE_URL: origin, OIDC_ISSUER: issuer },
        ...{ OIDC_CLIENT_ID: 'console', OIDC_CLIENT_SECRET: SECRET },
        OIDC_SCOPE: 'openid profile groups',
        OIDC_OPERATOR_GROUPS: 'bridge-operators',
        OIDC_READER_GROUPS: 'bridge-readers',
      },
    });
    browser = await startBrowser(browserPath ?? '');
  });
  afterAll(async () => {
    await browser?.close();
    provider?.closeAllConnections();
    provider?.close();
    await bridge?.stop();
  });

  async function signIn(name: string, path = '/'): Promise<Page> {
    const context = await browser.newContext({ baseURL: new URL(bridge.baseUrl).origin });
    const page = await context.newPage();
    // The pages of the provider ask for fonts of another company.
    await page.route(/^https:/, (route) => route.abort());
    await page.goto(`/console${path}`);
    await page.getByRole('link', { name: 'Sign in with your company account' }).click();
    await page.locator('input[name=login]').fill(name);
    await page.locator('input[name=password]').fill('of-no-use-here');
    await page.locator('button[type=submit]').click();
    await page.locator('button[type=submit]').click();
    return page;
  }

  test('a member of the operators acts under their own name, and signs out at the provider too', async () => {
    const page = await signIn('ada');
    await page.getByText('May I leave it alone?').waitFor();
    await page.getByRole('button', { name: 'Pause all changes' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Pause all changes' }).click();
    await page.getByText(/^Paused since/).waitFor();
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Resume', exact: true }).waitFor();
    const { body } = await bridge.ops('GET', '/acts');
    expect(Object(body).items[0]).toMatchObject({ operator: 'ada', act: 'pause' });
    await page.evaluate(() =>
      fetch('/ops/api/users/retrieveCurrentUser', {
        method: 'POST',
        headers: { 'Content-Type': 'application/json', 'X-Scim-Bridge-Console': '1' },
        body: '{}',
      }),
    );
    const told = log.filter(({ msg }) => String(msg).startsWith('an operator '));
    expect(told.map(({ msg }) => msg)).toContain('an operator called the service');
    expect(told.filter(({ operator }) => operator !== undefined)).toEqual([]);

    await page.getByLabel('Signed in as ada').click();
    const ending = page.waitForRequest((request) =>
      /\/session\/end\?.*client_id=console/.test(request.url()),
    );
    await page.getByRole('menuitem', { name: 'Sign out' }).click();
    await ending;
    await page.locator('button[name=logout]').click();
    await page.getByLabel('Token of an operator').waitFor();
    expect(Object((await bridge.ops('GET', '/sessions')).body).items).toEqual([]);
  });

  test('a member of the readers sees, and somebody in no group does not come in', async () => {
    const reader = await signIn('grace');
    await reader.getByText('You are signed in as a reader').first().waitFor();
    expect(await reader.getByRole('button', { name: 'Resume', exact: true }).count()).toBe(0);

    const stranger = await signIn('mallory');
    await stranger.getByText('Your account is in none of the groups').waitFor();
    await stranger.getByLabel('Token of an operator').waitFor();

    expect(Object((await bridge.ops('GET', '/acts')).body).items.slice(0, 2)).toMatchObject([
      { operator: 'mallory', outcome: 'refused', status: 403, target: null },
      { operator: 'grace', outcome: 'done', after: { role: 'reader' } },
    ]);
  });

  test('whoever came for a page is led back to it, and to nobody else’s', async () => {
    const page = await signIn('grace', '/drifts?status=contested');
    await page.getByRole('heading', { name: 'Drifts', level: 1 }).waitFor();
    expect(new URL(page.url()).search).toBe('?status=contested');

    for (const to of ['//example.com/', 'https://example.com/console/', '/console/../ops/status']) {
      const url = new URL(`/console/oidc?to=${encodeURIComponent(to)}`, bridge.baseUrl);
      const answer = await fetch(url, { redirect: 'manual' });
      const [, text = ''] =
        /scim_bridge_sign_in=([\w-]+)/.exec(answer.headers.getSetCookie().join()) ?? [];
      expect(JSON.parse(Buffer.from(text, 'base64url').toString('utf8')).to, to).toBe('/console/');
    }
  });
});
