import { Argument } from 'commander';
import type { ApiOptions } from './api/read-args.ts';
import { commandOf } from './command.ts';
import { repeatedOption } from './options.ts';

/** `api`: calls one operation of the service, directly or through the running bridge. */
export const apiCommand = commandOf<ApiOptions>({
  usage: 'api',
  about: 'call any operation of the service, and print its answer as JSON',
  arguments: [new Argument('[operation]', 'see --list')],
  configure: (command) => command.usage('<group>.<operation> [options]').helpOption(false),
  options: [
    repeatedOption('--path <name=value>', 'a parameter of the path'),
    repeatedOption('--query <name=value>', 'a parameter of the query; again for a list'),
    ['--body <json>', 'the body: JSON, @file, or - for standard input'],
    repeatedOption('--file <name=@path>', 'a file to upload; again for more'),
    ['--everything', 'without any condition: change all there is'],
    ['--paginate', 'all pages of a list as one'],
    ['--list [group]', 'the operations, of one group or all'],
    ['-h, --help', 'this, or what the operation takes'],
  ],
  help: `
With ops.url (OPS_URL) the call goes through the running bridge: one budget, one token. Without it, it goes to
upstream.url by itself, at upstream.requestsPerSecond.

  scim-bridge api --list groups
  scim-bridge api groups.createGroup --help
  scim-bridge api groups.createGroup --body '{"name":"Pilots"}'
  scim-bridge api groups.getListOfGroups --paginate

Standard output has JSON and nothing else. A failed call is one line of JSON on standard error: code, message,
operation, status, retry, outcome, requestId, retryAfterMs, answer. Exit code 2: with
--paginate the list may be incomplete; what was read is printed. Exit code 75: "outcome" says if the call may have been done.`,
  async run(call) {
    // Loaded on demand: it knows every operation of the service, which no other command needs.
    const { runApi } = await import('./api/run-api.ts');
    return runApi(call);
  },
});
