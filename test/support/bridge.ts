import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import type { Server } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import sql from 'sql-template-tag';
import { inject } from 'vitest';
import type { Bridge } from '../../src/app/compose.ts';
import { createBridge } from '../../src/app/compose.ts';
import { exportTelemetry } from '../../src/app/export-telemetry.ts';
import { openMigratedStore } from '../../src/app/first-access.ts';
import { createGuardedServer } from '../../src/app/guarded-server.ts';
import { SCIM_PATH } from '../../src/app/http.ts';
import type { Clock } from '../../src/domain/clock.ts';
import type { JsonObject } from '../../src/domain/values.ts';
import type { Sandbox, SandboxOptions } from '../../src/sandbox/sandbox.ts';
import { startSandbox } from '../../src/sandbox/sandbox.ts';
import { loadSettings } from '../../src/settings/load.ts';
import { isPostgres, readOne } from '../../src/store/engine/dialect.ts';
import type { Db, Store } from '../../src/store/store.ts';
import { createEvents } from '../../src/telemetry/events.ts';
import type { Logger } from '../../src/telemetry/logger.ts';
import { createLogger } from '../../src/telemetry/logger.ts';
import { createMetrics } from '../../src/telemetry/metrics.ts';
import { systemClock } from '../../src/telemetry/system-clock.ts';
import { forSuite, forTest } from './lifetimes.ts';
import { OPS_TOKEN, toOperator } from './operator.ts';
import { toRequester } from './send-raw.ts';
import type { TakenStore } from './take-store.ts';
import { takeStore } from './take-store.ts';

const TOKEN = 'token-of-a-test-bridge';
const FIRST_READ_MAX_MS = 60_000;

/** What differs from a bridge with nothing configured. */
export interface TestBridgeOptions {
  /** Settings as environment variables, e.g. `{ SCIM_WRITE_WAIT: '200ms' }`. */
  readonly settings?: Readonly<Record<string, string>>;
  readonly sandbox?: SandboxOptions;
  /** A service that runs already and outlives the bridge, which so can be started again; with a `DATABASE_URL`. */
  readonly service?: Sandbox;
  readonly prepare?: (sandbox: Sandbox) => void;
  readonly clock?: Clock;
  readonly toStore?: (store: Store) => Store;
  /** Told each line of the log from `info` on. */
  readonly onLog?: (line: JsonObject) => void;
  readonly requestsPerSecond?: number;
  readonly port?: number;
  readonly publicUrl?: string;
  /** `false`: resolves before the first read is finished, so that SCIM still answers 503. */
  readonly awaitsFirstRead?: false;
  /** Variables of OpenTelemetry; default: none, which sends nothing. */
  readonly otel?: Readonly<Record<string, string>>;
}

/** A bridge in this process, with a sandbox as its service and a store of the run's engine that ends with it. */
export type TestBridge = Awaited<ReturnType<typeof startBridgeOf>>;

/** Starts a bridge on a free port of loopback and waits until its first read is finished. */
export async function startTestBridge(options: TestBridgeOptions = {}): Promise<TestBridge> {
  if (options.service !== undefined) return startBridgeOf(options.service, options);
  const sandbox = await startSandbox(options.sandbox);
  try {
    const bridge = await startBridgeOf(sandbox, options);
    const stop = async () => {
      await bridge.stop();
      await sandbox.stop();
    };
    return { ...bridge, stop };
  } catch (error) {
    await sandbox.stop();
    throw error;
  }
}

/** Such a bridge, which ends with the test that starts it. */
export const bridgeForTest = (options?: TestBridgeOptions) => forTest(startTestBridge(options));

/** Such a bridge for all tests of a suite. */
export const bridgeForSuite = (options?: TestBridgeOptions) =>
  forSuite(() => startTestBridge(options));

/** The same in front of a sandbox that runs already, which outlives it. */
export async function startBridgeOf(sandbox: Sandbox, options: TestBridgeOptions = {}) {
  const { url, giveBack } = await findStore(options.settings);
  options.prepare?.(sandbox);
  const { settings, shown } = loadSettings({
    // What follows the audit log would be among the calls that tests count; those that mean it set it.
    env: {
      AUDIT_POLL_INTERVAL: '0',
      DATABASE_URL: url,
      // A difference is one at the first look.
      DRIFT_SETTLE: '0s',
      OPS_TOKEN,
      // A sweep comes when a test asks for one.
      SWEEP_INTERVAL: '0',
      ...options.settings,
    },
    readFile: (path) => readFileSync(path, 'utf8'),
  });
  const store = await openMigratedStore(settings);
  const server = createGuardedServer();
  server.listen(options.port ?? 0, '127.0.0.1');
  await once(server, 'listening');
  const localUrl = toUrl(server);
  const metrics = createMetrics();
  const logger = toLogger(options.onLog);
  const otel = await exportTelemetry(options.otel ?? {}, {
    events: createEvents(logger, metrics),
    clock: systemClock,
  });
  const bridge = await createBridge({
    settings,
    about: { version: '1.2.3', startedAt: 0, settings: shown },
    store: options.toStore?.(store) ?? store,
    target: {
      baseUrl: sandbox.url,
      findToken: () => sandbox.token,
      identity: sandbox.url,
      sandbox: { url: sandbox.url, token: sandbox.token },
      requestsPerSecond: options.requestsPerSecond ?? 0,
    },
    scimTokens: [TOKEN],
    publicUrl: options.publicUrl ?? localUrl,
    clock: options.clock ?? systemClock,
    // The shortest of all waits between attempts, the same in every run.
    random: () => 0,
    logger,
    metrics,
    tracing: otel?.tracing,
  });
  const stop = async () => {
    // As a process does: what was answered is known before its parts stop.
    const closed = once(server, 'close');
    server.close();
    server.closeAllConnections();
    await closed;
    await bridge.stop();
    await otel?.stop();
    await store.close();
    await giveBack();
  };
  try {
    await bridge.start();
  } catch (error) {
    await stop();
    throw error;
  }
  server.on('request', bridge.app);
  if (options.awaitsFirstRead !== false) await untilFirstReadFinished(bridge);
  // Where SCIM is served; `new URL('/readyz', baseUrl)` is beside it.
  const baseUrl = `${localUrl}${SCIM_PATH}`;
  const provider = toRequester({ baseUrl, token: TOKEN });
  const own = {
    request: provider.request,
    baseUrl,
    countDue: () => countDue(store),
    opsToken: settings.ops.token ?? OPS_TOKEN,
    countRuns: () => bridge.leadership.tenure()?.convergence.running,
  };
  return { ...own, ...provider, ...toOperator(own), sandbox, store, token: TOKEN, bridge, stop };
}

/** The given store, or a migrated, empty one: migrating one takes as long as all else that a start does. */
async function findStore(given: TestBridgeOptions['settings']): Promise<TakenStore> {
  const url = given?.DATABASE_URL;
  return url === undefined ? takeStore(inject('engine')) : { url, giveBack: async () => undefined };
}

function toLogger(onLog: TestBridgeOptions['onLog']): Logger {
  if (onLog === undefined) return createLogger({ level: 'silent' });
  return createLogger({ level: 'info', destination: { write: (line) => onLog(JSON.parse(line)) } });
}

async function untilFirstReadFinished({ leadership }: Bridge): Promise<void> {
  const deadline = Date.now() + FIRST_READ_MAX_MS;
  while (leadership.news().firstRead !== null) {
    if (Date.now() > deadline) {
      throw new Error(
        `the first read did not finish: ${JSON.stringify(leadership.news().firstRead)}`,
      );
    }
    await sleep(5);
  }
}

async function countDue({ read }: Store): Promise<{ due: number; stuck: number }> {
  // A look proves later, beside everything else, that a person has left.
  const isProof = sql`due_class = 2 and must_look = 0 and left_at is not null and out_at is null`;
  return readOne<{ due: number; stuck: number }>(read)`
    select count(case when ${isProof} then null else due_at end) as due, count(stuck_at) as stuck
    from resources where due_at is not null`;
}

function toUrl(server: Server): string {
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the server has no port');
  return `http://127.0.0.1:${address.port}`;
}

/** Names of the tables of a store, sorted. */
export async function listTableNames(db: Db): Promise<string[]> {
  const names = isPostgres(db)
    ? sql`select table_name as name from information_schema.tables where table_schema = 'public'`
    : sql`select name from sqlite_schema where type = 'table' and name not like 'sqlite_%'`;
  return (await db.run<{ name: string }>(names)).rows.map(({ name }) => name).sort();
}
