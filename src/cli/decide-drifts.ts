import type { Command } from 'commander';
import { toCount } from '../domain/text.ts';
import { type OpsJson, opsSchemas } from '../ops/schemas/schemas.ts';
import { addBodyOptions, confirm, YES } from './act-command.ts';
import type { CliContext } from './context.ts';
import { exitCodes, parseAnswer, toJson } from './json.ts';
import { toText } from './table.ts';

type Decision = OpsJson<'DriftsBody'>['decision'];

/** Decisions: what each of them means, and the word for what was done. */
const DECISIONS = {
  repair: ['have the service hold again what is wanted, by one plan', 'repaired'],
  accept: ['take what the service holds as what is wanted', 'accepted'],
  adopt: ['take them over as the service holds them; none that is privileged', 'taken over'],
  ignore: ['leave them alone until a date', 'ignored'],
} as const;

/** Adds commands that decide about some of what is listed at once. */
export function addDriftDecisions(...decisions: readonly Decision[]) {
  return (list: Command, context: CliContext): void => {
    // What stands behind the word of a decision is for it.
    list.enablePositionalOptions();
    for (const decision of decisions) {
      const command = list
        .command(`${decision} <ids...>`)
        .description(DECISIONS[decision][0])
        .option(...YES)
        .option('--json', 'as one JSON object');
      const body = opsSchemas.DriftsBody.options.find(
        ({ shape }) => shape.decision.value === decision,
      );
      const { readFile } = context;
      const readOptions = addBodyOptions(command, { body, readFile, fixed: 'decision' });
      if (decision === 'repair') command.addHelpText('after', HELP);
      command.action((ids: readonly string[], { yes, json }: Options) =>
        decide(command, context, { yes, json, body: { decision, ids, ...readOptions() } }),
      );
    }
  };
}

const HELP = `
A dry run is made and shown first. A plan of repairs above the limits is done only by a person who says yes to it, or with
its hash.`;

interface Options {
  readonly yes?: true | undefined;
  readonly json?: true | undefined;
}

interface Asked extends Options {
  readonly body: {
    readonly decision: Decision;
    readonly ids: readonly string[];
    readonly dryRun?: true;
    readonly hash?: string;
  };
}

async function decide(
  command: Command,
  context: CliContext,
  { yes, json, body }: Asked,
): Promise<void> {
  const { dryRun, hash, decision } = body;
  const client = context.connect();
  const send = async (more: object) =>
    parseAnswer<OpsJson<'DriftsDecided'>>(
      await client.send('POST', '/drifts/decide', { ...body, ...more }),
    );
  const preview = await send({ dryRun: true });
  if (!json || !dryRun) context[json ? 'writeError' : 'write'](toDecidedText(preview, decision));
  if (dryRun) {
    if (json) context.write(toJson(preview));
    return;
  }
  const asked = { yes, question: toQuestion(decision) };
  if (hash === undefined && !(await confirm(command, context, asked))) return;
  // A person has seen the plan; a script has not.
  const seen = yes ? undefined : preview.plan?.hash;
  const decided = await send(hash === undefined && seen !== undefined ? { hash: seen } : {});
  context.write(json ? toJson(decided) : toDecidedText(decided, decision));
  if (decided.refused.length > 0) context.exitWith(exitCodes.failed);
}

function toQuestion(decision: Decision): string {
  if (decision === 'adopt')
    return 'Take them over? Providers may change and deactivate them from then on.';
  return `${decision.charAt(0).toUpperCase()}${decision.slice(1)} them?`;
}

function toDecidedText(
  { dryRun, done, refused, plan }: OpsJson<'DriftsDecided'>,
  decision: Decision,
): string {
  const head = `${done} ${dryRun ? 'can be ' : ''}${DECISIONS[decision][1]}, ${refused.length} not.`;
  const lines = refused.map(({ id, reason }) => `  ${id}  ${reason}`);
  if (plan === null) return toText([head, ...lines].join('\n'));
  const { id, hash, counts, exceeded } = plan;
  return toText(
    [
      ...[head, ...lines],
      `${id === null ? `The plan ${hash}` : `Plan ${id}`}: ${toCount(counts.total, 'action')}`,
      ...Object.entries(counts.kinds).map(([kind, count]) => `  ${count} ${kind}`),
      ...exceeded.map((limit) => `  above the limit: ${limit}`),
    ].join('\n'),
  );
}
