import type { Command } from 'commander';
import type { FirstRunItem } from '../ops/first-run/judge.ts';
import type { FirstRunView } from '../ops/first-run/view.ts';
import type { AddCommand, CliContext } from './context.ts';
import { createOpsClient, type OpsClient } from './ops-client.ts';
import { toPlanText } from './plan-text.ts';

/** Entries that are fetched at once. */
const PAGE = 1_000;

/** `plan`: what the bridge would do, before it does it. */
export const addPlanCommand: AddCommand = (program, context) => {
  const plan = program
    .command('plan')
    .description('what the bridge would do in the service (asks the running bridge)');
  addShow(plan, context);
};

function addShow(parent: Command, { loadSettings, write }: CliContext): void {
  const command = parent
    .command('show')
    .description('the plan of the first day: who matches, would be adopted or created, and who not')
    .option('--first-run', 'what is accepted while observing, or held since')
    .option('--json', 'as one JSON object')
    .addHelpText('after', help)
    .action(async ({ firstRun, json }: { firstRun?: true; json?: true }) => {
      if (firstRun === undefined) command.error('error: say --first-run');
      const view = await readAll(createOpsClient(loadSettings().settings));
      write(json ? `${JSON.stringify(view, null, 2)}\n` : toText(view));
    });
}

const help = `
  adopt       matches an account or group that exists, which is taken over
  linked      belongs to one that the bridge made or took over before
  create      matches none, and would be made; inactive: once it is active
  remove      was deleted by its provider
  disputed    fits several, or waits for you; its provider is answered 409
  privileged  exists and is never taken over by itself: an owner, protected, a group with rights or admins`;

/** Every page as one. */
async function readAll(client: OpsClient): Promise<FirstRunView> {
  const first = parseView(await client.send('GET', `/plans/first-run?limit=${PAGE}`));
  const items = [...first.items];
  for (let cursor = first.nextCursor; cursor !== null; ) {
    const path = `/plans/first-run?limit=${PAGE}&cursor=${cursor}` as const;
    const page = parseView(await client.send('GET', path));
    items.push(...page.items);
    cursor = page.nextCursor;
  }
  return { ...first, items, nextCursor: null };
}

function toText({ phase, plan, counts, items }: FirstRunView): string {
  const lines = Object.entries(counts ?? {}).map(([name, count]) => `  ${pad(name)} ${count}\n`);
  const entries = items.map(toLine);
  const decision = plan === null ? '' : `\n${toPlanText(plan)}`;
  return `${PHASES[phase]}\n${lines.join('')}\n${entries.join('')}${decision}`;
}

const PHASES: Readonly<Record<FirstRunView['phase'], string>> = {
  none: 'The bridge is live, and nothing is held.',
  observing: 'The bridge observes: nothing is changed in the service.',
  reading: 'The bridge is live and reads the service; what was accepted before is held.',
  waiting: 'The bridge is live; what was accepted before is held and waits for you.',
  releasing: 'What was held is approved and on its way.',
};

function toLine({ type, name, outcome, upstreamId, reason }: FirstRunItem): string {
  const existing = upstreamId === null ? '' : ` (${upstreamId})`;
  const why = reason === null ? '' : `: ${reason}`;
  return `  ${outcome.padEnd(10)} ${type.padEnd(5)} ${name}${existing}${why}\n`;
}

function pad(name: string): string {
  return name.padEnd(18);
}

/** What the same version of the bridge answers. */
function parseView(answer: unknown): FirstRunView {
  return answer as FirstRunView;
}
