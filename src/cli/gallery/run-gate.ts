import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { OpsClient } from '../../app/ops-client.ts';
import { BridgeError } from '../../domain/errors.ts';
import type { JsonObject } from '../../domain/json.ts';
import { DEFAULT_PROVIDER } from '../../domain/provider.ts';
import type { Status } from '../../ops/schemas/state.ts';
import { parseAnswer } from '../json.ts';
import { type Answer, CheckFailed, CheckSkipped } from './answer.ts';
import { type Gate, type GateCheck, type GateName, gates } from './gates.ts';
import {
  type CheckResult,
  type CleanUp,
  type GalleryReport,
  toSummary,
  toUnbegun,
} from './report.ts';
import { createStage, type OpenStage } from './stage.ts';
import { createTalk, Stopped, type Talk } from './talk.ts';

/** Validity of the credential, should nobody be there to end it. */
const EXPIRES = '2h';
/** The shortest that a secret of a client can have. */
const SECRET_EXPIRES = '365d';
/** A revoked token is refused everywhere within five seconds. */
const REFUSED_MAX_MS = 6_000;
const AGAIN_MS = 250;

/** Parts of a run. */
interface GateRun {
  readonly gate: GateName;
  readonly client: OpsClient;
  /** Of the bridge, as it was asked before. */
  readonly status: Pick<Status, 'bridge' | 'writes'>;
  /** The SCIM base URL without a slash at its end. */
  readonly baseUrl: string;
  /** Provider of the credential; undefined: the default one. */
  readonly provider: string | undefined;
  readonly domain: string;
  readonly groupPrefix: string;
  /** Checks that are run. */
  readonly checks: readonly GateCheck[];
  /** Aborted: the run ends, and clears its stage. */
  readonly stopped: AbortSignal;
  /** Hears how far it has come. */
  readonly told: (words: string, part: { readonly done: number; readonly total: number }) => void;
}

/** Sentence about what a run leaves in the service. */
export function toRemains(mode: 'live' | 'observe'): string {
  return mode === 'observe'
    ? 'The bridge observes: nothing was changed in the service.'
    : 'The service cannot delete accounts: those of the run stay in it, deactivated. A bridge with MODE=observe changes nothing there.';
}

/** A credential of a run, and how it is ended. */
interface Credential {
  readonly name: string;
  readonly path: `/${string}`;
}

/**
 * Runs a gate with credentials of its own, and takes away all that it made, also after a failure.
 * @throws BridgeError `ops-failed`, or `gallery-failed` when SCIM cannot be asked
 */
export async function runGate(run: GateRun): Promise<GalleryReport> {
  const { gate: name, client, status, baseUrl, provider, stopped } = run;
  const gate: Gate = gates[name];
  const mark = `gallery-${randomBytes(4).toString('hex')}`;
  const startedAt = new Date().toISOString();
  const credentials: Credential[] = [];
  const open = openCredentials(client, { mark, gate, provider, credentials });
  try {
    const token = await open.token();
    const talk = createTalk({ baseUrl, token, stopped });
    await assertOpen(createTalk({ baseUrl, token, stopped: NEVER }), baseUrl);
    const { domain, groupPrefix } = run;
    const parts = { talk, baseUrl, makeClient: open.client };
    const stage = createStage({ mark, domain, groupPrefix }, parts);
    const made = { stage, token, credentials };
    const outcome = await runChecks(run, stage, talk).catch(async (error: unknown) => {
      await cleanUpAll(run, made);
      throw error;
    });
    const { checks, isStopped } = outcome;
    run.told('Taking away what was made', { done: checks.length, total: checks.length });
    const cleanUp = await cleanUpAll(run, made);
    return {
      ...{ gate: name, title: gate.title },
      bridge: { version: status.bridge.version, mode: status.writes.mode },
      ...{
        baseUrl,
        provider: provider ?? DEFAULT_PROVIDER,
        profile: gate.profile,
        mark,
        startedAt,
      },
      ...{ endedAt: new Date().toISOString(), stopped: isStopped, summary: toSummary(checks) },
      ...{ checks, cleanUp, remains: toRemains(status.writes.mode) },
    };
  } finally {
    // Those that are left when something was thrown.
    await endAll(client, credentials);
  }
}

const NEVER = new AbortController().signal;

function openCredentials(
  client: OpsClient,
  {
    mark,
    gate: { profile },
    provider,
    credentials,
  }: {
    readonly mark: string;
    readonly gate: Gate;
    readonly provider: string | undefined;
    readonly credentials: Credential[];
  },
) {
  const wish = { profile, ...(provider !== undefined && { provider }) };
  return {
    async token(): Promise<string> {
      const body = { name: mark, for: 'scim', ...wish, expires: EXPIRES };
      const made = parseAnswer<{ token: string }>(await client.send('POST', '/tokens', body));
      credentials.push({ name: mark, path: `/tokens/${mark}/revoke` });
      return made.token;
    },
    async client(trust?: JsonObject): Promise<{ id: string; secret: string | null }> {
      const name = `${mark}-${credentials.length}`;
      const proof = trust === undefined ? { expires: SECRET_EXPIRES } : { trust };
      const body = { name, ...wish, ...proof };
      const answer = await client.send('POST', '/clients', body);
      const { id, secret } = parseAnswer<{ id: string; secret: string | null }>(answer);
      credentials.push({ name, path: `/clients/${id}/revoke` });
      return { id, secret };
    },
  };
}

/** Makes sure that the base URL is SCIM, is open, and takes the credential. @throws BridgeError `gallery-failed` */
async function assertOpen(talk: Talk, baseUrl: string): Promise<void> {
  const answer = await talk.send('GET', '/Users?startIndex=1&count=1');
  if (answer.status === 200) return;
  const hint =
    answer.status === 503
      ? 'wait until /readyz is 200'
      : 'name the SCIM base URL of this bridge with --url';
  const words = `${baseUrl} answered ${answer.status} to the credential that was just made: ${hint}`;
  throw new BridgeError('gallery-failed', words);
}

async function runChecks(
  { checks, told }: GateRun,
  stage: OpenStage,
  talk: Talk,
): Promise<{ checks: CheckResult[]; isStopped: boolean }> {
  const results: CheckResult[] = [];
  for (const check of checks) {
    told(check.title, { done: results.length, total: checks.length });
    const result = await runCheck(check, stage, talk);
    if (result === undefined) {
      return {
        checks: [...results, ...checks.slice(results.length).map(toUnbegun)],
        isStopped: true,
      };
    }
    results.push(result);
  }
  return { checks: results, isStopped: false };
}

/** Runs one check; undefined: the run is to end. */
async function runCheck(
  { id, title, source, run }: GateCheck,
  stage: OpenStage,
  talk: Talk,
): Promise<CheckResult | undefined> {
  const toResult = (status: CheckResult['status'], why: string | null) => ({
    ...{ id, title, source, status, why },
    evidence: toEvidence(talk.takeAnswers()),
  });
  try {
    await run(stage);
    return toResult('ok', null);
  } catch (error) {
    if (error instanceof Stopped) return undefined;
    if (error instanceof CheckSkipped) return toResult('skipped', error.message);
    if (error instanceof CheckFailed || error instanceof BridgeError) {
      return toResult('failed', error.message);
    }
    throw error;
  }
}

/** Answers as evidence; the same one after itself is counted. */
function toEvidence(answers: readonly Answer[]): CheckResult['evidence'] {
  const evidence: CheckResult['evidence'][number][] = [];
  for (const { request, status, durationMs, parts } of answers) {
    const last = evidence.at(-1);
    if (last?.request === request && last.status === status) {
      const times = last.times + 1;
      evidence.splice(-1, 1, { ...last, times, parts: [...last.parts, ...parts] });
    } else {
      evidence.push({ request, status, durationMs, times: 1, parts: [...parts] });
    }
  }
  return evidence;
}

async function cleanUpAll(
  { client, baseUrl }: GateRun,
  {
    stage,
    token,
    credentials,
  }: {
    readonly stage: OpenStage;
    readonly token: string;
    readonly credentials: Credential[];
  },
): Promise<CleanUp> {
  const talk = createTalk({ baseUrl, token, stopped: NEVER });
  const cleared = await stage.clear(talk).then(
    (done) => ({ ...done, problem: null }),
    (error: unknown) => ({ people: 0, groups: 0, left: [], problem: toProblem(error) }),
  );
  const names = credentials.map(({ name }) => name);
  const left = await endAll(client, credentials);
  const isRefused = left.length === 0 && (await untilRefused(talk));
  return {
    ...cleared,
    credentials: names.map((name) => ({
      name,
      ended: !left.includes(name) && (isRefused || name !== names[0]),
    })),
  };
}

/** Ends credentials, takes each that has ended from the list, and gives the names of the others. */
async function endAll(client: OpsClient, credentials: Credential[]): Promise<string[]> {
  const left: Credential[] = [];
  for (const credential of credentials.splice(0)) {
    const answer = await client.ask('POST', credential.path).catch(() => undefined);
    if (answer === undefined || answer.status >= 300) left.push(credential);
  }
  credentials.push(...left);
  return left.map(({ name }) => name);
}

/** Waits until the token is refused; false: it still opens. */
async function untilRefused(talk: Talk): Promise<boolean> {
  const deadline = Date.now() + REFUSED_MAX_MS;
  for (;;) {
    const answer = await talk.send('GET', '/Users?startIndex=1&count=1').catch(() => undefined);
    if (answer === undefined) return false;
    if (answer.status === 401) return true;
    if (Date.now() > deadline) return false;
    await sleep(AGAIN_MS);
  }
}

/** @throws what is a bug */
function toProblem(error: unknown): string {
  if (error instanceof BridgeError) return error.message;
  throw error;
}
