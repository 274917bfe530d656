import { randomBytes } from 'node:crypto';
import type { OpsClient } from '../../app/ops-client.ts';
import { BridgeError } from '../../domain/errors.ts';
import { isJsonObject, type JsonObject } from '../../domain/json.ts';
import { DEFAULT_PROVIDER } from '../../domain/provider.ts';
import type { Status } from '../../ops/schemas/state.ts';
import { parseAnswer } from '../json.ts';
import type { Check, GateName, readGallery } from './gates.ts';
import { type CheckResult, runCheck } from './run-checks.ts';
import { findAt, send } from './scim-client.ts';

/** Parts of a run. */
interface GateRun {
  readonly gallery: ReturnType<typeof readGallery>;
  readonly gate: GateName;
  readonly checks: readonly Check[];
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
  const { gallery, gate, status, baseUrl, domain, groupPrefix, stopped } = run;
  const { creations } = gallery;
  const { title, profile } = gallery.gates[gate];
  const mark = `gallery-${randomBytes(4).toString('hex')}`;
  const startedAt = new Date().toISOString();
  const { makeToken, makeClient, revoke } = openCredentials(run, mark, profile);
  try {
    const token = await makeToken();
    await assertOpen(baseUrl, token);
    const names = { base: baseUrl, mark, MARK: mark.toUpperCase(), domain, prefix: groupPrefix };
    const values = new Map(Object.entries({ ...names, root: baseUrl.replace(/\/scim\/v2$/, '') }));
    const parts = { values, token, creations, stopped, makeClient, made: new Map(), answers: [] };
    const checks: CheckResult[] = [];
    let left: string[] = [];
    try {
      for (const check of run.checks) checks.push(await runCheck(parts, check));
    } finally {
      left = await deleteAll(baseUrl, token, { Groups: groupPrefix + mark, Users: mark });
    }
    const sums = Map.groupBy(checks, (check) => check.status);
    const count = (of: CheckResult['status']) => sums.get(of)?.length ?? 0;
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

function openCredentials(
  { client, provider }: GateRun,
  mark: string,
  profile: 'lenient' | 'strict',
) {
  const wish = { profile, ...(provider !== undefined && { provider }) };
  let live: { readonly name: string; readonly path: `/${string}` }[] = [];
  return {
    /** Ends by itself where nobody is left to revoke it. */
    async makeToken(): Promise<string> {
      const body = { name: mark, for: 'scim', ...wish, expires: '2h' };
      const { token } = parseAnswer<{ token: string }>(await client.send('POST', '/tokens', body));
      live.push({ name: mark, path: `/tokens/${mark}/revoke` });
      return token;
    },
    async makeClient(trust?: JsonObject): Promise<{ id: string; secret: string | null }> {
      const name = `${mark}-${live.length}`;
      const body = { name, ...wish, ...(trust ? { trust } : { expires: '365d' }) };
      const made = parseAnswer<{ id: string; secret: string | null }>(
        await client.send('POST', '/clients', body),
      );
      live.push({ name, path: `/clients/${made.id}/revoke` });
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
async function assertOpen(baseUrl: string, token: string): Promise<void> {
  const { status } = await ask('GET', `${baseUrl}/Users?startIndex=1&count=1`, token);
  if (status === 200) return;
  const hint = status === 503 ? 'wait until /readyz is 200' : 'name its SCIM base URL with --url';
  const words = `${baseUrl} answered ${status} to the credential that was just made: ${hint}`;
  throw new BridgeError('gallery-failed', words);
}

/** Beginnings of the names of a run. */
type Names = Readonly<Record<'Groups' | 'Users', string>>;

/** Deletes what has a name of this run, groups first, twice where it has to; lists the names that are left then. */
async function deleteAll(baseUrl: string, token: string, names: Names): Promise<string[]> {
  try {
    for (let round = 1; ; round += 1) {
      const left = await listLeft(baseUrl, token, names);
      if (left.size === 0 || round === 3) return [...left.values()];
      for (const url of left.keys()) await ask('DELETE', url, token);
    }
  } catch (error) {
    if (!(error instanceof BridgeError)) throw error;
    return [`whatever begins with ${names.Groups} or ${names.Users}: ${error.message}`];
  }
}

/** Lists what is there, by URL: nothing but names of the run, whatever a bridge answers. */
async function listLeft(baseUrl: string, token: string, names: Names) {
  const left = new Map<string, string>();
  for (const type of ['Groups', 'Users'] as const) {
    const key = type === 'Groups' ? 'displayName' : 'userName';
    const filter = encodeURIComponent(`${key} sw ${JSON.stringify(names[type])}`);
    const answer = await ask('GET', `${baseUrl}/${type}?filter=${filter}`, token);
    const listed = findAt(answer, 'Resources');
    for (const { id, [key]: name } of Array.isArray(listed) ? listed.filter(isJsonObject) : []) {
      if (`${name}`.toLowerCase().startsWith(names[type].toLowerCase())) {
        left.set(`${baseUrl}/${type}/${id}`, `${name}`);
      }
    }
  }
  return left;
}

function ask(method: string, url: string, token: string) {
  return send({ method, url, headers: { authorization: `Bearer ${token}` } });
}
