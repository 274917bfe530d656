import type { Command } from 'commander';
import { createOpsClient, type OpsClient } from '../app/ops-client.ts';
import { toReleaseText } from '../ops/recovery/release.ts';
import type { RecoveryView } from '../ops/schemas/recovery.ts';
import type { AddCommand, CliContext } from './context.ts';
import { toJson } from './json.ts';
import { toPlanText } from './plan-text.ts';

/**
 * `recovery`: shows what the running bridge holds back after a restored backup or after observing, and takes the
 * decision.
 */
export const addRecoveryCommand: AddCommand = (program, context) => {
  const recovery = program
    .command('recovery')
    .description(
      'what is held back after a backup was restored, or after observing (asks the running bridge)',
    );
  addShow(recovery, context);
  addDecision(recovery, context, {
    name: 'approve',
    description: 'bring the service to what the store wants, as the plan with this hash says',
    toText: ({ released, dropped }) =>
      `${released} changes wait for the service now, ${dropped} no longer held and dropped out\n`,
  });
  addDecision(recovery, context, {
    name: 'discard',
    description: 'leave the service as it is: nothing of the plan with this hash is done',
    toText: ({ dropped }) => `${dropped} differences are left as they are\n`,
  });
};

function addShow(parent: Command, { loadSettings, write }: CliContext): void {
  parent
    .command('show', { isDefault: true })
    .description('where recovery stands, and the plan that waits')
    .option('--json', 'as one JSON object')
    .action(async ({ json }: { json?: true }) => {
      const client = createOpsClient(loadSettings().settings);
      const view = await client.send('GET', '/recovery');
      write(json ? toJson(view) : toText(parseView(view)));
    });
}

interface DecisionCommand {
  readonly name: 'approve' | 'discard';
  readonly description: string;
  readonly toText: (counts: { released: number; dropped: number }) => string;
}

function addDecision(
  parent: Command,
  { loadSettings, write }: CliContext,
  { name, description, toText: toResult }: DecisionCommand,
): void {
  parent
    .command(`${name} <hash>`)
    .description(description)
    .action(async (hash: string) => {
      const client: OpsClient = createOpsClient(loadSettings().settings);
      write(toResult(parseCounts(await client.send('POST', `/recovery/${name}`, { hash }))));
    });
}

/** The answer of a bridge of the same version. */
function parseView(view: unknown): RecoveryView {
  return view as RecoveryView;
}

function parseCounts(counts: unknown): { released: number; dropped: number } {
  return counts as { released: number; dropped: number };
}

function toText(view: RecoveryView): string {
  const { phase, since, plan, release } = view;
  const progress = release === null ? '' : toReleaseText(release, Date.now());
  if (phase === 'none') return `${progress}No recovery: ${toDetection(view)}\n`;
  const head = `${progress}Recovery ${phase} since ${since ?? ''}: ${toReason(view)}\n`;
  return plan === null ? head : `${head}\n${toPlanText(plan)}`;
}

function toDetection({ detection }: RecoveryView): string {
  switch (detection?.kind) {
    case undefined:
      return 'the last start had nothing to compare.';
    case 'unknown':
      return `the audit log could not tell at the last start (${detection.code}).`;
    default:
      return 'at the last start the store knew of everything that was done.';
  }
}

function toReason({ reason }: RecoveryView): string {
  if (reason?.code === 'first-run') return 'the bridge is live, and before it only observed';
  if (reason?.code !== 'audit') return 'an operator said that a backup was restored';
  const at = new Date(reason.lastEventAt).toISOString();
  return `${reason.events} changes by our own account are unknown to the store, the last at ${at}`;
}
