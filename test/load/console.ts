import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import type { Browser, CDPSession, Page } from 'playwright-core';
import { request } from 'undici';
import { openStore } from '../../src/store/engine/database.ts';
import { opsToken } from '../bench/ask-ops.ts';
import { describeMachine } from '../bench/machine.ts';
import { findProcessFacts } from '../bench/process-facts.ts';
import { buildForStart } from '../bench/start-command.ts';
import { awaitRest, findBrowser, startBrowser } from '../support/browser.ts';
import { type BridgeProcess, startBridge } from '../support/server.ts';
import { CHANGES, DRIFTS, fillStore, USERS } from './many.ts';
import { sendOnSchedule } from './open-loop.ts';

/**
 * `npm run load:console -- [--seconds 60] [--live 600]`: measures the console of a large company on a bridge in a process of
 * its own: the time until each page shows its first rows and until it is whole, what it asks and makes; the reads of a provider while all drifts
 * are read again and again; and the memory of a page while live events come. Prints a table in Markdown.
 */
const { values } = parseArgs({
  options: {
    seconds: { type: 'string', default: '60' },
    live: { type: 'string', default: '600' },
  },
});

/** Requests of the provider a second. */
const RATE = 25;
const SCIM_TOKEN = 'the-token-of-the-load';
const PATHS = [
  ...['/', '/users', '/groups', '/groups/{group}', '/drifts'],
  ...['/plans', '/plans/large', '/requests', '/acts'],
];

const browserPath = findBrowser();
if (browserPath === undefined) throw new Error('no browser');
const command = buildForStart();
const folder = mkdtempSync(join(tmpdir(), 'scim-bridge-console-'));
let group = '';
const bridge = await startFilled();
const browser = await startBrowser(browserPath);
try {
  const { commit, description, load, node } = describeMachine(new Date());
  say(`${commit}: ${node}, ${description}; load average before: ${load}.`);
  say(`${USERS} users, ${DRIFTS} drifts, a plan of ${CHANGES} changes.\n`);
  await measurePages(browser);
  await measureReads(Number(values.seconds), 'nobody looks', async () => undefined);
  await measureReads(Number(values.seconds), 'all drifts are read again and again', readAll);
  await measureReads(Number(values.seconds), 'a plan is read again and again', readPlan);
  await measureMemory(browser, Number(values.live));
} finally {
  await browser.close();
  await bridge.stop();
  rmSync(folder, { recursive: true, force: true });
}

function say(line: string): void {
  console.log(line);
}

/** Starts a bridge whose store was filled while none ran. */
async function startFilled(): Promise<BridgeProcess> {
  const first = await start();
  const like = await post(first, '/Users', {
    schemas: ['urn:ietf:params:scim:schemas:core:2.0:User'],
    ...{ userName: 'ada@example.com', name: { givenName: 'Ada', familyName: 'Lovelace' } },
  });
  group = await post(first, '/Groups', {
    schemas: ['urn:ietf:params:scim:schemas:core:2.0:Group'],
    displayName: 'Everybody',
  });
  await first.stop();
  const store = await openStore({ url: `sqlite:${join(folder, 'bridge.db')}` });
  await fillStore(store, { like, group });
  await store.close();
  return start();
}

/** Creates a user or group, and gives its SCIM id. */
async function post(to: BridgeProcess, path: string, wish: object): Promise<string> {
  const { statusCode, body } = await request(`${to.baseUrl}${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${SCIM_TOKEN}`, 'content-type': 'application/scim+json' },
    body: JSON.stringify(wish),
  });
  const text = await body.text();
  if (statusCode !== 201) throw new Error(`${path}: ${statusCode} ${text}`);
  return String(JSON.parse(text).id);
}

async function start(): Promise<BridgeProcess> {
  const started = await startBridge({
    folder,
    command: command.args,
    env: {
      ...command.env,
      ...{ SCIM_TOKENS: SCIM_TOKEN, OPS_TOKEN: opsToken, LOG_LEVEL: 'warn' },
      ...{ SWEEP_INTERVAL: '0', AUDIT_POLL_INTERVAL: '0' },
    },
  });
  await started.ready(60_000);
  return started;
}

/** Opens a window with an empty cache, as somebody has one before a page is opened in it. */
async function openWindow(from: Browser): Promise<Page> {
  const context = await from.newContext({ baseURL: new URL(bridge.baseUrl).origin });
  const page = await context.newPage();
  await awaitRest(from);
  return page;
}

/** Opens a window in which an operator is signed in. */
async function openSignedIn(from: Browser): Promise<Page> {
  const page = await openWindow(from);
  const headers = { 'X-Scim-Bridge-Console': '1' };
  await page.request.post('/console/session', { headers, data: { token: opsToken } });
  return page;
}

/**
 * Each page three times: as somebody signs in with an empty cache, with a session and an empty cache, and as a person
 * comes again. Times of processors do not grow with other work.
 */
async function measurePages(from: Browser): Promise<void> {
  const times = 'shown | whole | bridge | browser';
  say(`| page | form | signed in | first: ${times} | again: ${times} | requests | KB | elements |`);
  say(`|---|${'--:|'.repeat(13)}`);
  for (const path of PATHS) {
    const signedIn = await signInAt(from, path);
    const page = await openSignedIn(from);
    const protocol = await page.context().newCDPSession(page);
    await protocol.send('Performance.enable');
    let [requests, bytes] = [0, 0];
    page.on('requestfinished', async (finished) => {
      const sizes = await finished.sizes().catch(() => undefined);
      requests += 1;
      bytes += sizes?.responseBodySize ?? 0;
    });
    const first = await openPage(page, protocol, path);
    const [asked, kb] = [requests, Math.round(bytes / 1_000)];
    const again = await openPage(page, protocol, path);
    const elements = await page.locator('*').count();
    say(`| ${[path, ...signedIn, ...first, ...again, asked, kb, elements].join(' | ')} |`);
    await page.context().close();
  }
}

/**
 * Milliseconds until a browser with an empty cache and no session shows the form to sign in, and from the token until
 * the page is there that was asked for.
 */
async function signInAt(from: Browser, path: string): Promise<number[]> {
  const page = await openWindow(from);
  const openedAt = performance.now();
  await page.goto(toAddress(path));
  const token = page.getByLabel('Token of an operator or a reader');
  await token.fill(opsToken);
  const filledAt = performance.now();
  await token.press('Enter');
  await expectShown(page);
  const shownAt = performance.now();
  await page.context().close();
  return [filledAt - openedAt, shownAt - filledAt].map((each) => Math.round(each));
}

function toAddress(path: string): string {
  return `/console${path.replace('{group}', group)}`;
}

/** Awaits the answer or the first rows of a page. */
async function expectShown(page: Page): Promise<void> {
  await page.locator('.verdict, .rows tbody td').first().waitFor();
}

/**
 * Milliseconds until a page shows its answer or first rows, and until nothing of it is being read, and those of them
 * that the processor worked: for the bridge, and for the page.
 */
async function openPage(page: Page, protocol: CDPSession, path: string): Promise<number[]> {
  const cpuBefore = findProcessFacts(bridge.pid)?.cpuMs ?? 0;
  const startedAt = performance.now();
  await page.goto(toAddress(path));
  await expectShown(page);
  const shownMs = performance.now() - startedAt;
  await page.locator('h1').waitFor();
  await expectNothingLoads(page);
  const wholeMs = performance.now() - startedAt;
  const { metrics } = await protocol.send('Performance.getMetrics');
  const tasks = metrics.find(({ name }) => name === 'TaskDuration')?.value ?? 0;
  const cpu = (findProcessFacts(bridge.pid)?.cpuMs ?? 0) - cpuBefore;
  return [shownMs, wholeMs, cpu, tasks * 1_000].map((each) => Math.round(each));
}

async function expectNothingLoads(page: Page): Promise<void> {
  while ((await page.locator('[aria-label="Loading"]').count()) > 0) await sleep(5);
}

/** Sends the reads of a provider while somebody does something again and again. */
async function measureReads(
  seconds: number,
  meanwhile: string,
  again: () => Promise<unknown>,
): Promise<void> {
  let [isOver, rounds] = [false, 0];
  const looking = (async () => {
    for (; !isOver; rounds += 1) if ((await again()) === undefined) await sleep(100);
  })();
  let n = 0;
  const next = () => {
    n = (n + 7_919) % USERS;
    const filter = encodeURIComponent(`userName eq "person${n + 1}@example.com"`);
    return { method: 'GET', path: `/Users?filter=${filter}` } as const;
  };
  const target = { baseUrl: bridge.baseUrl, token: SCIM_TOKEN };
  await sendOnSchedule([target], { requestsPerSecond: RATE, seconds: 2, next });
  rounds = 0;
  const cpuBefore = findProcessFacts(bridge.pid)?.cpuMs ?? 0;
  const schedule = { requestsPerSecond: RATE, seconds, next };
  const { reads, failures } = await sendOnSchedule([target], schedule);
  const looks = rounds;
  const cores = ((findProcessFacts(bridge.pid)?.cpuMs ?? 0) - cpuBefore) / seconds / 1_000;
  isOver = true;
  await looking;
  const [p50, p99, max] = [reads.p50Ms, reads.p99Ms, reads.maxMs].map((ms) => ms.toFixed(1));
  say(
    `\nWhile ${meanwhile} (${looks} times): ${reads.requests} reads of a provider, ${failures} refused, p50 ${p50} ms, p99 ${p99} ms, most ${max} ms; ${cores.toFixed(2)} cores.`,
  );
}

/** Reads every page of the drifts, as the console asks for them. */
async function readAll(): Promise<number> {
  let count = 0;
  for (let cursor: string | null = ''; cursor !== null; ) {
    const from = cursor === '' ? '' : `&cursor=${cursor}`;
    const page = await readOps(`/drifts?status=active&limit=200${from}`);
    count += page.items.length;
    cursor = page.nextCursor;
  }
  return count;
}

async function readPlan(): Promise<number> {
  const { actions } = await readOps('/plans/large');
  return actions.length;
}

/** Reads what the console reads; what the limit of requests refuses is asked again when it may be. */
async function readOps(path: string) {
  for (;;) {
    const { statusCode, headers, body } = await request(new URL(`/ops${path}`, bridge.baseUrl), {
      headers: { authorization: `Bearer ${opsToken}` },
    });
    const json = await body.json();
    if (statusCode === 200) return Object(json);
    if (statusCode !== 429) throw new Error(`${path}: ${statusCode} ${JSON.stringify(json)}`);
    await sleep(Number(headers['retry-after']) * 1_000);
  }
}

/** The heap of one page after a collection, while something changes each second. */
async function measureMemory(from: Browser, seconds: number): Promise<void> {
  const page = await openSignedIn(from);
  const protocol = await page.context().newCDPSession(page);
  await protocol.send('HeapProfiler.enable');
  await openPage(page, protocol, '/drifts');
  await page.getByText('Live', { exact: true }).waitFor();
  const measure = async () => {
    await protocol.send('HeapProfiler.collectGarbage');
    const { usedSize } = await protocol.send('Runtime.getHeapUsage');
    const { nodes } = await protocol.send('Memory.getDOMCounters');
    return `${(usedSize / 1_000_000).toFixed(1)} MB, ${nodes} nodes`;
  };
  let events = 0;
  const told: string[] = [];
  const endsAt = performance.now() + seconds * 1_000;
  for (let part = 0; part <= 4; part += 1) {
    while (performance.now() < endsAt - ((4 - part) * seconds * 1_000) / 4) {
      await changeDrift(events);
      events += 1;
      await sleep(1_000);
    }
    told.push(await measure());
  }
  say(
    `\nThe drifts page with ${events} changes in ${seconds} s, after a collection: ${told.join('; ')}.`,
  );
}

/** Leaves one drift alone: all pages that show drifts are told. */
async function changeDrift(n: number): Promise<void> {
  const { statusCode, body } = await request(
    new URL(`/ops/drifts/d${n + 1}/ignore`, bridge.baseUrl),
    {
      method: 'POST',
      headers: { authorization: `Bearer ${opsToken}`, 'content-type': 'application/json' },
      body: JSON.stringify({
        until: new Date(Date.now() + 3_600_000).toISOString(),
        reason: 'measured',
      }),
    },
  );
  const text = await body.text();
  if (statusCode !== 200) throw new Error(`ignore: ${statusCode} ${text}`);
}
