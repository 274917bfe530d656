import { setTimeout as sleep } from 'node:timers/promises';
import type { DriftAnswer, SweepView } from '../ops/sweeps-router.ts';
import type { AddCommand } from './context.ts';
import { exitCodes } from './exit-codes.ts';
import { createOpsClient, type OpsClient } from './ops-client.ts';

const POLL_MS = 250;
/** Drifts that are fetched at once. */
const PAGE = 1_000;

/** `sweep`: has the running bridge compare the service with its store, waits, and tells what differs. */
export const addSweepCommand: AddCommand = (program, { loadSettings, write, exitWith }) => {
  program
    .command('sweep')
    .description(
      'compare the service with the store and list what differs (asks the running bridge)',
    )
    .option('--json', 'as one JSON object')
    .option('--exit-code', 'exit with 2 when something managed differs')
    .addHelpText('after', help)
    .action(async ({ json, exitCode }: { json?: true; exitCode?: true }) => {
      const client = createOpsClient(loadSettings().settings);
      const sweep = await untilEnded(client);
      const drifts = await listOpenDrifts(client);
      write(json ? `${JSON.stringify({ sweep, drifts }, null, 2)}\n` : toText(sweep, drifts));
      if (sweep.status === 'incomplete') exitWith(exitCodes.failed);
      if (exitCode && drifts.some(isOfManaged)) exitWith(exitCodes.incomplete);
    });
};

const help = `
Nothing is changed in the service. Accounts and groups that nobody asked for are listed, and are no reason for
the exit code 2.

Exit codes:
  0   compared
  1   not everything could be compared, or the bridge does not answer: the message says why
  2   with --exit-code: something differs`;

async function untilEnded(client: OpsClient): Promise<SweepView> {
  const { id } = parseId(await client.send('POST', '/sweeps'));
  for (;;) {
    const sweep = parseSweep(await client.send('GET', `/sweeps/${id}`));
    if (sweep.status !== 'running') return sweep;
    await sleep(POLL_MS);
  }
}

async function listOpenDrifts(client: OpsClient): Promise<DriftAnswer[]> {
  const drifts: DriftAnswer[] = [];
  for (let cursor: string | null = '0'; cursor !== null; ) {
    const path = `/drifts?status=open&limit=${PAGE}&cursor=${cursor}` as const;
    const page = parsePage(await client.send('GET', path));
    drifts.push(...page.items);
    cursor = page.nextCursor;
  }
  return drifts;
}

function isOfManaged({ kind }: DriftAnswer): boolean {
  return !kind.endsWith('.unmanaged');
}

function toText({ status, calls, counts, reasons }: SweepView, drifts: DriftAnswer[]): string {
  const { users = 0, groups = 0 } = counts;
  const head = `Sweep ${status}: ${users} people and ${groups} groups compared in ${calls} calls, ${drifts.length} differences open\n`;
  const why = reasons.map((reason) => `  not concluded: ${reason}\n`);
  const lines = drifts.map((drift) => {
    const { kind, resource, member, desired, observed, who } = drift;
    const name = resource.name ?? resource.id;
    const whom = member === null ? name : `${member.name ?? member.id} in ${name}`;
    const by = who === null ? '' : ` (${toAuthor(who)})`;
    return `  ${kind.padEnd(18)} ${whom}: ${toWords(desired)} → ${toWords(observed)}${by}\n`;
  });
  return [head, ...why, ...lines].join('');
}

function toAuthor({ id, username, address, at }: NonNullable<DriftAnswer['who']>): string {
  const name = username ?? (id === null ? 'somebody' : `account ${id}`);
  return `${name}${address === null ? '' : ` from ${address}`}, ${at}`;
}

function toWords(value: unknown): string {
  return value === null ? 'nothing' : JSON.stringify(value);
}

/** What the same version of the bridge answers. */
function parseSweep(answer: unknown): SweepView {
  return answer as SweepView;
}

function parseId(answer: unknown): { id: string } {
  return answer as { id: string };
}

function parsePage(answer: unknown): { items: DriftAnswer[]; nextCursor: string | null } {
  return answer as { items: DriftAnswer[]; nextCursor: string | null };
}
