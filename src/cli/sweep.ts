import { setTimeout as sleep } from 'node:timers/promises';
import { isPassing, type OpsClient } from '../app/ops-client.ts';
import { BridgeError } from '../domain/errors.ts';
import { toCount } from '../domain/text.ts';
import { toPlanHead } from '../ops/lists/acts.ts';
import { DRIFTS } from '../ops/lists/drifts.ts';
import type { OpsJson } from '../ops/schemas/schemas.ts';
import { type AddCommand, addCommand, type CliContext } from './context.ts';
import { exitCodes, parseAnswer, readAnswer, toJson } from './json.ts';
import { parseCount, readList, toAskedAgain, toFirstOf } from './listing.ts';
import { createProgress, type Progress } from './progress.ts';
import { toPlanText } from './show.ts';
import { toText } from './table.ts';

const POLL_MS = 250;
/** The longest wait for repairs, in milliseconds. The next bridge or sweep goes on with the rest. */
const REPAIRS_MAX_MS = 10 * 60_000;

interface Options {
  readonly json?: true;
  readonly exitCode?: true;
  readonly names?: true;
  readonly limit: number;
}

/** `sweep`: has the running bridge compare the service with the store, waits, and prints the differences and their repairs. */
export const addSweepCommand: AddCommand = (program, context) => {
  addCommand(program, 'sweep', 'compare the service with the store and list what differs')
    .option('--names', 'list the differences, also where the output is no terminal')
    .option('--limit <number>', 'how many differences are listed at most', parseCount, 100)
    .option('--json', 'as one JSON object')
    .option('--exit-code', 'exit with 2 when something managed differs')
    .addHelpText('after', help)
    .action((options: Options) => sweepWith(context, options));
};

const help = `
Where the output is no terminal, as in a scheduled job, it counts differences: --names lists them, and so do --json and
scim-bridge drifts. A bridge that restarts meanwhile is waited for.

What follows from a difference is drift.policy; by default nothing. Unmanaged accounts and groups are counted: scim-bridge
unmanaged lists them.

Exit codes:
  0   compared
  1   not everything could be compared, or the bridge does not answer: the message says why
  2   with --exit-code: something differs`;

async function sweepWith(
  context: CliContext,
  { json, exitCode, names, limit }: Options,
): Promise<void> {
  const { write, exitWith } = context;
  const direct = context.connect();
  const client: OpsClient = {
    ...direct,
    send: (...args) => outlast(context, () => direct.send(...args)),
  };
  const result = await runSweep(client, context);
  const { sweep, drifts } = result;
  const isListed = names === true || context.terminal !== undefined;
  if (json) write(toJson(result));
  else write(isListed ? toListText(result, { limit, context }) : toCountText(result));
  if (sweep.status === 'incomplete') exitWith(exitCodes.failed);
  if (exitCode && drifts.length > 0) exitWith(exitCodes.incomplete);
}

async function runSweep(client: OpsClient, context: CliContext): Promise<Result> {
  const progress = createProgress(context);
  try {
    const { id } = parseAnswer<{ id: string }>(await client.send('POST', '/sweeps', {}));
    const sweep = await untilEnded(client, id, progress);
    const plan = await untilRepaired(client, sweep.planId, progress);
    const { unmanaged } = await readAnswer(client, 'Status', '/status');
    return { sweep, plan, drifts: await listDrifts(client, context), unmanaged };
  } finally {
    progress.end();
  }
}

async function untilEnded(client: OpsClient, id: string, progress: Progress) {
  for (;;) {
    const sweep = await readAnswer(client, 'Sweep', `/sweeps/${id}`);
    if (sweep.status !== 'running') return sweep;
    const { step, read, expected } = sweep.progress ?? { step: '', read: 0, expected: null };
    const words = `Reading ${step}: ${toCount(read, 'entry', 'entries')}`;
    const part = expected === null ? undefined : { done: read, total: expected };
    progress.tell(step === '' ? 'Waiting for the bridge' : words, part);
    await assertNoRecovery(client);
    await sleep(POLL_MS);
  }
}

/** Until an operator has decided about held changes, nothing is compared. */
async function assertNoRecovery(client: OpsClient): Promise<void> {
  const { phase } = await readAnswer(client, 'Recovery', '/recovery');
  if (phase !== 'waiting') return;
  const words = 'what is held waits for a decision first: see scim-bridge plan show';
  throw new BridgeError('recovery-waits', words);
}

/** Differences that still exist, and that nobody wants left alone. */
async function listDrifts(client: OpsClient, context: CliContext): Promise<OpsJson<'Drift'>[]> {
  const reading = { path: '/drifts', query: { status: 'active' }, context } as const;
  const { items } = await readList<OpsJson<'Drift'>>(client, reading);
  return items.filter(({ status }) => status !== 'ignored');
}

/** Waits for approved repairs, so that the output tells their result. */
async function untilRepaired(client: OpsClient, planId: string | null, progress: Progress) {
  if (planId === null) return undefined;
  const deadline = Date.now() + REPAIRS_MAX_MS;
  for (;;) {
    const plan = await readAnswer(client, 'Plan', `/plans/${planId}`);
    if (plan.status !== 'approved' || Date.now() > deadline) return plan;
    progress.tell(`Plan ${plan.id} is carried out`);
    await sleep(POLL_MS);
  }
}

interface Result {
  readonly sweep: OpsJson<'Sweep'>;
  readonly plan: OpsJson<'Plan'> | undefined;
  readonly drifts: readonly OpsJson<'Drift'>[];
  /** Accounts and groups that no provider asked for. */
  readonly unmanaged: number;
}

function toHead({ sweep, drifts, unmanaged }: Result): string {
  const { status, calls, counts, reasons } = sweep;
  const { users = 0, groups = 0 } = counts;
  const compared = `${toCount(users, 'person', 'people')} and ${toCount(groups, 'group')} compared`;
  const found = drifts.length === 0 ? 'nothing differs' : toCount(drifts.length, 'difference');
  const head = `Sweep ${status}: ${compared} in ${toCount(calls, 'call')}, ${found}\n`;
  const others = unmanaged === 0 ? [] : [`  ${unmanaged} unmanaged: scim-bridge unmanaged\n`];
  return [head, ...others, ...reasons.map((reason) => `  not concluded: ${reason}\n`)].join('');
}

/** Counts without a name, for logs that many may read. */
function toCountText(result: Result): string {
  const { plan, drifts } = result;
  const kinds = Object.entries(Object.groupBy(drifts, ({ kind }) => kind));
  const lines = kinds.map(([kind, some]) => `  ${kind.padEnd(18)} ${some.length}\n`);
  const more = drifts.length === 0 ? '' : 'Whom they are about: scim-bridge drifts, or --names.\n';
  const decided = plan === undefined ? '' : toText(toPlanHead(plan));
  return [toHead(result), ...lines, more, decided].join('');
}

function toListText(
  result: Result,
  { limit, context }: { readonly limit: number; readonly context: CliContext },
): string {
  const { plan, drifts } = result;
  const shown = { columns: DRIFTS.columns, context, hasMore: drifts.length > limit };
  const table = drifts.length === 0 ? '' : toFirstOf(drifts.slice(0, limit), shown);
  return `${toHead(result)}${table}${plan === undefined ? '' : `\n${toPlanText(plan, context)}`}`;
}

/** Time for which a bridge that does not answer is waited for, in milliseconds. */
const GONE_MAX_MS = 5 * 60_000;
const AGAIN_MS = 1_000;

/**
 * Asks the bridge, and asks again while it does not answer because it restarts. To be used for what may be asked twice.
 * @throws OpsError when it stays away for five minutes, or refuses
 */
async function outlast<T>(
  { writeError }: Pick<CliContext, 'writeError'>,
  ask: () => Promise<T>,
): Promise<T> {
  const deadline = Date.now() + GONE_MAX_MS;
  for (let isTold = false; ; isTold = true) {
    try {
      return await ask();
    } catch (error) {
      if (!isPassing(error) || Date.now() > deadline) throw error;
      if (!isTold) writeError(toAskedAgain(error));
      await sleep(AGAIN_MS);
    }
  }
}
