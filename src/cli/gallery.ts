import { open, writeFile } from 'node:fs/promises';
import { Argument, type Command, Option } from 'commander';
import { BridgeError } from '../domain/errors.ts';
import type { Status } from '../ops/schemas/state.ts';
import { providerOption } from './ask-access.ts';
import { confirm, YES } from './confirm.ts';
import type { AddCommand, CliContext } from './context.ts';
import { exitCodes } from './exit-codes.ts';
import { type GateCheck, type GateName, gates } from './gallery/gates.ts';
import { type CheckResult, type GalleryReport, isPassed } from './gallery/report.ts';
import { runGate, toRemains } from './gallery/run-gate.ts';
import { GROUPS, PEOPLE } from './gallery/stage.ts';
import { toCleanUpText, toHtml } from './gallery/to-html.ts';
import { parseAnswer, toJson } from './json.ts';
import { createProgress } from './progress.ts';
import { type Column, toTable } from './table.ts';

interface Options {
  readonly provider?: string;
  readonly url?: string;
  readonly domain: string;
  readonly groupPrefix: string;
  readonly only?: readonly string[];
  readonly html?: string;
  readonly json?: true;
  readonly yes?: true;
}

const NAMES: readonly GateName[] = ['okta', 'entra', 'ipsie'];
const IDS = [
  ...new Set(NAMES.flatMap((name) => gates[name].checks.map(({ id }) => id))),
].toSorted();

/** `gallery`: runs what a provider publishes as its gate, and takes away what that made. */
export const addGalleryCommand: AddCommand = (program, context) => {
  const command = program
    .command('gallery')
    .description(
      'run what a provider asks of a target before it lists it, and report each check with its source and evidence (asks the running bridge)',
    )
    .addArgument(new Argument('<gate>', 'whose').choices(NAMES))
    .addOption(providerOption())
    .option('--url <url>', 'the SCIM base URL; as the bridge tells it when left out')
    .option('--domain <domain>', 'mail domain of the people that are made', 'example.com')
    .option('--group-prefix <text>', 'text before the names of the groups that are made', '')
    .addOption(new Option('--only <check...>', 'these checks alone').choices(IDS))
    .option('--html <file>', 'also write the report as one page')
    .option('--json', 'as one JSON object')
    .option(...YES)
    .addHelpText('after', HELP)
    .action((gate: GateName, options: Options) => runGallery(command, context, { gate, options }));
};

const HELP = `
It makes a credential that ends with it, ${PEOPLE.length} people and ${GROUPS.length} groups at most, whose names begin with gallery-, and deletes
them again, after Ctrl-C too. The service cannot delete accounts: they stay in it, deactivated. Run it against a bridge
that observes (MODE=observe), which changes nothing in the service. docs/gallery.md says more.

Exit codes:
  0   every check is ok or skipped with a reason, and nothing is left
  1   the bridge does not answer, or refuses: the message says why
  2   a check failed, the run was ended, or something is left
  64  wrong usage`;

async function runGallery(
  command: Command,
  context: CliContext,
  { gate, options }: { readonly gate: GateName; readonly options: Options },
): Promise<void> {
  const { html, json, yes, provider, domain, groupPrefix } = options;
  const checks = toChecks(command, gate, options.only);
  const client = context.connect();
  const status = parseAnswer<Status>(await client.send('GET', '/status'));
  const { mode } = status.writes;
  const question = `It makes ${PEOPLE.length} people and ${GROUPS.length} groups at most, and deletes them again. ${toRemains(mode)} Run it?`;
  if (mode === 'live' && !(await confirm(command, context, { yes, question }))) return;
  if (html !== undefined) await writePage(html, undefined);
  const stopping = new AbortController();
  void context.untilStopped().then(() => {
    context.writeError('It is ended: what was made is taken away first.\n');
    stopping.abort();
  });
  const progress = createProgress(context);
  const report = await runGate({
    ...{ gate, client, status, provider, domain, groupPrefix, checks },
    baseUrl: (options.url ?? status.scimUrl).replace(/\/+$/, ''),
    stopped: stopping.signal,
    told: progress.tell,
  }).finally(progress.end);
  if (html !== undefined) await writePage(html, toHtml(report));
  context.write(json ? toJson(report) : toText(report, context));
  if (!isPassed(report)) context.exitWith(exitCodes.incomplete);
}

function toChecks(
  command: Command,
  gate: GateName,
  only: readonly string[] | undefined,
): readonly GateCheck[] {
  const { checks }: { readonly checks: readonly GateCheck[] } = gates[gate];
  if (only === undefined) return checks;
  const unknown = only.find((id) => checks.every((check) => check.id !== id));
  if (unknown !== undefined) command.error(`error: the gate ${gate} has no check ${unknown}`);
  return checks.filter(({ id }) => only.includes(id));
}

/** Writes the page; without a text it only proves that it can. @throws BridgeError `gallery-failed` */
async function writePage(file: string, text: string | undefined): Promise<void> {
  try {
    await (text === undefined ? (await open(file, 'a')).close() : writeFile(file, text));
  } catch (cause) {
    throw new BridgeError('gallery-failed', `${file} cannot be written.`, { cause });
  }
}

function toText(report: GalleryReport, context: CliContext): string {
  const { title, baseUrl, summary, checks, stopped } = report;
  const sums = `${summary.ok} ok, ${summary.failed} failed, ${summary.skipped} skipped`;
  const end = stopped ? ' The run was ended before its last check.' : '';
  return `${title}\n${baseUrl}\n\n${toTable(checks, COLUMNS, context)}\n${sums}.${end} ${toCleanUpText(report)}\n`;
}

const COLOURS = { ok: 'green', failed: 'red', skipped: 'dim' } as const;

const COLUMNS: readonly Column<CheckResult>[] = [
  { head: 'check', rank: 'whole', cell: ({ id }) => id },
  {
    head: 'result',
    rank: 'whole',
    cell: ({ status }) => ({ text: status, colour: COLOURS[status] }),
  },
  { head: 'why', cell: ({ why }) => why ?? '' },
  { head: 'what', rank: 'minor', cell: ({ title }) => title },
  { head: 'source', rank: 'minor', cell: ({ source }) => `${source.document}: ${source.part}` },
];
