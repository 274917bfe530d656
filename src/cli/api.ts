import type { Command } from 'commander';
import type { AddCommand, CliContext } from './context.ts';

/** Options of `api`. Values are as they were typed. */
export interface ApiOptions {
  readonly path?: readonly string[];
  readonly query?: readonly string[];
  /** JSON, `@file`, or `-` for standard input. */
  readonly body?: string;
  readonly file?: readonly string[];
  /** Allows an operation that changes all matching entries to be sent without any condition. */
  readonly everything?: true;
  readonly paginate?: true;
  /** The group to list; `true` lists all. */
  readonly list?: string | true;
  readonly help?: true;
}

/** One run of `api`. */
export interface ApiRun {
  /** `group.name`, when one was given. */
  readonly id: string | undefined;
  readonly options: ApiOptions;
  readonly context: CliContext;
  /** Ends the program with the exit code of wrong usage. */
  readonly refuse: (message: string) => never;
  /** Prints the help of the command. */
  readonly showHelp: () => void;
}

/** `api`: calls one operation of the service, directly or through the running bridge. */
export function apiCommand(run: (run: ApiRun) => Promise<void>): AddCommand {
  return (program, context) => {
    const command: Command = program
      .command('api')
      .description('call any operation of the service, and print its answer as JSON')
      .usage('<group>.<operation> [options]')
      .argument('[operation]', 'see --list')
      .helpOption(false)
      .option('--path <name=value>', 'a parameter of the path', collect)
      .option('--query <name=value>', 'a parameter of the query; again for a list', collect)
      .option('--body <json>', 'the body: JSON, @file, or - for standard input')
      .option('--file <name=@path>', 'a file to upload; again for more', collect)
      .option('--everything', 'without any condition: change all there is')
      .option('--paginate', 'all pages of a list as one')
      .option('--list [group]', 'the operations, of one group or all')
      .option('-h, --help', 'this, or what the operation takes')
      .addHelpText('after', help)
      .action(async (id: string | undefined, options: ApiOptions) => {
        await run({
          id,
          options,
          context,
          refuse: (message) => command.error(`error: ${message}`),
          showHelp: () => command.outputHelp(),
        });
      });
  };
}

function collect(text: string, earlier: readonly string[] = []): string[] {
  return [...earlier, text];
}

const help = `
With ops.url (OPS_URL) the call goes through the running bridge: one budget, one token. Without it, it goes to
upstream.url by itself, at upstream.requestsPerSecond.

  scim-bridge api --list groups
  scim-bridge api groups.createGroup --help
  scim-bridge api groups.createGroup --body '{"name":"Pilots"}'
  scim-bridge api groups.getListOfGroups --paginate

Standard output has JSON and nothing else. A failed call is one line of JSON on standard error: code, message,
operation, status, retry, outcome, requestId, retryAfterMs, answer.

Exit codes:
  0   done
  1   the service refused, or the call failed for good
  2   with --paginate: the list may be incomplete; what was read is printed
  64  wrong usage; nothing was sent
  75  not now: the same call may succeed later. "outcome" says whether it may have been done
  78  the settings name no service`;
