import { setTimeout as sleep } from 'node:timers/promises';

const POLL_MS = 50;
/** The machine may be busy. */
const PATIENCE_MS = 20_000;

/** The story did not go as it is told. */
export class DemoError extends Error {
  override readonly name = 'DemoError';
}

/** Nothing is told that is not so. @throws DemoError */
export function expectThat(isSo: boolean, what: string): void {
  if (!isSo) throw new DemoError(`expected that ${what}`);
}

/** Waits until it is so, and gives what was read then. @throws DemoError after 20 s */
export async function until<T>(
  what: string,
  read: () => Promise<T>,
  isSo: (value: T) => boolean,
): Promise<T> {
  const deadline = performance.now() + PATIENCE_MS;
  for (;;) {
    const value = await read();
    if (isSo(value)) return value;
    if (performance.now() > deadline) {
      const last = JSON.stringify(value);
      throw new DemoError(`waited ${PATIENCE_MS / 1_000} s in vain until ${what}: ${last}`);
    }
    await sleep(POLL_MS);
  }
}
