import { toCount } from '../domain/text.ts';
import type { ErasureAnswer } from '../ops/schemas/resources.ts';
import { confirm } from './act-command.ts';
import { type AddCommand, addCommand } from './context.ts';
import { exitCodes } from './exit-codes.ts';
import { parseAnswer, toJson } from './json.ts';

/** `erase`: erases all personal data of a person whom no provider has any more. */
export const addEraseCommand: AddCommand = (program, context) => {
  const { connect, write, exitWith } = context;
  const about = 'erase everything personal about a person whom the provider has deleted';
  const command = addCommand(program, 'erase', about);
  command
    .argument('<user>', 'a userName, an address or a SCIM id')
    .option('--yes', 'erase; without it nothing is changed, and what would be erased is shown')
    .option('--json', 'as one JSON object')
    .addHelpText('after', help)
    .action(async (user: string, { yes, json }: { yes?: true; json?: true }) => {
      const client = connect();
      const path = `/users/${encodeURIComponent(user)}` as const;
      const planned = parseAnswer<ErasureAnswer>(await client.send('GET', `${path}/erasure`));
      let isAsked = planned.obstacles.length === 0 && yes === true;
      if (planned.obstacles.length === 0 && !isAsked && context.ask !== undefined && !json) {
        write(toText(planned));
        const question = 'Erase it? It cannot be taken back.';
        isAsked = await confirm(command, context, { yes: undefined, question });
      }
      const answer = isAsked
        ? parseAnswer<ErasureAnswer>(await client.send('POST', `/users/${planned.id}/erase`))
        : planned;
      write(json ? toJson(answer) : toText(answer));
      if (wasErased(planned)) return;
      if (planned.obstacles.length > 0) exitWith(exitCodes.failed);
      else if (!isAsked) exitWith(exitCodes.incomplete);
    });
};

const help = `
What is erased: names, addresses, attributes and places in groups; what the logs of requests, calls, drifts, plans and
events of the service say of the person. Where the account is still in the service, deactivated, its id and when it was
deleted stay, so that no list of the service brings the person back. What cannot be erased from here: the account in the
service, log lines (they hold ids alone), and backups made before.

Exit codes:
  0   erased, now or before
  1   nothing was erased: something has to be done first, or nobody or more than one has this name
  2   nothing was erased: --yes was not given
  64  wrong usage`;

function wasErased({ obstacles }: ErasureAnswer): boolean {
  return obstacles.some(({ code }) => code === 'erased');
}

function toText(answer: ErasureAnswer): string {
  const { userName, id, account, staysHidden, obstacles, rows } = answer;
  const whose = `${userName} (${id}${account === null ? '' : `, account ${account}`})`;
  if (wasErased(answer)) return `Nothing is left to erase of ${id}: it was done before.\n`;
  if (obstacles.length > 0) {
    const reasons = obstacles.map(({ code, detail }) => `  ${code}: ${detail}\n`);
    return [`Nothing can be erased of ${whose} yet:\n`, ...reasons].join('');
  }
  const stays = staysHidden
    ? '  The id of the account stays, without a name, so that no list brings the person back.\n'
    : '';
  const what = '  names, attributes and what was seen in the service\n';
  if (rows !== null)
    return `Erased: ${whose}\n${what}  ${toCount(rows, 'row', 'rows')} of others and of logs that spoke of them\n${stays}`;
  return `To be erased: ${whose}\n${what}  whatever else speaks of them\n${stays}Nothing was erased yet: scim-bridge erase ${id} --yes\n`;
}
