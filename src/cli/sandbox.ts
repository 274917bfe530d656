import { BridgeError } from '../domain/errors.ts';
import type { Sandbox, SandboxOptions } from '../sandbox/sandbox.ts';
import type { AddCommand } from './context.ts';

/** `sandbox`: the imitation of the service alone, to try other programs against. */
export const addSandboxCommand: AddCommand = (program, { loadSettings, untilStopped, write }) => {
  program
    .command('sandbox')
    .description(
      'serve the embedded imitation of the service alone, as the settings of sandbox say',
    )
    .action(async () => {
      const sandbox = await openSandbox(loadSettings().settings.sandbox);
      const stopped = untilStopped();
      write(`Base URL  ${sandbox.url}\nToken     ${sandbox.token}\n`);
      await stopped;
      await sandbox.stop();
    });
};

async function openSandbox(options: SandboxOptions): Promise<Sandbox> {
  try {
    const { startSandbox } = await import('../sandbox/sandbox.ts');
    return await startSandbox(options);
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new BridgeError('sandbox-failed', `the sandbox cannot be served: ${why}`, { cause });
  }
}
