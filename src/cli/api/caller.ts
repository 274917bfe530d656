import { createOpsClient, isLate } from '../../app/ops-client.ts';
import { toTransportOptions } from '../../app/settings.ts';
import { BridgeError } from '../../domain/errors.ts';
import { findApiFailure } from '../../ops/api/failure.ts';
import type { SentCall } from '../../ops/api/parse-call.ts';
import { SettingsError } from '../../settings/errors.ts';
import type { Settings } from '../../settings/schema.ts';
import { systemClock } from '../../telemetry/system-clock.ts';
import { UpstreamError } from '../../upstream/errors.ts';
import type { Operation } from '../../upstream/operations/operation.ts';
import { isNamed, type Named } from '../../upstream/operations/part.ts';
import { createTransport, type Transport } from '../../upstream/transport.ts';

/** The longest that a call may wait for its turn behind the bridge's own work, in milliseconds. */
const BRIDGE_TIMEOUT_MS = 600_000;

/** Sends calls to the service. */
export type Caller = Pick<Transport, 'call' | 'close'>;

/**
 * Opens a caller through the bridge that `ops.url` names, or else straight to the service.
 * @param timeoutMs for one call through the bridge. @throws SettingsError when the settings name neither
 */
export function openCaller(settings: Settings, timeoutMs = BRIDGE_TIMEOUT_MS): Caller {
  return settings.ops.url === undefined
    ? openDirect(settings)
    : openThroughBridge(settings, timeoutMs);
}

function openDirect(settings: Settings): Caller {
  const { url, token, requestsPerSecond } = settings.upstream;
  if (url === undefined || token === undefined) {
    const message =
      'neither ops.url nor upstream.url is set: set OPS_URL and OPS_TOKEN to go through a running bridge, UPSTREAM_URL and UPSTREAM_TOKEN to go to the service.';
    throw new SettingsError([{ setting: 'upstream.url', message }]);
  }
  const target = { baseUrl: url, findToken: () => token, identity: url, requestsPerSecond };
  return createTransport({
    ...toTransportOptions(settings, target),
    clock: systemClock,
    random: Math.random,
    hooks: { writesRefused: () => (settings.mode === 'observe' ? 'observe-mode' : undefined) },
  });
}

function openThroughBridge(settings: Settings, timeoutMs: number): Caller {
  const client = createOpsClient(settings, timeoutMs);
  return {
    async call(operation, args) {
      const sent = await toSentCall(args);
      const asked = client.ask('POST', toRoute(operation), sent);
      const { status, answer } = await asked.catch((error: unknown) => {
        throw toLate(operation, error) ?? error;
      });
      if (status === 200) return toNamed(answer).result;
      const failure = findApiFailure(answer);
      if (failure !== undefined) throw failure;
      const words = String(toNamed(answer).message);
      if (status === 400) throw new TypeError(words);
      throw new BridgeError('ops-failed', `the bridge answered ${status}: ${words}`);
    },
    close: async () => undefined,
  };
}

/** A late answer is retryable: the bridge is there, and the call may be under way. */
function toLate({ id }: Operation, error: unknown): UpstreamError | undefined {
  if (!(error instanceof BridgeError) || !isLate(error.cause)) return undefined;
  const { message: detail } = error;
  const fate = { retry: 'later', outcome: 'unknown' } as const;
  return new UpstreamError('timeout', { operation: id, detail, cause: error, ...fate });
}

function toRoute({ id }: Operation): `/${string}` {
  return `/api/${id.replace('.', '/')}`;
}

function toNamed(answer: unknown): Named {
  return isNamed(answer) ? answer : {};
}

type Files = NonNullable<SentCall['files']>;

/** Arguments of a call in the form that the bridge takes: files travel beside the body, as base64. */
async function toSentCall(args: unknown): Promise<SentCall> {
  const { path, query, body = {}, everything } = parseArgs(args);
  const files: Files = {};
  const fields: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(body)) {
    const list = listFiles(value);
    if (list.length === 0) fields[name] = value;
    else files[name] = await Promise.all(list.map(toSentFile));
  }
  return {
    ...(path === undefined ? {} : { path }),
    ...(query === undefined ? {} : { query }),
    ...(Object.keys(fields).length === 0 ? {} : { body: fields }),
    ...(Object.keys(files).length === 0 ? {} : { files }),
    ...(everything === undefined ? {} : { everything }),
  };
}

function listFiles(value: unknown): File[] {
  const list: unknown[] = Array.isArray(value) ? value : [value];
  return list.filter((item) => item instanceof File);
}

async function toSentFile(file: File): Promise<Files[string][number]> {
  const content = Buffer.from(await file.arrayBuffer()).toString('base64');
  return { content, name: file.name };
}

/** The command itself made them, so their shape is known. */
function parseArgs(args: unknown): Omit<SentCall, 'files'> {
  return args as Omit<SentCall, 'files'>;
}
