import { randomBytes } from 'node:crypto';
import type { OpsClient } from '../../app/ops-client.ts';
import { BridgeError } from '../../domain/errors.ts';
import { isJsonObject, type JsonObject } from '../../domain/json.ts';
import { DEFAULT_PROVIDER } from '../../domain/provider.ts';
import type { Status } from '../../ops/schemas/state.ts';
import { parseAnswer } from '../json.ts';
import type { Gate } from './gates.ts';
import { type CheckResult, exchange, type Run, runCheck } from './run-checks.ts';
import { findAt } from './scim-client.ts';

/** A gate, and how it is run. */
interface GateRun extends Gate {
  readonly client: OpsClient;
  /** Of the bridge, as it was asked before. */
  readonly status: Pick<Status, 'bridge' | 'writes'>;
  /** The SCIM base URL without a slash at its end. */
  readonly baseUrl: string;
  /** Provider of the credential; undefined: the default one. */
  readonly provider: string | undefined;
  readonly domain: string;
  readonly groupPrefix: string;
  /** Aborted: the run ends, and deletes what it made. */
  readonly stopped: AbortSignal;
}

/** Report of a run: what `--json` prints. */
export type GalleryReport = Awaited<ReturnType<typeof runGate>>;

/** Says what a run leaves in the service. */
export function toRemains(mode: 'live' | 'observe'): string {
  return mode === 'observe'
    ? 'The bridge observes: nothing was changed in the service.'
    : 'The service cannot delete accounts: those of the run stay in it, deactivated. A bridge with MODE=observe changes nothing there.';
}

/**
 * Runs a gate with credentials of its own, then deletes all that it made and revokes them, also after a failure.
 * @throws BridgeError `ops-failed`, or `gallery-failed` when SCIM cannot be asked
 */
export async function runGate(run: GateRun) {
  const { gate, title, profile, creations, status, baseUrl, stopped, groupPrefix } = run;
  const mark = `gallery-${randomBytes(4).toString('hex')}`;
  const startedAt = new Date().toISOString();
  const { make, revoke } = openCredentials(run, mark);
  try {
    // It ends by itself where nobody is left to revoke it.
    const { token = '' } = await make('tokens', { for: 'scim', expires: '2h' });
    const root = baseUrl.replace(/\/scim\/v2$/, '');
    const names = { mark, MARK: mark.toUpperCase(), domain: run.domain, prefix: groupPrefix };
    const parts = {
      values: new Map(Object.entries({ ...names, base: baseUrl, root, token })),
      ...{ creations, stopped, made: new Map(), answers: [] },
      makeClient: (more: JsonObject) => make('clients', more),
    };
    // What is sent for the run itself: with the token, and after its end as well.
    const own = { ...parts, values: new Map(parts.values), stopped: new AbortController().signal };
    await assertOpen(own, baseUrl);
    const checks: CheckResult[] = [];
    let left: string[] = [];
    try {
      for (const check of run.checks) checks.push(await runCheck(parts, check));
    } finally {
      left = await deleteAll(own, { Groups: groupPrefix + mark, Users: mark });
    }
    const count = (of: CheckResult['status']) =>
      checks.filter(({ status }) => status === of).length;
    return {
      ...{ gate, title, profile, baseUrl, mark, startedAt, endedAt: new Date().toISOString() },
      bridge: { version: status.bridge.version, mode: status.writes.mode },
      provider: run.provider ?? DEFAULT_PROVIDER,
      stopped: stopped.aborted,
      summary: { ok: count('ok'), failed: count('failed'), skipped: count('skipped') },
      checks,
      left: [...left, ...(await revoke())],
      remains: toRemains(status.writes.mode),
    };
  } finally {
    await revoke();
  }
}

/** True if nothing failed, nothing is left, and no check is missing. */
export function isPassed({ summary, left, stopped }: GalleryReport): boolean {
  return summary.failed === 0 && left.length === 0 && !stopped;
}

/** A credential as it is made; a token or a client has its secret. */
interface Made {
  readonly id: string;
  readonly token?: string;
  readonly secret?: string | null;
}

function openCredentials({ client, provider, profile }: GateRun, mark: string) {
  let live: { readonly name: string; readonly path: `/${string}` }[] = [];
  return {
    async make(kind: 'tokens' | 'clients', more: JsonObject): Promise<Made> {
      const name = live.length === 0 ? mark : `${mark}-${live.length}`;
      const body = { name, profile, ...(provider !== undefined && { provider }), ...more };
      const made = parseAnswer<Made>(await client.send('POST', `/${kind}`, body));
      live.push({ name, path: `/${kind}/${made.id}/revoke` });
      return made;
    },
    /** Revokes all, and lists those that may still be valid. */
    async revoke(): Promise<string[]> {
      const answers = await Promise.all(
        live.map(({ path }) => client.ask('POST', path).catch(() => undefined)),
      );
      live = live.filter((_, place) => (answers[place]?.status ?? 500) >= 300);
      return live.map(({ name }) => name);
    },
  };
}

/** Makes sure that the base URL is SCIM and takes the credential. @throws BridgeError `gallery-failed` */
async function assertOpen(own: Run, baseUrl: string): Promise<void> {
  const { status } = (await exchange(own, 'GET /Users?startIndex=1&count=1')).seen;
  if (status === 200) return;
  const hint = status === 503 ? 'wait until /readyz is 200' : 'name its SCIM base URL with --url';
  const words = `${baseUrl} answered ${status} to the credential that was just made: ${hint}`;
  throw new BridgeError('gallery-failed', words);
}

/** Beginnings of the names of a run. */
type Names = Readonly<Record<'Groups' | 'Users', string>>;

/** Deletes what has a name of this run, groups first; lists the names that are left then. */
async function deleteAll(own: Run, names: Names): Promise<string[]> {
  try {
    for (const path of (await listLeft(own, names)).keys()) await exchange(own, `DELETE ${path}`);
    return [...(await listLeft(own, names)).values()];
  } catch (error) {
    if (!(error instanceof BridgeError)) throw error;
    return [`whatever begins with ${names.Groups} or ${names.Users}: ${error.message}`];
  }
}

/** Lists what is there, by path: nothing but names of the run, whatever a bridge answers. */
async function listLeft(own: Run, names: Names): Promise<Map<string, string>> {
  const left = new Map<string, string>();
  for (const type of ['Groups', 'Users'] as const) {
    const [key, begin] =
      type === 'Groups' ? ['displayName', '{prefix}{mark}'] : ['userName', '{mark}'];
    const answer = await exchange(own, `GET /${type}?filter=${key} sw "${begin}"`);
    const listed = findAt(answer, 'Resources');
    for (const { id, [key]: name } of Array.isArray(listed) ? listed.filter(isJsonObject) : []) {
      const isOwn = `${name}`.toLowerCase().startsWith(names[type].toLowerCase());
      if (isOwn) left.set(`/${type}/${id}`, `${name}`);
    }
  }
  return left;
}
