import { existsSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Browser, chromium } from 'playwright-core';

/** Browsers of Debian and of others. */
const PATHS = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];

/** Path of the browser that the tests of the console use; undefined where none is installed. In CI there must be one. */
export function findBrowser(): string | undefined {
  const path = [process.env.CHROMIUM, ...PATHS].find((each) => each && existsSync(each));
  if (path !== undefined) return path;
  const message = 'No chromium in $CHROMIUM or /usr/bin.';
  if (process.env.CI) throw new Error(`${message} In CI the tests of the console must run.`);
  console.warn(`\n*** ${message}\n*** THE TESTS OF THE CONSOLE ARE SKIPPED.\n`);
  return undefined;
}

/** Starts the browser without a window. */
export async function startBrowser(executablePath: string): Promise<Browser> {
  const args = ['--no-sandbox', '--disable-dev-shm-usage', '--disable-gpu'];
  return chromium.launch({ executablePath, args });
}

/** Span in which a browser that rests works less than `RESTING_MS`, and the most such spans that are awaited. */
const SPAN_MS = 250;
const RESTING_MS = 20;
const SPANS_MAX = 40;

/**
 * Waits until a browser rests. A new window goes on working for a second after it is there: its address bar is made of
 * pages of its own, which take the processor from the page that is to be measured.
 */
export async function awaitRest(browser: Browser): Promise<void> {
  const session = await browser.newBrowserCDPSession();
  const readMs = async () => {
    const { processInfo } = await session.send('SystemInfo.getProcessInfo');
    return processInfo.reduce((sum, { cpuTime }) => sum + cpuTime * 1_000, 0);
  };
  let before = await readMs();
  for (let spans = 0; spans < SPANS_MAX; spans += 1) {
    await sleep(SPAN_MS);
    const now = await readMs();
    if (now - before < RESTING_MS) break;
    before = now;
  }
  await session.detach();
}
