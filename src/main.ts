import { once } from 'node:events';
import type { Server } from 'node:http';
import { flushCompileCache } from 'node:module';
import type { BannerFacts } from './app/banner.ts';
import { toBanner } from './app/banner.ts';
import type { Bridge, Secrets } from './app/compose.ts';
import { createBridge } from './app/compose.ts';
import { exportTelemetry } from './app/export-telemetry.ts';
import type { FirstTokens } from './app/first-access.ts';
import {
  openServableStore,
  readTokens,
  toStoreWatch,
  writeSignInLink,
} from './app/first-access.ts';
import type { Listener } from './app/guarded-server.ts';
import { listen, toPort } from './app/guarded-server.ts';
import { readPackageVersion } from './app/package-version.ts';
import { compareFile } from './app/providers-file.ts';
import type { SecretWatch } from './app/secret-watch.ts';
import { createSecretWatch } from './app/secret-watch.ts';
import { openTarget } from './app/target.ts';
import type { BridgeError } from './domain/values.ts';
import type { LoadedSettings } from './settings/load.ts';
import { toStoreUrl } from './settings/load.ts';
import type { Settings } from './settings/schema.ts';
import { isNotFlushed } from './store/engine/database.ts';
import type { Store } from './store/store.ts';
import type { Events } from './telemetry/events.ts';
import { createEvents } from './telemetry/events.ts';
import type { Logger } from './telemetry/logger.ts';
import { createLogger } from './telemetry/logger.ts';
import type { Metrics } from './telemetry/metrics.ts';
import { addProcessMetrics, createMetrics } from './telemetry/metrics.ts';
import { systemClock } from './telemetry/system-clock.ts';

/** Parts of the process that `serve` runs in. */
export interface ServeWorld {
  /** Standard output, for the lines that a person reads. */
  readonly write: (text: string) => void;
  /** Variables of the environment, of which OpenTelemetry has some of its own. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Resolves with the signal's name when the process is asked to stop. */
  readonly untilStopped: () => Promise<string>;
  /** Calls `hear` each time that the process is asked to read its secrets again (SIGHUP). */
  readonly onHangUp?: ((hear: () => void) => void) | undefined;
  /** Terminal that standard output goes to: there alone the token of an operator is shown. */
  readonly terminal?: object | undefined;
}

/** Serves the bridge until the process is asked to stop; resolves with the exit code. */
export async function serve(loaded: LoadedSettings, world: ServeWorld): Promise<number> {
  const logger = createLogger({ level: loaded.settings.log.level });
  const metrics = createMetrics();
  const events = createEvents(logger, metrics);
  const tellCrash = (error: unknown) => events.crashed({ error });
  // What nobody catches ends the process all the same.
  process.on('uncaughtExceptionMonitor', tellCrash);
  try {
    return await serveUntilStopped(loaded, world, { logger, metrics, events });
  } catch (error) {
    tellCrash(error);
    throw error;
  } finally {
    process.off('uncaughtExceptionMonitor', tellCrash);
  }
}

async function serveUntilStopped(
  loaded: LoadedSettings,
  world: ServeWorld,
  { logger, metrics, events }: { logger: Logger; metrics: Metrics; events: Events },
): Promise<number> {
  const { write, env, untilStopped, terminal } = world;
  const { settings, warnings } = loaded;
  // From now on: a start may wait for minutes.
  const secrets = createSecretWatch(loaded, events);
  world.onHangUp?.(secrets.readAgain);
  for (const warning of warnings) events.settingWarned({ warning });
  const stopped = untilStopped();
  const store = await openServableStore(settings, {
    ...toStoreWatch(events, stopped),
    findUrl: () => toStoreUrl(secrets.current()),
  });
  // The embedded sandbox begins with the process, so nobody has called it.
  const calledBefore = settings.upstream.url === undefined ? undefined : systemClock.now();
  const findToken = () => secrets.current().upstream.token ?? '';
  const { target, close: closeTarget } = await openTarget(settings, findToken);
  const servers: Server[] = [];
  try {
    addProcessMetrics(metrics);
    const otel = await exportTelemetry(env, { events, clock: systemClock });
    const ports = await openPorts(settings, servers);
    const publicUrl = settings.publicUrl ?? toLocalUrl(settings.host, ports.main.server);
    const made = await readTokens(settings, store);
    const bridge = await createBridge({
      ...toBasics(loaded, made.operator),
      ...{ store, target, scimTokens: made.scimTokens, publicUrl, calledBefore, logger, metrics },
      tracing: otel?.tracing,
    });
    renewSecrets(bridge, secrets, { settings, made });
    if (await isNotFlushed(store.read)) events.storeNotFlushed();
    await bridge.start();
    await compareFile(loaded.providersFile, bridge.access, events);
    ports.main.serve(bridge.app);
    ports.ops?.serve(bridge.opsApp);
    freezePrototypes();
    // What is compiled is kept now: an end may be a kill, and by then V8 has dropped what a start alone runs.
    flushCompileCache();
    events.started(toStart(settings, store, ports.main.server));
    const facts = toFacts(loaded, { publicUrl, made, ports, isSeen: terminal !== undefined });
    const file = await writeSignInLink(settings, store, facts);
    if (file !== undefined) events.signInLinkWritten({ file });
    write(toBanner(facts));
    const end = await Promise.race([stopped, bridge.leadership.broken]);
    events.stopping({ signal: typeof end === 'string' ? end : end.code });
    await shutDown(bridge, servers, toDelayMs(settings, store, end));
    await otel?.stop();
    events.stopped();
    if (typeof end !== 'string') throw end;
    return 0;
  } finally {
    for (const server of servers) cutOff(server);
    secrets.stop();
    await closeTarget();
    await store.close();
  }
}

/** Gives a bridge the secrets that change from now on, and those that have changed while it was made. */
function renewSecrets(
  bridge: Bridge,
  secrets: SecretWatch,
  { settings, made }: { readonly settings: Settings; readonly made: FirstTokens },
): void {
  secrets.listen((renewed) => bridge.renew(toSecrets(renewed, made)));
  if (secrets.current() !== settings) bridge.renew(toSecrets(secrets.current(), made));
}

function cutOff(server: Server): void {
  server.close();
  server.closeAllConnections();
}

function toFacts(
  { settings }: LoadedSettings,
  start: {
    readonly publicUrl: string;
    readonly made: FirstTokens;
    readonly ports: { readonly main: Listener; readonly ops: Listener | undefined };
    /** True: a person reads it, and no log keeps it. */
    readonly isSeen: boolean;
  },
): BannerFacts {
  const { publicUrl, made, ports, isSeen } = start;
  return {
    ...{ publicUrl, settings, token: made.scimTokens[0] },
    operator: isSeen ? made.operator : undefined,
    opsUrl: toLocalUrl(settings.host, (ports.ops ?? ports.main).server),
  };
}

function withOperator(settings: Settings, operator: string | undefined): Settings {
  const { ops } = settings;
  return { ...settings, ops: { ...ops, token: ops.token ?? operator } };
}

function toBasics({ settings: given, shown }: LoadedSettings, operator: string | undefined) {
  const settings = withOperator(given, operator);
  const about = {
    version: readPackageVersion(),
    startedAt: systemClock.now(),
    settings: shown,
  };
  return { settings, about, clock: systemClock, random: Math.random };
}

/** In front of the sandbox the token of the first run stays the only one. */
function toSecrets(settings: Settings, { scimTokens, operator }: FirstTokens): Secrets {
  const { tokens } = settings.scim;
  const isMade = tokens.length === 0 && settings.upstream.url === undefined;
  return { settings: withOperator(settings, operator), scimTokens: isMade ? scimTokens : tokens };
}

function toStart({ host, mode }: Settings, { engine }: Store, server: Server) {
  return { host, port: toPort(server), engine, version: readPackageVersion(), mode };
}

/** The ports of a bridge; from now on every request is answered. */
async function openPorts(
  { host, port, ops }: Settings,
  servers: Server[],
): Promise<{ main: Listener; ops: Listener | undefined }> {
  const main = await listen({ host, port }, servers);
  if (ops.port === undefined) return { main, ops: undefined };
  return { main, ops: await listen({ host, port: ops.port }, servers) };
}

function toLocalUrl(host: string, server: Server): string {
  const port = toPort(server);
  const name = host === '0.0.0.0' || host === '::' ? 'localhost' : host;
  return `http://${name.includes(':') ? `[${name}]` : name}:${port}`;
}

/** How long requests are still answered where other replicas go on, in milliseconds: a proxy has to learn who stops. */
export const SHUTDOWN_DELAY_MS = 5_000;

/** How long requests are still answered; whoever sits at a terminal waits for nobody. */
function toDelayMs({ shutdown }: Settings, { engine }: Store, end: string | BridgeError): number {
  if (end !== 'SIGTERM') return 0;
  return shutdown.delay ?? (engine === 'postgres' ? SHUTDOWN_DELAY_MS : 0);
}

/** Says that it stops and goes on for a while, then: no new connection, every answer that was begun, what is left to do. */
async function shutDown(
  bridge: Bridge,
  servers: readonly Server[],
  delayMs: number,
): Promise<void> {
  bridge.drain();
  if (delayMs > 0) {
    for (const server of servers) sendAway(server);
    await systemClock.sleep(delayMs);
  }
  await Promise.all(servers.map(closeWhenAnswered));
  await bridge.stop();
}

/** Has whoever keeps a connection open go elsewhere with the next request. */
function sendAway(server: Server): void {
  server.prependListener('request', (_req, res) => res.setHeader('Connection', 'close'));
}

/** How often connections that have become idle are closed while a listener drains, in milliseconds. */
const IDLE_CHECK_MS = 50;
/** How long whoever never ends a request may keep a listener open, in milliseconds. */
export const DRAIN_MAX_MS = 25_000;

/**
 * Closes a listener once what runs is answered: connections that are kept alive would go on asking for ever. They are
 * sent away only once it takes no new ones: the system resets those that were made meanwhile and not yet taken.
 */
async function closeWhenAnswered(server: Server): Promise<void> {
  const closed = once(server, 'close');
  server.close();
  sendAway(server);
  const idleCheck = setInterval(() => server.closeIdleConnections(), IDLE_CHECK_MS);
  const timeUp = setTimeout(() => server.closeAllConnections(), DRAIN_MAX_MS);
  await closed;
  clearInterval(idleCheck);
  clearTimeout(timeUp);
}

/**
 * Closes the prototypes that every object shares, once everything is loaded: nothing a stranger sends
 * can then add a property that other requests would see. Error prototypes stay open, because many
 * libraries set `name` and `message` on their own errors.
 */
function freezePrototypes(): void {
  const types = [Object, Array, Function, String, Number, Boolean, RegExp, Map, Set, Promise];
  for (const type of types) {
    Object.freeze(type.prototype);
    Object.freeze(type);
  }
}
