import type { ApiOptions } from './api/read-args.ts';
import type { AddCommand } from './context.ts';

/** `api`: calls one operation of the service, directly or through the running bridge. */
export const addApiCommand: AddCommand = (program, context) => {
  const command = program
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
      // Loaded on demand: it knows every operation of the service, which no other command needs.
      const { runApi } = await import('./api/run-api.ts');
      await runApi(command, context, { id, options });
    });
};

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
operation, status, retry, outcome, requestId, retryAfterMs, answer. Exit code 2: with
--paginate the list may be incomplete; what was read is printed. Exit code 75: "outcome" says if the call may have been done.`;
