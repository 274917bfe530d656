import { randomBytes } from 'node:crypto';
import { Argument } from 'commander';
import type { OpsClient } from '../app/ops-client.ts';
import { DEFAULT_PROVIDER } from '../domain/provider.ts';
import type { JsonObject } from '../domain/values.ts';
import { BridgeError, isJsonObject } from '../domain/values.ts';
import type { OpsJson } from '../ops/schemas/schemas.ts';
import { commandOf, confirm, exitCodes, WrongUsage } from './command.ts';
import type { CheckResult, Gate } from './gallery-gate.ts';
import { GATES, Run, readGate } from './gallery-gate.ts';
import { JSON_TEXT, YES } from './options.ts';
import { askOps, parseAnswer } from './requests.ts';

interface Options {
  readonly gate: string;
  readonly provider?: string;
  readonly url?: string;
  readonly domain: string;
  readonly groupPrefix: string;
  readonly only?: readonly string[];
  readonly markdown?: true;
}

/** `gallery`: runs what a provider publishes as its gate, and deletes what that made. */
export const galleryCommand = commandOf<Options>({
  usage: 'gallery',
  configure: (command) => command.addArgument(new Argument('<gate>', 'whose').choices(GATES)),
  about:
    'run what a provider asks of a target before it lists it, and report each check with its source and evidence',
  options: [
    ['--provider <name>', 'the provider of the credential; default when left out'],
    ['--url <url>', 'the SCIM base URL; as the bridge tells it when left out'],
    ['--domain <domain>', 'mail domain of the people that are made', 'example.com'],
    ['--group-prefix <text>', 'text before the names of the groups that are made', ''],
    ['--only <check...>', 'these checks alone'],
    ['--markdown', 'as a page with the source and the evidence of each check'],
    JSON_TEXT,
    YES,
  ],
  help: `The names of what it makes begin with gallery-; all of it is deleted again. Exit code 2: a check failed, the run was
ended, or something is left. More: docs/command-line.md#gallery.`,
  async run(call) {
    const { typed: options, connect, untilStopped, writeError } = call;
    const { gate, markdown, only } = options;
    const { checks, ...rest } = readGate(gate);
    const unknown = only?.find((id) => checks.every((check) => check.id !== id));
    if (unknown !== undefined) throw new WrongUsage(`the gate ${gate} has no check ${unknown}`);
    const client = connect();
    const status = await askOps(client, 'Status', '/status');
    const isLive = status.writes.mode === 'live';
    const question = `It makes three people and four groups at most, and deletes them again. ${STAYS} Run it?`;
    if (isLive && !(await confirm(call, question))) return undefined;
    const stopping = new AbortController();
    void untilStopped().then(() => {
      writeError('It is ended: what was made is deleted first.\n');
      stopping.abort();
    });
    const wanted = checks.filter(({ id }) => only?.includes(id) ?? true);
    const run = { ...rest, checks: wanted, client, status, options, stopped: stopping.signal };
    const json = await runGate(run);
    const isWhole = json.summary.failed === 0 && json.left.length === 0 && !json.stopped;
    const code = isWhole ? exitCodes.done : exitCodes.incomplete;
    return { json, text: markdown ? toMarkdown(json) : toText(json), code };
  },
});

const OBSERVED = 'The bridge observes: nothing was changed in the service.';
const STAYS =
  'The service cannot delete accounts: those of the run stay in it, deactivated. A bridge with MODE=observe changes nothing there.';

interface GateRun extends Gate {
  readonly client: OpsClient;
  readonly status: OpsJson<'Status'>;
  readonly options: Options;
  readonly stopped: AbortSignal;
}

/** Report of a run: what `--json` prints. */
export type GalleryReport = Awaited<ReturnType<typeof runGate>>;

/** Runs a gate, then deletes and revokes all that it made. @throws BridgeError `ops-failed`, `gallery-failed` */
async function runGate(run: GateRun) {
  const { gate, title, profile, creations, status, options, stopped } = run;
  const { provider, domain, groupPrefix: prefix, url = status.scimUrl } = options;
  const baseUrl = url.replace(/\/+$/, '');
  const mark = `gallery-${randomBytes(4).toString('hex')}`;
  const startedAt = new Date().toISOString();
  const { make, revoke } = openCredentials(run, mark);
  // It ends by itself where nobody is left to revoke it.
  const { token = '' } = await make('tokens', { for: 'scim', expires: '2h' });
  const root = baseUrl.replace(/\/scim\/v2$/, '');
  const values = { domain, prefix, mark, MARK: mark.toUpperCase(), base: baseUrl, root, token };
  const makeClient = (more: JsonObject) => make('clients', more);
  const parts = { values: new Map(Object.entries(values)), creations, makeClient };
  // What is sent for the run itself: with this token, and after the end of the checks as well.
  const own = new Run(parts);
  const checking = new Run({ ...parts, stopped });
  const checks: CheckResult[] = [];
  const left: string[] = [];
  try {
    const { status: code } = await own.send('GET /Users?startIndex=1&count=1');
    if (code !== 200) {
      const words = `${baseUrl} answered ${code} to the credential that was just made`;
      const hint = 'wait until /readyz is 200, or name its SCIM base URL with --url';
      throw new BridgeError('gallery-failed', `${words}: ${hint}`);
    }
    for (const check of run.checks) checks.push(await checking.check(check));
  } finally {
    left.push(...(await deleteAll(own)), ...(await revoke()));
  }
  const count = (of: CheckResult['status']) => checks.filter((one) => one.status === of).length;
  return {
    gate,
    title,
    profile,
    baseUrl,
    mark,
    startedAt,
    endedAt: new Date().toISOString(),
    bridge: { version: status.bridge.version, mode: status.writes.mode },
    provider: provider ?? DEFAULT_PROVIDER,
    stopped: stopped.aborted,
    summary: { ok: count('ok'), failed: count('failed'), skipped: count('skipped') },
    checks,
    left,
    remains: status.writes.mode === 'live' ? STAYS : OBSERVED,
  };
}

function openCredentials({ client, profile, options: { provider } }: GateRun, mark: string) {
  const live = new Map<string, `/${string}`>();
  return {
    async make(kind: 'tokens' | 'clients', more: JsonObject) {
      const name = live.size === 0 ? mark : `${mark}-${live.size}`;
      const body = { name, profile, ...(provider !== undefined && { provider }), ...more };
      const sent = await client.send('POST', `/${kind}`, body);
      const made = parseAnswer<{ id: string; token?: string; secret?: string | null }>(sent);
      live.set(name, `/${kind}/${made.id}/revoke`);
      return made;
    },
    /** Revokes them all; lists the names of those that are left then. */
    async revoke() {
      for (const [name, path] of live) {
        const answer = await client.ask('POST', path).catch(() => undefined);
        if (answer !== undefined && answer.status < 300) live.delete(name);
      }
      return [...live.keys()];
    },
  };
}

/** Deletes what has a name of this run, groups first; lists the names that are left then. */
async function deleteAll(own: Run): Promise<string[]> {
  try {
    for (const path of (await listLeft(own)).keys()) await own.send(`DELETE ${path}`);
    return [...(await listLeft(own)).values()];
  } catch (error) {
    if (!(error instanceof BridgeError)) throw error;
    const [groups, users] = OWN.map(([, , begin]) => own.fill(begin));
    return [`whatever begins with ${groups} or ${users}: ${error.message}`];
  }
}

/** Endpoints, with the beginning of the names that are of a run. */
const OWN = [
  ['Groups', 'displayName', '{prefix}{mark}'],
  ['Users', 'userName', '{mark}'],
] as const;

/** Lists what is there, by path: nothing but names of the run, whatever a bridge answers. */
async function listLeft(own: Run): Promise<Map<string, string>> {
  const left = new Map<string, string>();
  for (const [type, key, begin] of OWN) {
    const { body } = await own.send(`GET /${type}?filter=${key} sw "${begin}"`);
    for (const { id, [key]: name } of [body.Resources].flat().filter(isJsonObject)) {
      const isOwn = `${name}`.toLowerCase().startsWith(own.fill(begin).toLowerCase());
      if (isOwn) left.set(`/${type}/${id}`, `${name}`);
    }
  }
  return left;
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
    const seen = evidence.map((one) => `\`${one.request}\` ${one.status}: ${one.parts.join('; ')}`);
    const cells = [`\`${id}\` ${what}`, `${status} ${why ?? ''}`, from, seen.join('<br>')];
    return `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
  });
  return `# ${title}\n\n${asked}\n\n${toEnd(report)}\n\n| check | result | source | evidence |\n|---|---|---|---|\n${rows.join('\n')}\n`;
}
