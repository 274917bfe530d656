import { onTestFinished } from 'vitest';
import { createHarmRoom } from '../../src/domain/harm.ts';
import { createOutageWatch } from '../../src/reconcile/outage.ts';
import { openQuirks } from '../../src/reconcile/quirks.ts';
import { createFirstRead, type FirstRead } from '../../src/reconcile/read/first-read.ts';
import type { FirstReadDeps } from '../../src/reconcile/read/step.ts';
import { createSeatLine } from '../../src/reconcile/seat-line.ts';
import { type Sandbox, type SandboxOptions, startSandbox } from '../../src/sandbox/sandbox.ts';
import type { Store } from '../../src/store/store.ts';
import { systemClock } from '../../src/telemetry/system-clock.ts';
import { createTransport } from '../../src/upstream/transport.ts';
import { TEST_POLICY } from './converge-host.ts';

import { noRules } from './no-rules.ts';

/** What a first read told while it ran. */
interface Told {
  readonly failures: { step: string; reason: string; retryInMs: number }[];
  /** With what was still unread at that moment. */
  readonly sections: { section: string; up: boolean; unread: readonly string[] | undefined }[];
}

/** A first read of a sandbox into a store. Waits between failed attempts take no time. */
export interface ReadForTest {
  readonly firstRead: FirstRead;
  readonly deps: FirstReadDeps;
  readonly told: Told;
  /** Resolves when there is nothing to do until closed sections are asked again. */
  idle(): Promise<void>;
  /** Lets the time until then pass. */
  passRest(): void;
}

/** A sandbox with a company, for the running test. */
export async function startCompany(options: SandboxOptions): Promise<Sandbox> {
  const sandbox = await startSandbox(options);
  onTestFinished(() => sandbox.stop());
  return sandbox;
}

/** What reads the sandbox into the store; not started. It stops with the test. */
export async function createReadForTest(
  sandbox: Sandbox,
  store: Store,
  { identity = 'sandbox' } = {},
): Promise<ReadForTest> {
  const told: Told = { failures: [], sections: [] };
  const clock = createRestingClock();
  const upstream = createTransport({
    baseUrl: sandbox.url,
    token: sandbox.token,
    requestsPerSecond: 0,
    attemptsMax: 1,
    clock: systemClock,
    random: () => 0,
  });
  const parts = {
    store,
    upstream,
    clock,
    random: () => 0,
    quirks: await openQuirks({ store, clock, fixed: {} }),
    policy: TEST_POLICY,
    rules: noRules,
    events: {
      converged() {},
      changeHeld() {},
      deletionFinished() {},
      stuck() {},
      failed() {},
      plan() {},
      recovery() {},
      release() {},
      auditEvent() {},
      changedByOthers() {},
      auditFollowed() {},
      firstRead() {},
      sectionChanged({ section, up }: { readonly section: string; readonly up: boolean }) {
        const state = firstRead.state();
        const unread = state.kind === 'finished' ? state.unread : undefined;
        told.sections.push({ section, up, unread });
      },
      firstReadProgress() {},
      firstReadFailed: (failure: Told['failures'][number]) => told.failures.push(failure),
    },
    outage: createOutageWatch(clock),
    harmRoom: createHarmRoom({ count: 0 }),
    identity,
  };
  const deps: FirstReadDeps = { ...parts, seats: createSeatLine(parts) };
  const firstRead = createFirstRead(deps);
  onTestFinished(async () => {
    await firstRead.stop();
    await upstream.close();
  });
  return { firstRead, deps, told, idle: clock.idle, passRest: clock.passRest };
}

/** Reads everything that can be read. */
export async function readAll(sandbox: Sandbox, store: Store): Promise<ReadForTest> {
  const read = await createReadForTest(sandbox, store);
  await read.firstRead.start();
  await read.idle();
  return read;
}

/** The time until closed sections are asked again; backoff is never longer. */
const REST_MS = 5 * 60_000;

/** A clock on which backoff is over at once, and the long rest when the test says so. */
function createRestingClock() {
  let reached = Promise.withResolvers<void>();
  let passed = Promise.withResolvers<void>();
  return {
    now: () => Date.now(),
    async sleep(ms: number, signal?: AbortSignal): Promise<void> {
      signal?.throwIfAborted();
      if (ms < REST_MS) return new Promise((resolve) => setImmediate(resolve));
      const aborted = Promise.withResolvers<void>();
      signal?.addEventListener('abort', () => aborted.reject(signal.reason), { once: true });
      passed = Promise.withResolvers();
      reached.resolve();
      await Promise.race([passed.promise, aborted.promise]);
    },
    idle: () => reached.promise,
    passRest() {
      reached = Promise.withResolvers();
      passed.resolve();
    },
  };
}
