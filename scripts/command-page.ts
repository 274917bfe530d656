import { Command } from 'commander';
import { addCommand } from '../src/cli/command.ts';
import { commands } from '../src/cli/program.ts';

/** Options that the page explains once for all commands. */
const COMMON = new Set(['--json', '--limit', '--of', '--yes', '--help', '--csv']);

/** Every command with its options as a Markdown table, for docs/command-line.md. */
export function toCommandsTable(): string {
  const program = new Command('scim-bridge');
  for (const row of commands) addCommand(program, row);
  const rows = program.commands.flatMap((command) => listRows(command, ''));
  return ['| command | what it does | options |', '|---|---|---|', ...rows].join('\n');
}

function listRows(command: Command, path: string): string[] {
  const usage = command.createHelp().subcommandTerm(command).replace(' [options]', '');
  const own = command.options.filter(({ long }) => !COMMON.has(long ?? ''));
  const options = own.map(({ flags }) => `\`${flags.replaceAll('|', '\\|')}\``);
  const children = command.commands.flatMap((child) =>
    listRows(child, `${path}${command.name()} `),
  );
  const [first = ''] = command.description().split(/[.;:] /);
  const what = first.replaceAll('|', '\\|');
  return [`| \`${path}${usage}\` | ${what} | ${options.join(', ')} |`, ...children];
}
