import { existsSync } from 'node:fs';
import type { Browser } from 'playwright-core';
import { chromium } from 'playwright-core';

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
