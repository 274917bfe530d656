import { setTimeout as sleep } from 'node:timers/promises';
import type { OpsClient } from '../app/ops-client.ts';
import { BridgeError } from '../domain/errors.ts';
import { toCount } from '../domain/text.ts';
import { toPlanHead } from '../ops/lists/acts.ts';
import { toReadingText } from '../ops/lists/details.ts';
import type { OpsJson } from '../ops/schemas/schemas.ts';
import {
  type AddCommand,
  addCommand,
  type CliContext,
  exitCodes,
  parseAnswer,
  readAnswer,
  toJson,
} from './context.ts';
import { readList } from './listing.ts';
import { toText } from './table.ts';

const POLL_MS = 250;
/** The longest wait for repairs, in milliseconds. The next bridge or sweep goes on with the rest. */
const REPAIRS_MAX_MS = 10 * 60_000;

interface Options {
  readonly json?: true;
  readonly dryRun?: true;
  readonly exitCode?: true;
}

/** `sweep`: has the running bridge compare the service with the store, waits, and counts the differences. */
export const addSweepCommand: AddCommand = (program, context) => {
  addCommand(program, 'sweep', 'compare the service with the store and count what differs')
    .option('--json', 'as one JSON object, with the differences')
    .option('--dry-run', 'show what drift.policy would do, and do nothing')
    .option('--exit-code', 'exit with 2 when something managed differs')
    .addHelpText('after', HELP)
    .action(async ({ json, dryRun, exitCode }: Options) => {
      const result = await runSweep(context, { dryRun: dryRun === true });
      const { sweep, drifts } = result;
      context.write(json ? toJson(result) : toSweepText(result));
      if (sweep.status === 'incomplete') context.exitWith(exitCodes.failed);
      if (exitCode && drifts.length > 0) context.exitWith(exitCodes.incomplete);
    });
};

const HELP = `
Names stay out of its output, so that a scheduled job may print it: scim-bridge drifts lists the differences, and
scim-bridge unmanaged the accounts and groups that no provider asked for. What follows from a difference is drift.policy;
by default nothing. Exit code 1: not everything could be compared.`;

type Result = Awaited<ReturnType<typeof runSweep>>;

async function runSweep(context: CliContext, body: { dryRun: boolean }) {
  const client = context.connect();
  const { id } = parseAnswer<OpsJson<'SweepAsked'>>(await client.send('POST', '/sweeps', body));
  const sweep = await untilEnded(client, id, context);
  const plan = await untilRepaired(client, sweep.planId);
  const { unmanaged } = await readAnswer(client, 'Status', '/status');
  const reading = { path: '/drifts', query: { status: 'active' } } as const;
  const { items } = await readList<OpsJson<'Drift'>>(client, reading);
  // Those that are ignored are decided about.
  return { sweep, plan, drifts: items.filter(({ status }) => status !== 'ignored'), unmanaged };
}

async function untilEnded(client: OpsClient, id: string, context: CliContext) {
  for (;;) {
    const sweep = await readAnswer(client, 'Sweep', `/sweeps/${id}`);
    if (sweep.status !== 'running') return sweep;
    if (sweep.progress !== null) context.showProgress?.(toReadingText(sweep.progress));
    // Until an operator has decided about held changes, nothing is compared.
    const { phase } = await readAnswer(client, 'Recovery', '/recovery');
    if (phase === 'waiting') {
      const words = 'what is held waits for a decision first: see scim-bridge plan show';
      throw new BridgeError('recovery-waits', words);
    }
    await sleep(POLL_MS);
  }
}

/** Waits for approved repairs, so that the output has their result. */
async function untilRepaired(client: OpsClient, planId: string | null) {
  if (planId === null) return undefined;
  const deadline = Date.now() + REPAIRS_MAX_MS;
  for (;;) {
    const plan = await readAnswer(client, 'Plan', `/plans/${planId}`);
    if (plan.status !== 'approved' || Date.now() > deadline) return plan;
    await sleep(POLL_MS);
  }
}

function toSweepText({ sweep, plan, drifts, unmanaged }: Result): string {
  const { status, calls, counts, reasons } = sweep;
  const { users = 0, groups = 0 } = counts;
  const compared = `${toCount(users, 'person', 'people')} and ${toCount(groups, 'group')} compared`;
  const found = drifts.length === 0 ? 'nothing differs' : toCount(drifts.length, 'difference');
  const kinds = Object.entries(Object.groupBy(drifts, ({ kind }) => kind));
  const lines = [
    `Sweep ${status}: ${compared} in ${toCount(calls, 'call')}, ${found}`,
    ...(unmanaged === 0 ? [] : [`  ${unmanaged} unmanaged: scim-bridge unmanaged`]),
    ...reasons.map((reason) => `  not concluded: ${reason}`),
    ...kinds.map(([kind, some]) => `  ${kind.padEnd(18)} ${some.length}`),
    ...(drifts.length === 0 ? [] : ['Whom they are about: scim-bridge drifts']),
    ...(plan === undefined ? [] : [toPlanHead(plan), `Its actions: plan show ${plan.id}`]),
  ];
  return toText(lines.join('\n'));
}
