import { BridgeError } from '../domain/values.ts';
import type { OpsSources } from '../ops/sources.ts';
import type { Sandbox, SandboxOptions } from '../sandbox/sandbox.ts';
import type { Settings } from '../settings/schema.ts';

/** The service that a bridge works with. */
export interface Target {
  readonly baseUrl: string;
  /** The token of now: it may be renewed while the bridge runs. */
  readonly findToken: () => string;
  /** Identity of the service in the store: the base URL, or a constant for the sandbox. */
  readonly identity: string;
  readonly requestsPerSecond: number;
  /** Address and token of the embedded sandbox; undefined: it is a real service. */
  readonly sandbox?: OpsSources['target']['sandbox'];
}

/** Opens the service of the settings, or the embedded sandbox where none is named. */
export async function openTarget(
  settings: Settings,
  findToken: () => string = () => settings.upstream.token ?? '',
): Promise<{ target: Target; close: () => Promise<void> }> {
  const { upstream, sandbox } = settings;
  if (upstream.url !== undefined) {
    const { url: baseUrl, requestsPerSecond } = upstream;
    const target = { baseUrl, findToken, identity: baseUrl, requestsPerSecond };
    return { target, close: async () => undefined };
  }
  const running = await openSandbox({ ...sandbox, host: '127.0.0.1' });
  const { url: baseUrl, token } = running;
  // The sandbox limits nothing, and its port changes, so it is known by a name.
  const identity = 'embedded sandbox';
  const address = { baseUrl, findToken: () => token, sandbox: { url: baseUrl, token } };
  return { target: { ...address, identity, requestsPerSecond: 0 }, close: () => running.stop() };
}

/** Starts the embedded sandbox, which a bridge to a real service never loads. @throws BridgeError `sandbox-failed` */
export async function openSandbox(options: SandboxOptions): Promise<Sandbox> {
  const { startSandbox } = await import('../sandbox/sandbox.ts');
  try {
    return await startSandbox(options);
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new BridgeError('sandbox-failed', `the sandbox cannot be served: ${why}`, { cause });
  }
}
