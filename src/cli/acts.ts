import { existsSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { toCount } from '../domain/text.ts';
import { BridgeError } from '../domain/values.ts';
import { toPlanHead } from '../ops/lists/acts.ts';
import { toReadingText } from '../ops/lists/details.ts';
import type { OpsJson } from '../ops/schemas/schemas.ts';
import { findStoreFile } from '../settings/store-url.ts';
import { type CliContext, commandOf, exitCodes } from './command.ts';
import { askOps, readList, type Send } from './requests.ts';
import { toText } from './table.ts';

/** Makes a token through the bridge, or in a store that no bridge on this machine has; a new store has to be named. */
export const makeToken: Send = async (context, given) => {
  const { settings, shown } = context.loadSettings();
  const { url, token, commandToken } = settings.ops;
  const mayAsk = url !== undefined || (token ?? commandToken) !== undefined;
  const client = mayAsk ? context.connect() : undefined;
  if (client && (url !== undefined || (await client.isAnswering())))
    return client.send('POST', '/tokens', given);
  const { value, from } = shown.find(({ name }) => name === 'database.url') ?? {};
  const place = findStoreFile(settings) ?? value;
  if (from === 'default' && !existsSync(String(place)))
    throw new BridgeError('no-store', `no store is at ${place}: set OPS_URL or DATABASE_URL`);
  // Loaded on demand: it opens a store.
  const { makeTokenInStore } = await import('../app/first-access.ts');
  const made = await makeTokenInStore(settings, given);
  context.writeError(`Made in ${place}. A bridge with another store does not know it.\n`);
  return made;
};

/** `sweep`: has the bridge compare everything, and waits for the end. */
export const sweepCommand = commandOf<{ readonly dryRun?: true; readonly exitCode?: true }>({
  usage: 'sweep',
  about: 'compare the service with the store and count what differs',
  options: [
    ['--json', 'as one JSON object, with the differences'],
    ['--dry-run', 'show what drift.policy would do, and do nothing'],
    ['--exit-code', 'exit with 2 when something managed differs'],
  ],
  help: `
Names stay out of its output, so that a scheduled job may print it: scim-bridge drifts lists the differences, and
scim-bridge unmanaged the accounts and groups that no provider asked for. What follows from a difference is drift.policy;
by default nothing. Exit code 1: not everything could be compared.`,
  async run({ typed: { dryRun = false, exitCode }, ...context }) {
    const json = await runSweep(context, dryRun);
    const failed = json.sweep.status === 'incomplete' ? exitCodes.failed : undefined;
    const code = exitCode && json.drifts.length > 0 ? exitCodes.incomplete : failed;
    return { json, text: () => toSweepText(json), code };
  },
});

const POLL_MS = 250;

type SweepResult = Awaited<ReturnType<typeof runSweep>>;

async function runSweep({ showProgress, connect }: CliContext, dryRun: boolean) {
  const client = connect();
  const { id } = await askOps(client, 'SweepAsked', '/sweeps', { dryRun });
  const readSweep = () => askOps(client, 'Sweep', `/sweeps/${id}`);
  let sweep = await readSweep();
  for (; sweep.status === 'running'; sweep = await readSweep()) {
    if (sweep.progress !== null) showProgress?.(toReadingText(sweep.progress));
    // Until an operator has decided about held changes, nothing is compared.
    const { phase } = await askOps(client, 'Recovery', '/recovery');
    const words = 'what is held waits for a decision first: see scim-bridge plan show';
    if (phase === 'waiting') throw new BridgeError('recovery-waits', words);
    await sleep(POLL_MS);
  }
  const { planId } = sweep;
  const plan = planId === null ? undefined : await askOps(client, 'Plan', `/plans/${planId}`);
  const { unmanaged } = await askOps(client, 'Status', '/status');
  const query = { status: 'active' };
  const { items } = await readList<OpsJson<'Drift'>>(client, '/drifts', { query });
  // Those that are ignored are decided about.
  return { sweep, plan, drifts: items.filter(({ status }) => status !== 'ignored'), unmanaged };
}

function toSweepText({ sweep, plan, drifts, unmanaged }: SweepResult): string {
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
