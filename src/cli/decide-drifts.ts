import type { Command } from 'commander';
import { toCount } from '../domain/text.ts';
import type { OpsJson } from '../ops/schemas/schemas.ts';
import { confirm, YES } from './act-command.ts';
import type { CliContext } from './context.ts';
import { exitCodes, parseAnswer, toJson } from './json.ts';

interface Options {
  readonly dryRun?: true;
  readonly hash?: string;
  readonly json?: true;
  readonly yes?: true;
}

/** Decisions: what each of them means, and the word for what was done. */
const DECISIONS = {
  repair: ['have the service hold again what is wanted, by one plan', 'repaired'],
  accept: ['take what the service holds as what is wanted', 'accepted'],
  adopt: ['take them over as the service holds them; none that is privileged', 'taken over'],
  ignore: ['leave them alone until a date', 'ignored'],
} as const;

type DriftDecision = keyof typeof DECISIONS;

/** Adds commands that decide about some of what is listed at once. */
export function addDriftDecisions(...decisions: readonly DriftDecision[]) {
  return (list: Command, context: CliContext): void => {
    // What stands behind the word of a decision is for it.
    list.enablePositionalOptions();
    for (const decision of decisions) {
      const command = list
        .command(`${decision} <id...>`)
        .description(DECISIONS[decision][0])
        .option('--dry-run', 'tell what would be done, and do nothing')
        .option(...YES)
        .option('--json', 'as one JSON object');
      if (decision === 'repair')
        command
          .option('--hash <hash>', 'exactly this plan, also above the limits')
          .addHelpText('after', HELP);
      if (decision === 'adopt')
        command.option('--provider <name>', 'the provider that manages them from then on');
      if (decision === 'ignore')
        command
          .requiredOption('--until <date>', 'a date, or a moment, that is still to come')
          .requiredOption('--reason <text>', 'why');
      command.action((ids: readonly string[], options: Options) =>
        decide(command, context, { decision, ids, options }),
      );
    }
  };
}

const HELP = `
A dry run is made and shown first. A plan of repairs above the limits is done only by a person who says yes to it, or with
its hash.`;

interface Decision {
  readonly decision: DriftDecision;
  readonly ids: readonly string[];
  readonly options: Options;
}

async function decide(
  command: Command,
  context: CliContext,
  { decision, ids, options }: Decision,
): Promise<void> {
  const { dryRun, hash, json, yes, ...rest } = options;
  const client = context.connect();
  const send = async (more: Readonly<Record<string, string | boolean>>) => {
    const body = { decision, ids, ...rest, ...more };
    return parseAnswer<OpsJson<'DriftsDecided'>>(await client.send('POST', '/drifts/decide', body));
  };
  const preview = await send({ dryRun: true });
  if (!json || !dryRun) context[json ? 'writeError' : 'write'](toText(preview, decision));
  if (dryRun) {
    if (json) context.write(toJson(preview));
    return;
  }
  const asked = { yes, question: toQuestion(decision) };
  if (hash === undefined && !(await confirm(command, context, asked))) return;
  // A person has seen the plan; a script has not.
  const seen = hash ?? (yes ? undefined : preview.plan?.hash);
  const decided = await send(seen === undefined ? {} : { hash: seen });
  context.write(json ? toJson(decided) : toText(decided, decision));
  if (decided.refused.length > 0) context.exitWith(exitCodes.failed);
}

function toQuestion(decision: DriftDecision): string {
  if (decision === 'adopt')
    return 'Take them over? Providers may change and deactivate them from then on.';
  return `${decision.charAt(0).toUpperCase()}${decision.slice(1)} them?`;
}

function toText(
  { dryRun, done, refused, plan }: OpsJson<'DriftsDecided'>,
  decision: DriftDecision,
): string {
  const head = `${done} ${dryRun ? 'can be ' : ''}${DECISIONS[decision][1]}, ${refused.length} not.\n`;
  const lines = refused.map(({ id, reason }) => `  ${id}  ${reason}\n`);
  if (plan === null) return `${head}${lines.join('')}`;
  const { id, hash, counts, exceeded } = plan;
  return [
    ...[head, ...lines],
    `${id === null ? `The plan ${hash}` : `Plan ${id}`}: ${toCount(counts.total, 'action')}\n`,
    ...Object.entries(counts.kinds).map(([kind, count]) => `  ${count} ${kind}\n`),
    ...exceeded.map((limit) => `  above the limit: ${limit}\n`),
  ].join('');
}
