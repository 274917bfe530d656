import { setTimeout as sleep } from 'node:timers/promises';
import { isPassing, type OpsClient } from '../app/ops-client.ts';
import { BridgeError } from '../domain/errors.ts';
import { BY_OPERATOR, toCount } from '../domain/text.ts';
import type { DriftAnswer, SweepView } from '../ops/schemas/drift.ts';
import type { PlanAnswer } from '../ops/schemas/plans.ts';
import type { RecoveryView } from '../ops/schemas/recovery.ts';
import type { AddCommand, CliContext } from './context.ts';
import { exitCodes } from './exit-codes.ts';
import { parseAnswer, toJson } from './json.ts';
import { type Page, parseCount, readPages, toAskedAgain } from './listing.ts';
import { toSubject } from './lists.ts';
import { toPlanAnswerText, toPlanHead } from './plan-text.ts';
import { createProgress, type Progress } from './progress.ts';
import { toUnmanagedCount } from './status.ts';
import { toPlain } from './table.ts';

const POLL_MS = 250;
/** The longest wait for repairs, in milliseconds. The next bridge or sweep goes on with the rest. */
const REPAIRS_MAX_MS = 10 * 60_000;
/** Statuses of differences that still exist. */
const STATUSES = ['open', 'contested', 'repairing'] as const;

interface Options {
  readonly dryRun?: true;
  readonly json?: true;
  readonly exitCode?: true;
  readonly names?: true;
  readonly limit: number;
}

/** `sweep`: has the running bridge compare the service with the store, waits, and prints the differences and their repairs. */
export const addSweepCommand: AddCommand = (program, context) => {
  program
    .command('sweep')
    .description(
      'compare the service with the store and list what differs (asks the running bridge)',
    )
    .option('--dry-run', 'show what drift.policy would do, and do nothing')
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

What follows from a difference is drift.policy; by default nothing. Accounts and groups that nobody asked for are listed,
and are no reason for the exit code 2.

Exit codes:
  0   compared
  1   not everything could be compared, or the bridge does not answer: the message says why
  2   with --exit-code: something differs`;

async function sweepWith(
  context: CliContext,
  { dryRun, json, exitCode, names, limit }: Options,
): Promise<void> {
  const { write, exitWith } = context;
  const direct = context.connect();
  const client: OpsClient = {
    ...direct,
    send: (...args) => outlast(context, () => direct.send(...args)),
  };
  const result = await runSweep(client, { dryRun: dryRun === true }, createProgress(context));
  const { sweep, drifts } = result;
  const isListed = names === true || context.terminal !== undefined;
  if (json) write(toJson(result));
  else write(isListed ? toText(result, limit) : toCountText(result));
  if (sweep.status === 'incomplete') exitWith(exitCodes.failed);
  if (exitCode && drifts.some(isOfManaged)) exitWith(exitCodes.incomplete);
}

async function runSweep(
  client: OpsClient,
  request: { dryRun: boolean },
  progress: Progress,
): Promise<Result> {
  try {
    const sweep = await untilEnded(client, request, progress);
    const plan = await untilRepaired(client, sweep.planId, progress);
    return { sweep, plan, drifts: await listDrifts(client, progress) };
  } finally {
    progress.end();
  }
}

async function untilEnded(
  client: OpsClient,
  request: { dryRun: boolean },
  progress: Progress,
): Promise<SweepView> {
  const { id } = parseAnswer<{ id: string }>(await client.send('POST', '/sweeps', request));
  for (;;) {
    const sweep = parseAnswer<SweepView>(await client.send('GET', `/sweeps/${id}`));
    if (sweep.status !== 'running') return sweep;
    tell(progress, sweep.progress);
    await assertNoRecovery(client);
    await sleep(POLL_MS);
  }
}

function tell(progress: Progress, done: SweepView['progress']): void {
  if (done === null) {
    progress.tell('Waiting for the bridge');
    return;
  }
  const { step, read, expected } = done;
  progress.tell(
    `Reading ${step}: ${toCount(read, 'entry', 'entries')}`,
    expected === null ? undefined : { done: read, total: expected },
  );
}

/** Until an operator has decided about held changes, nothing is compared. */
async function assertNoRecovery(client: OpsClient): Promise<void> {
  const { phase } = parseAnswer<RecoveryView>(await client.send('GET', '/recovery'));
  if (phase !== 'waiting') return;
  const words = 'what is held waits for a decision first: see scim-bridge plan show';
  throw new BridgeError('recovery-waits', words);
}

async function listDrifts(client: OpsClient, progress: Progress): Promise<DriftAnswer[]> {
  const drifts: DriftAnswer[] = [];
  for (const status of STATUSES) {
    const reading = { path: '/drifts', query: { status }, limit: Number.MAX_SAFE_INTEGER } as const;
    const { items } = await readPages<DriftAnswer, Page<DriftAnswer>>(client, reading, (page) =>
      progress.tell(`${toCount(drifts.length + page.items.length, 'difference')} read`),
    );
    drifts.push(...items);
  }
  return drifts;
}

/** Waits for approved repairs, so that the output tells their result. */
async function untilRepaired(
  client: OpsClient,
  planId: string | null,
  progress: Progress,
): Promise<PlanAnswer | undefined> {
  if (planId === null) return undefined;
  const deadline = Date.now() + REPAIRS_MAX_MS;
  for (;;) {
    const plan = parseAnswer<PlanAnswer>(await client.send('GET', `/plans/${planId}`));
    if (plan.status !== 'approved' || Date.now() > deadline) return plan;
    progress.tell(`Plan ${plan.id} is carried out`);
    await sleep(POLL_MS);
  }
}

function isOfManaged({ kind }: DriftAnswer): boolean {
  return !kind.endsWith('.unmanaged');
}

interface Result {
  readonly sweep: SweepView;
  readonly plan: PlanAnswer | undefined;
  readonly drifts: readonly DriftAnswer[];
}

function toHead({ sweep, drifts }: Result): string {
  const { status, calls, counts, reasons } = sweep;
  const { users = 0, groups = 0 } = counts;
  const compared = `${toCount(users, 'person', 'people')} and ${toCount(groups, 'group')} compared`;
  const head = `Sweep ${status}: ${compared} in ${toCount(calls, 'call')}, ${toDifferences(drifts)}\n`;
  return [head, ...reasons.map((reason) => `  not concluded: ${reason}\n`)].join('');
}

function toDifferences(drifts: readonly DriftAnswer[]): string {
  const managed = drifts.filter(isOfManaged).length;
  const found =
    managed === 0 ? 'nothing managed differs' : `${toCount(managed, 'difference')} open`;
  const others = drifts.length - managed;
  return others === 0 ? found : `${found}, ${toUnmanagedCount(others)}`;
}

/** Counts without a name, for logs that many may read. */
function toCountText(result: Result): string {
  const { plan, drifts } = result;
  const kinds = Object.entries(Object.groupBy(drifts, ({ kind }) => kind));
  const lines = kinds.map(([kind, some]) => `  ${kind.padEnd(18)} ${some.length}\n`);
  const more = drifts.length === 0 ? '' : 'Whom they are about: scim-bridge drifts, or --names.\n';
  const decided = plan === undefined ? '' : toPlanHead(plan);
  return [toHead(result), ...lines, more, decided].join('');
}

function toText(result: Result, limit: number): string {
  const { plan, drifts } = result;
  const lines = drifts.slice(0, limit).map((drift) => {
    const { kind, desired, observed, who } = drift;
    const by = who === null ? '' : ` (${toAuthor(who)})`;
    const line = `  ${kind.padEnd(18)} ${toSubject(drift)}: ${toWords(desired)} → ${toWords(observed)}${by}`;
    return `${toPlain(line)}\n`;
  });
  const left = drifts.length - lines.length;
  const more = left > 0 ? `  … and ${left} more: scim-bridge drifts\n` : '';
  const decided = plan === undefined ? '' : `\n${toPlanAnswerText(plan)}`;
  return [toHead(result), ...lines, more, decided].join('');
}

function toAuthor(who: NonNullable<DriftAnswer['who']>): string {
  const { id, username, address, operator, at } = who;
  if (operator) return `${BY_OPERATOR}, ${at}`;
  const name = username ?? (id === null ? 'somebody' : `account ${id}`);
  return `${name}${address === null ? '' : ` from ${address}`}, ${at}`;
}

function toWords(value: unknown): string {
  return value === null ? 'nothing' : JSON.stringify(value);
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
