import { toCount } from '../domain/text.ts';
import type { LookAnswer } from '../ops/schemas/drift.ts';
import type { AddCommand } from './context.ts';
import { findResource } from './find-resource.ts';
import { parseAnswer, toJson } from './json.ts';

/** `look`: compares one user or group with the service now. */
export const addLookCommand: AddCommand = (program, { connect, write }) => {
  program
    .command('look')
    .description('compare one user or group with the service now (asks the running bridge)')
    .argument('<name>', 'a userName, an address, a displayName or a SCIM id')
    .option('--repair', 'also repair what differs, within the limits')
    .option('--json', 'as one JSON object')
    .addHelpText('after', help)
    .action(async (name: string, { repair, json }: Options) => {
      const client = connect();
      const { type, id } = await findResource(client, name);
      const body = repair === undefined ? {} : { repair };
      const path = `/${type}s/${encodeURIComponent(id)}/look` as const;
      const answer = parseAnswer<LookAnswer>(await client.send('POST', path, body));
      write(json ? toJson(answer) : toText(name, answer));
    });
};

interface Options {
  readonly repair?: true;
  readonly json?: true;
}

const help = `
It makes at most three calls of the service, and stores what it sees and what differs as a sweep does. Admin lists are left to
sweeps. --repair never touches what is unmanaged, protected or contested, and does nothing where a limit would be exceeded.`;

function toText(name: string, answer: LookAnswer): string {
  const { type, calls, differences, repair } = answer;
  const lines = differences.map(({ kind, status, member, desired, observed, note }) => {
    const who = member === null ? '' : ` of ${member.name ?? member.id}`;
    const why = note === null ? '' : ` (${note})`;
    const facts = `wanted ${JSON.stringify(desired)}, there is ${JSON.stringify(observed)}`;
    return `  ${kind}${who}: ${facts} · ${status}${why}\n`;
  });
  return `${type} ${name}, ${toCount(calls, 'call')}. ${toFound(answer)}\n${lines.join('')}${toRepairText(repair)}`;
}

function toFound({ id, gone, differences, unfinished }: LookAnswer): string {
  if (gone) return 'The service does not have it.';
  if (differences.length > 0) return `Differences: ${differences.length}`;
  return unfinished
    ? `Nothing differs but what waits, is stuck or is held: scim-bridge explain ${id}`
    : 'Nothing differs.';
}

function toRepairText(repair: LookAnswer['repair']): string {
  if (repair === null) return '';
  if (repair.planId !== null) return `It is repaired by plan ${repair.planId}.\n`;
  if (repair.exceeded.length === 0) return 'There is nothing to repair.\n';
  return `Nothing is repaired, a limit would be exceeded: ${repair.exceeded.join('; ')}\n`;
}
