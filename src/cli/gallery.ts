import { Argument, type Command } from 'commander';
import type { OpsJson } from '../ops/schemas/schemas.ts';
import { confirm, YES } from './act-command.ts';
import {
  type AddCommand,
  addCommand,
  type CliContext,
  exitCodes,
  readAnswer,
  toJson,
} from './context.ts';
import { GATES, type GalleryReport, type GateName, readGate, runGate } from './gallery-gate.ts';

interface Options {
  readonly provider?: string;
  readonly url?: string;
  readonly domain: string;
  readonly groupPrefix: string;
  readonly only?: readonly string[];
  readonly markdown?: true;
  readonly json?: true;
  readonly yes?: true;
}

/** `gallery`: runs what a provider publishes as its gate, and deletes what that made. */
export const addGalleryCommand: AddCommand = (program, context) => {
  const about =
    'run what a provider asks of a target before it lists it, and report each check with its source and evidence';
  const command = addCommand(program, 'gallery', about)
    .addArgument(new Argument('<gate>', 'whose').choices(GATES))
    .option('--provider <name>', 'the provider of the credential; default when left out')
    .option('--url <url>', 'the SCIM base URL; as the bridge tells it when left out')
    .option('--domain <domain>', 'mail domain of the people that are made', 'example.com')
    .option('--group-prefix <text>', 'text before the names of the groups that are made', '')
    .option('--only <check...>', 'these checks alone')
    .option('--markdown', 'as a page with the source and the evidence of each check')
    .option('--json', 'as one JSON object')
    .option(...YES)
    .addHelpText('after', HELP)
    .action((gate: GateName, options: Options) => runGallery(command, context, { gate, options }));
};

const HELP = `
It makes a credential, three people and four groups at most, whose names begin with gallery-, and deletes them again,
after Ctrl-C too. The service cannot delete accounts: they stay in it, deactivated. Run it against a bridge that
observes (MODE=observe), which changes nothing in the service. Exit code 2: a check failed, the run was ended, or
something is left.`;

async function runGallery(
  command: Command,
  context: CliContext,
  { gate, options }: { readonly gate: GateName; readonly options: Options },
): Promise<void> {
  const { json, markdown, only, yes, provider, domain, groupPrefix: prefix } = options;
  const { checks, ...rest } = readGate(gate);
  const unknown = only?.find((id) => checks.every((check) => check.id !== id));
  if (unknown !== undefined) command.error(`error: the gate ${gate} has no check ${unknown}`);
  const client = context.connect();
  const status = await readAnswer(client, 'Status', '/status');
  const remains = toRemains(status.writes.mode);
  const question = `It makes three people and four groups at most, and deletes them again. ${remains} Run it?`;
  const isAsked = status.writes.mode === 'live';
  if (isAsked && !(await confirm(command, context, { yes, question }))) return;
  const stopping = new AbortController();
  void context.untilStopped().then(() => {
    context.writeError('It is ended: what was made is deleted first.\n');
    stopping.abort();
  });
  const report = await runGate({
    ...rest,
    client,
    status,
    remains,
    provider,
    names: { domain, prefix },
    checks: checks.filter(({ id }) => only?.includes(id) ?? true),
    baseUrl: (options.url ?? status.scimUrl).replace(/\/+$/, ''),
    stopped: stopping.signal,
  });
  const { summary, left, stopped } = report;
  context.write(json ? toJson(report) : markdown ? toMarkdown(report) : toText(report));
  if (summary.failed > 0 || left.length > 0 || stopped) context.exitWith(exitCodes.incomplete);
}

function toRemains(mode: OpsJson<'Writes'>['mode']): string {
  return mode === 'observe'
    ? 'The bridge observes: nothing was changed in the service.'
    : 'The service cannot delete accounts: those of the run stay in it, deactivated. A bridge with MODE=observe changes nothing there.';
}

function toText(report: GalleryReport): string {
  const lines = report.checks.map(
    ({ id, title, status, why }) => `${status.padEnd(7)}  ${id.padEnd(26)}  ${why ?? title}`,
  );
  return `${report.title}\n${report.baseUrl}\n\n${lines.join('\n')}\n\n${toEnd(report)}\n`;
}

function toEnd({ summary, stopped, left, remains }: GalleryReport): string {
  const { ok, failed, skipped } = summary;
  const end = stopped ? ' The run was ended before its last check.' : '';
  const rest = left.length === 0 ? 'Nothing is left.' : `Left, to be removed: ${left.join(', ')}.`;
  return `${ok} ok, ${failed} failed, ${skipped} skipped.${end} ${rest} ${remains}`;
}

function toMarkdown(report: GalleryReport): string {
  const { title, baseUrl, bridge, provider, profile, startedAt, checks } = report;
  const asked = `${baseUrl}, scim-bridge ${bridge.version} (${bridge.mode}), as ${provider} (${profile}), ${startedAt}`;
  const rows = checks.map(({ id, title: what, status, why, source, evidence }) => {
    const { document, part, url, read: readAt } = source;
    const from = `[${document}](${url}): ${part}, read ${readAt}`;
    const seen = evidence.map(
      (each) => `\`${each.request}\` ${each.status}: ${each.parts.join('; ')}`,
    );
    const cells = [`\`${id}\` ${what}`, `${status} ${why ?? ''}`, from, seen.join('<br>')];
    return `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
  });
  const head = '| check | result | source | evidence |\n|---|---|---|---|';
  return `# ${title}\n\n${asked}\n\n${toEnd(report)}\n\n${head}\n${rows.join('\n')}\n`;
}
