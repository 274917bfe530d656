import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestContext } from 'vitest';
import { afterAll, beforeAll, onTestFinished } from 'vitest';

interface Stoppable {
  stop(): Promise<unknown> | unknown;
}

/** Has something end with the test that started it. */
export async function forTest<T extends Stoppable>(starting: T | Promise<T>): Promise<T> {
  const started = await starting;
  onTestFinished(async () => void (await started.stop()));
  return started;
}

/** Starts something before the tests of a suite, which share it, and stops it after them. Nothing of it can be read before. */
export function forSuite<T extends Stoppable>(start: () => T | Promise<T>): T {
  let started: T | undefined;
  beforeAll(async () => {
    started = await start();
  });
  afterAll(async () => void (await started?.stop()));
  return new Proxy<T>(Object.create(null), {
    get(_, name) {
      if (started === undefined)
        throw new Error(`nothing is started of which to read ${String(name)}`);
      return Reflect.get(started, name);
    },
  });
}

/** A folder that is gone after the test, which is given where tests run at once. */
export function makeFolder(test: Pick<TestContext, 'onTestFinished'> = { onTestFinished }): string {
  return makeFolderUntil((remove) => test.onTestFinished(remove));
}

/** A folder that is gone after the tests of a suite, which share it. */
export function makeSuiteFolder(): string {
  return makeFolderUntil(afterAll);
}

function makeFolderUntil(atEnd: (remove: () => void) => unknown): string {
  const folder = mkdtempSync(join(tmpdir(), 'scim-bridge-test-'));
  atEnd(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}
