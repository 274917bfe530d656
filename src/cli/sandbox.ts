import { openSandbox } from '../app/target.ts';
import type { AddCommand } from './context.ts';

/** `sandbox`: runs the imitation of the service alone, for trying other programs. */
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
