import { BridgeError } from '../domain/errors.ts';
import type { Sandbox, SandboxOptions } from '../sandbox/sandbox.ts';

/**
 * Starts the embedded sandbox. Loaded only here, so that a bridge to a real service carries nothing of it.
 * @throws BridgeError `sandbox-failed`: its port is taken or its file cannot be used.
 */
export async function openSandbox(options: SandboxOptions): Promise<Sandbox> {
  const { startSandbox } = await import('../sandbox/sandbox.ts');
  try {
    return await startSandbox(options);
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new BridgeError('sandbox-failed', `the sandbox cannot be served: ${why}`, { cause });
  }
}
