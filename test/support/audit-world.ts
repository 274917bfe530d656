import { setImmediate as nextTurn } from 'node:timers/promises';
import sql from 'sql-template-tag';
import { assert, vi } from 'vitest';
import type { JsonObject } from '../../src/domain/values.ts';
import type { Sandbox } from '../../src/sandbox/sandbox.ts';
import { startSandbox } from '../../src/sandbox/sandbox.ts';
import type { SandboxShapeChange } from '../../src/sandbox/shape.ts';
import type { TestBridge } from './bridge.ts';
import { startBridgeOf } from './bridge.ts';
import type { LeapingClock } from './leaping-clock.ts';
import { createLeapingClock } from './leaping-clock.ts';

/** How often the log is read, in milliseconds. */
export const INTERVAL_MS = 15_000;
const PATIENT = { interval: 20 };

/** A bridge that follows the audit log, and whose time the test moves. */
export type AuditWorld = Awaited<ReturnType<typeof startAuditWorld>>;

/** What is special about it. */
export interface AuditWorldOptions {
  readonly shape?: SandboxShapeChange;
  readonly settings?: Readonly<Record<string, string>>;
  readonly onLog?: (line: JsonObject) => void;
  readonly prepare?: (sandbox: Sandbox) => void;
}

/** A bridge in front of a sandbox that has an administrator beside the owner. The sandbox ends with the bridge. */
export async function startAudit(options: AuditWorldOptions = {}) {
  const clock = createLeapingClock();
  const sandbox = await startSandbox({ shape: options.shape, clock: clock.now });
  sandbox.service.addUser({ email: 'admin@example.com', fullName: 'An Admin' });
  options.prepare?.(sandbox);
  const world = await startAuditWorld({ ...options, service: sandbox, clock });
  return {
    ...world,
    async stop() {
      await world.stop();
      await sandbox.stop();
    },
  };
}

/** A bridge in front of a service that runs already; it has read the log once. */
export async function startAuditWorld(
  options: AuditWorldOptions & { readonly service: Sandbox; readonly clock: LeapingClock },
) {
  const { clock } = options;
  const bridge = await startBridgeOf(options.service, {
    clock,
    ...(options.onLog === undefined ? {} : { onLog: options.onLog }),
    settings: { AUDIT_POLL_INTERVAL: `${INTERVAL_MS}ms`, ...options.settings },
  });
  /** When the last complete read of the log began; 0: there was none. */
  const readAt = async (): Promise<number> => {
    const state = sql`select value from state where name = 'audit-poller'`;
    const { rows } = await bridge.store.read.run<{ value: string }>(state);
    return JSON.parse(rows[0]?.value ?? '{"readAt":0}').readAt;
  };
  const until = (what: string, isSo: () => Promise<boolean>) =>
    vi.waitUntil(isSo, { ...PATIENT, timeout: 60_000 }).catch(() => assert.fail(what));
  const untilSince = (since: number, read: () => Promise<number>) =>
    until(`the audit log was read since ${since}`, async () => (await read()) >= since);
  const untilLooked = async () => {
    const listDue = () =>
      bridge.store.read.run(
        sql`select * from audit_event_subjects where look_at <= ${clock.now()}`,
      );
    await until('nobody is to be looked at', async () => (await listDue()).rows.length === 0);
    await bridge.untilSettled();
    // Who has read the log goes to sleep before time leaps.
    for (let turns = 0; turns < 50; turns += 1) await nextTurn();
  };
  // The poller begins an hour before its start; the clock of a database does not leap.
  await untilSince(clock.now() - 30 * 60_000, readAt);
  await untilLooked();
  return {
    ...bridge,
    clock,
    async poll(ms = INTERVAL_MS) {
      await bridge.untilSettled();
      const since = clock.now() + ms;
      clock.leap(ms);
      // The clock of a database may be some milliseconds behind; the read before was a whole interval ago.
      await untilSince(since - ms / 2, readAt);
      await untilLooked();
    },
    async recover() {
      // A read that runs already began before this leap and does not count.
      const since = clock.now() + INTERVAL_MS / 2;
      const goOn = () => {
        clock.leap(INTERVAL_MS);
        return readAt();
      };
      await untilSince(since, goOn);
      await untilLooked();
    },
  };
}

/** The service as that administrator changes it. */
export function behindTheBack({ sandbox }: TestBridge) {
  return sandbox.service.as('admin@example.com', '198.51.100.7');
}
