import type { Command } from 'commander';
import { toCount } from '../domain/text.ts';
import type { DriftsDecided } from '../ops/schemas/drift.ts';
import { confirm, YES } from './confirm.ts';
import type { CliContext } from './context.ts';
import { exitCodes } from './exit-codes.ts';
import { parseAnswer, toJson } from './json.ts';

interface Options {
  readonly dryRun?: true;
  readonly hash?: string;
  readonly json?: true;
  readonly until?: string;
  readonly reason?: string;
  readonly yes?: true;
}

/** Decisions, with what each of them means. */
const DECISIONS = {
  repair: 'have the service hold again what is wanted, by one plan',
  accept: 'take what the service holds as what is wanted',
  ignore: 'leave them alone until a date',
} as const;

/** Adds `repair`, `accept` and `ignore`, which decide about some drifts at once. */
export function addDriftDecisions(drifts: Command, context: CliContext): void {
  // What stands behind the word of a decision is for it.
  drifts.enablePositionalOptions();
  for (const [decision, description] of Object.entries(DECISIONS)) {
    const command = drifts
      .command(`${decision} <id...>`)
      .description(description)
      .option('--dry-run', 'tell what would be done, and do nothing')
      .option(...YES)
      .option('--json', 'as one JSON object');
    if (decision === 'repair')
      command.option('--hash <hash>', 'exactly this plan, also above the limits');
    if (decision === 'ignore')
      command
        .requiredOption('--until <date>', 'a date, or a moment, that is still to come')
        .requiredOption('--reason <text>', 'why');
    command.addHelpText('after', help).action(async (ids: readonly string[], options: Options) => {
      await decide(command, context, { decision, ids, options });
    });
  }
}

const help = `
A dry run is made and told first. A plan of repairs above the limits is done only by a person who says yes to it, or with
its hash.`;

interface Decision {
  readonly decision: string;
  readonly ids: readonly string[];
  readonly options: Options;
}

async function decide(
  command: Command,
  context: CliContext,
  { decision, ids, options }: Decision,
): Promise<void> {
  const { dryRun, hash, json, yes, until, reason } = options;
  const client = context.connect();
  const send = async (more: Readonly<Record<string, string | boolean>>) => {
    const body = { decision, ids, ...(until && { until }), ...(reason && { reason }), ...more };
    return parseAnswer<DriftsDecided>(await client.send('POST', '/drifts/decide', body));
  };
  const preview = await send({ dryRun: true });
  if (!json || !dryRun) context[json ? 'writeError' : 'write'](toText(preview));
  if (dryRun) return json && context.write(toJson(preview));
  const isMeant =
    hash !== undefined || (await confirm(command, context, toQuestion(decision, yes)));
  if (!isMeant) return;
  // A person has seen the plan; a script has not.
  const seen = hash ?? (yes ? undefined : preview.plan?.hash);
  const decided = await send(seen === undefined ? {} : { hash: seen });
  context.write(json ? toJson(decided) : toText(decided));
  if (decided.refused.length > 0) context.exitWith(exitCodes.failed);
}

function toQuestion(decision: string, yes: true | undefined) {
  return { yes, question: `${decision.charAt(0).toUpperCase()}${decision.slice(1)} them?` };
}

const REFUSALS: Readonly<Record<DriftsDecided['refused'][number]['code'], string>> = {
  unknown: 'there is no such drift',
  'not-open': 'it is over, or being repaired',
  'not-possible':
    'nobody asked for it, or somebody protected would lose something, or a new account has no address, or the service holds something else by now',
};

function toText({ dryRun, done, refused, plan }: DriftsDecided): string {
  const head = `${done} ${dryRun ? 'can be decided' : 'decided'}, ${refused.length} not.\n`;
  const lines = refused.map(({ id, code }) => `  ${id}  ${REFUSALS[code]}\n`);
  return `${head}${lines.join('')}${plan === null ? '' : toPlanText(plan)}`;
}

function toPlanText({ id, hash, counts, exceeded }: NonNullable<DriftsDecided['plan']>): string {
  const kinds = Object.entries(counts.kinds).map(([kind, count]) => `  ${count} ${kind}\n`);
  const above = exceeded.map((limit) => `  above the limit: ${limit}\n`);
  const name = id === null ? `The plan ${hash}` : `Plan ${id}`;
  return `${name}: ${toCount(counts.total, 'action')}\n${kinds.join('')}${above.join('')}`;
}
