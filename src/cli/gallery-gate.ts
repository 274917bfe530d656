import { randomBytes, randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { exportJWK, generateKeyPair, SignJWT } from 'jose';
import { parse } from 'yaml';
import type { OpsClient } from '../app/ops-client.ts';
import { BridgeError } from '../domain/errors.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../domain/json.ts';
import { DEFAULT_PROVIDER } from '../domain/provider.ts';
import type { OpsJson } from '../ops/schemas/schemas.ts';
import { defaultConfigFile, parseAnswer } from './context.ts';

/** Names of the gates. */
export const GATES = ['okta', 'entra', 'ipsie'] as const;
/** Name of a gate. */
export type GateName = (typeof GATES)[number];

/** What a part of an answer has to be; a list is what is among the entries. */
type Expectation = string | number | boolean | string[] | Condition;
interface Condition {
  readonly is?: 'filled' | 'empty' | 'number' | 'boolean';
  readonly matches?: string;
  readonly from?: number;
  readonly to?: number;
  readonly has?: readonly string[];
  readonly lacks?: readonly string[];
}

interface Step {
  readonly send?: string;
  readonly change?: string;
  readonly made?: string;
  /** Name of a creation: its body is sent, with the members of `body` in place of its own. */
  readonly like?: string;
  readonly body?: JsonObject;
  readonly ops?: readonly JsonObject[];
  /** How often the operations stand in the PATCH. */
  readonly repeat?: number;
  readonly form?: Readonly<Record<string, string>>;
  /** null: the header is not sent. */
  readonly headers?: Readonly<Record<string, string | null>>;
  readonly status?: number | readonly number[];
  readonly expect?: Readonly<Record<string, Expectation>>;
  readonly capture?: Readonly<Record<string, string>>;
  /** How often the request is sent at once. */
  readonly times?: number;
  /** Longest time for all of them; the fastest of three tries counts. */
  readonly withinMs?: number;
  readonly skip?: string;
}

type Type = 'Users' | 'Groups';
type Pair = readonly [string, string];

/** The file config/gallery.yaml, which describes its own form. */
interface Catalogue {
  readonly read: string | Date;
  readonly gates: Record<GateName, { readonly title: string; readonly profile: string }>;
  readonly documents: Readonly<Record<string, Pair>>;
  readonly creations: Record<Type, { readonly names: string[]; readonly body: JsonObject }>;
  readonly checks: Record<
    string,
    readonly [string, Readonly<Partial<Record<GateName, Pair>>>, ...Step[]]
  >;
}

/** Reads a gate: what its checks create, and the checks, each with where it is asked for. */
export function readGate(gate: GateName) {
  const file = join(dirname(defaultConfigFile), 'gallery.yaml');
  const { read, gates, documents, creations, checks } = parseCatalogue(readFileSync(file, 'utf8'));
  const asked = Object.entries(checks).flatMap(([id, [title, sources, ...steps]]) => {
    const [key = '', part = ''] = sources[gate] ?? [];
    const [document = '', url = ''] = documents[key] ?? [];
    if (key === '') return [];
    return [{ id, title, source: { document, part, url, read: String(read) }, steps }];
  });
  return { gate, ...gates[gate], creations, checks: asked };
}

/** The file is of the same version. */
function parseCatalogue(text: string): Catalogue {
  return parse(text, { merge: true, maxAliasCount: -1 }) as Catalogue;
}

type Gate = ReturnType<typeof readGate>;
type Check = Gate['checks'][number];

/** What was seen of an answer: no secret, and nothing of people whom the run did not make. */
interface Seen {
  /** `GET /Users?filter=userName eq "…"`. */
  readonly request: string;
  readonly status: number;
  readonly durationMs: number;
  /** What was looked at, in words. */
  readonly parts: string[];
}

interface Answer {
  readonly seen: Seen;
  readonly headers: Headers;
  /** null: no JSON. */
  readonly body: JsonValue;
}

interface CheckResult extends Omit<Check, 'steps'> {
  readonly status: 'ok' | 'failed' | 'skipped';
  /** null: it is ok. */
  readonly why: string | null;
  readonly evidence: readonly Seen[];
}

interface Run {
  /** `base` (the SCIM base URL), `root`, `token`, `mark`, `MARK`, `domain`, `prefix`, ids of what was made, what steps capture. */
  readonly values: Map<string, string>;
  readonly creations: Gate['creations'];
  /** Makes an OAuth client that ends with the run. */
  readonly makeClient: (more: JsonObject) => Promise<Made>;
  /** Aborted: no further request is sent. */
  readonly stopped: AbortSignal;
  /** Answers to creations, by name. */
  readonly made: Map<string, Promise<Answer>>;
  /** Answers of the current check. */
  readonly answers: Answer[];
}

interface GateRun extends Gate {
  readonly client: OpsClient;
  /** Of the bridge, as it was asked before. */
  readonly status: Pick<OpsJson<'Status'>, 'bridge' | 'writes'>;
  /** Says what the run leaves in the service. */
  readonly remains: string;
  /** The SCIM base URL without a slash at its end. */
  readonly baseUrl: string;
  /** Provider of the credential; undefined: the default one. */
  readonly provider: string | undefined;
  readonly names: { readonly domain: string; readonly prefix: string };
  /** Aborted: the run ends, and deletes what it made. */
  readonly stopped: AbortSignal;
}

/** Report of a run: what `--json` prints. */
export type GalleryReport = Awaited<ReturnType<typeof runGate>>;

/**
 * Runs a gate with credentials of its own, then deletes all that it made and revokes them, also after a failure.
 * @throws BridgeError `ops-failed`, or `gallery-failed` when SCIM cannot be asked
 */
export async function runGate(run: GateRun) {
  const { gate, title, profile, status, baseUrl, stopped, names, remains } = run;
  const mark = `gallery-${randomBytes(4).toString('hex')}`;
  const startedAt = new Date().toISOString();
  const { make, revoke } = openCredentials(run, mark);
  try {
    // It ends by itself where nobody is left to revoke it.
    const { token = '' } = await make('tokens', { for: 'scim', expires: '2h' });
    const root = baseUrl.replace(/\/scim\/v2$/, '');
    const values = { ...names, mark, MARK: mark.toUpperCase(), base: baseUrl, root, token };
    const parts = { creations: run.creations, made: new Map(), answers: [] };
    const makeClient = (more: JsonObject) => make('clients', more);
    const toRun = (signal: AbortSignal): Run => {
      return { ...parts, makeClient, stopped: signal, values: new Map(Object.entries(values)) };
    };
    // What is sent for the run itself: with the token, and after its end as well.
    const own = toRun(new AbortController().signal);
    await assertOpen(own, baseUrl);
    const checking = toRun(stopped);
    const checks: CheckResult[] = [];
    let left: string[] = [];
    try {
      for (const check of run.checks) checks.push(await runCheck(checking, check));
    } finally {
      left = await deleteAll(own, { Groups: names.prefix + mark, Users: mark });
    }
    const count = (of: CheckResult['status']) => checks.filter((one) => one.status === of).length;
    return {
      ...{ gate, title, profile, baseUrl, mark, startedAt, endedAt: new Date().toISOString() },
      bridge: { version: status.bridge.version, mode: status.writes.mode },
      provider: run.provider ?? DEFAULT_PROVIDER,
      stopped: stopped.aborted,
      summary: { ok: count('ok'), failed: count('failed'), skipped: count('skipped') },
      checks,
      left: [...left, ...(await revoke())],
      remains,
    };
  } finally {
    await revoke();
  }
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
type Names = Readonly<Record<Type, string>>;

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
    const key = type === 'Groups' ? 'displayName' : 'userName';
    const begin = type === 'Groups' ? '{prefix}{mark}' : '{mark}';
    const listed = findAt(
      await exchange(own, `GET /${type}?filter=${key} sw "${begin}"`),
      'Resources',
    );
    for (const { id, [key]: name } of Array.isArray(listed) ? listed.filter(isJsonObject) : []) {
      const isOwn = `${name}`.toLowerCase().startsWith(names[type].toLowerCase());
      if (isOwn) left.set(`/${type}/${id}`, `${name}`);
    }
  }
  return left;
}

/** End of a check that is not ok. */
class CheckEnded extends Error {
  readonly status: 'failed' | 'skipped';
  constructor(status: 'failed' | 'skipped', why: string) {
    super(why);
    this.status = status;
  }
}

function fail(request: string, words: string): never {
  throw new CheckEnded('failed', `${request}: ${words}`);
}

/** Runs a check, or skips it once the run is stopped. */
async function runCheck(run: Run, { steps, ...check }: Check): Promise<CheckResult> {
  const toResult = (status: CheckResult['status'], why: string | null) => {
    const evidence = run.answers.splice(0).map(({ seen }) => seen);
    return { ...check, status, why, evidence };
  };
  try {
    for (const step of steps) await runStep(run, step);
    return toResult('ok', null);
  } catch (error) {
    if (error instanceof CheckEnded) return toResult(error.status, error.message);
    if (error instanceof BridgeError) return toResult('failed', error.message);
    throw error;
  }
}

async function runStep(run: Run, step: Step): Promise<void> {
  for (const [, name = ''] of JSON.stringify(step).matchAll(/\{(\w+)\}/g)) {
    if (!run.values.has(name)) await define(run, name);
  }
  const { change, send, made, skip, expect, status = made ? [200, 201] : 200 } = step;
  if (skip !== undefined && expect === undefined) throw new CheckEnded('skipped', skip);
  if (change !== undefined) {
    assertStatus(await exchange(run, `PATCH ${change}`, step), [200, 204]);
    return assertMet(run, step, await exchange(run, `GET ${change}`));
  }
  if (!made && !send) {
    // It looks at the variables.
    const seen = { request: 'the run', status: 0, durationMs: 0, parts: [] };
    return assertMet(run, step, {
      seen,
      headers: new Headers(),
      body: Object.fromEntries(run.values),
    });
  }
  const answers = made ? [await make(run, made)] : await sendInTime(run, send ?? '', step);
  for (const answer of answers) {
    if (!run.answers.includes(answer)) run.answers.push(answer);
    assertStatus(answer, [status].flat());
    assertMet(run, step, answer);
  }
}

/** Tries of what has to be answered in time: a machine may be busy. */
const TRIES = 3;

async function sendInTime(run: Run, request: string, step: Step): Promise<Answer[]> {
  const { times = 1, withinMs = Number.POSITIVE_INFINITY } = step;
  for (let tries = 1; ; tries += 1) {
    const startedAt = performance.now();
    const sent = Array.from({ length: times }, () => exchange(run, request, step));
    const answers = await Promise.all(sent);
    const tookMs = Math.round(performance.now() - startedAt);
    if (tookMs <= withinMs) return answers;
    if (tries === TRIES) fail(request, `${times} took ${tookMs} ms; wanted is ${withinMs} ms`);
  }
}

/** A provider waits a minute for an answer. */
const TIMEOUT_MS = 60_000;

/** Sends `GET /Users/{ada}` or the like, with the values of the run. @throws BridgeError `gallery-failed` when no answer came */
async function exchange(run: Run, request: string, step: Step = {}): Promise<Answer> {
  if (run.stopped.aborted) throw new CheckEnded('skipped', 'the run was ended before');
  const [method = '', path = ''] = request.split(/ (.*)/);
  const address = path.replace(/\{(\w+)\}/g, (_, name: string) => {
    const value = run.values.get(name) ?? '';
    return name === 'root' ? value : encodeURIComponent(value);
  });
  const url = path.startsWith('/') ? `${run.values.get('base')}${address}` : address;
  const form = step.form && new URLSearchParams(fill(run, step.form));
  const body = toBody(run, step);
  const headers = {
    authorization: `Bearer ${run.values.get('token')}`,
    accept: 'application/scim+json, application/json',
    'user-agent': 'scim-bridge gallery',
    ...(body && { 'content-type': 'application/scim+json' }),
    ...fill(run, step.headers ?? {}),
  };
  const sent = Object.entries(headers).flatMap(([name, value]): [string, string][] =>
    value === null ? [] : [[name, value]],
  );
  const init = { method, headers: sent, body: form ?? (body ? JSON.stringify(body) : null) };
  const startedAt = performance.now();
  const signal = AbortSignal.timeout(TIMEOUT_MS);
  const reply = await fetch(url, { ...init, signal, redirect: 'manual' }).catch((cause) => {
    throw new BridgeError('gallery-failed', `${url} does not answer`, { cause });
  });
  // Text that is no JSON, such as the page of a proxy, is no answer of the bridge: its status says enough.
  const json = parseAnswer<JsonValue>(await reply.json().catch(() => null));
  const { pathname, search } = new URL(url);
  const seen = {
    request: `${method} ${decodeURIComponent(pathname + search)}`,
    status: reply.status,
    durationMs: Math.round(performance.now() - startedAt),
    parts: [],
  };
  const answer = { seen, headers: reply.headers, body: json };
  run.answers.push(answer);
  return answer;
}

const PATCH = 'urn:ietf:params:scim:api:messages:2.0:PatchOp';

function toBody(run: Run, { body, like, ops, repeat = 1 }: Step): JsonObject | undefined {
  if (ops) {
    const Operations = Array.from({ length: repeat }, () => ops).flat();
    return fill(run, { schemas: [PATCH], Operations });
  }
  if (like === undefined) return body && fill(run, body);
  const self = new Map([...run.values, ['self', like]]);
  return fill({ values: self }, { ...run.creations[typeOf(run, like) ?? 'Users'].body, ...body });
}

/** Puts values in the place of `{name}`, anywhere in a template. */
function fill<T>({ values }: Pick<Run, 'values'>, template: T): T {
  return JSON.parse(
    JSON.stringify(template).replace(/\{(\w+)\}/g, (_, name: string) =>
      JSON.stringify(values.get(name) ?? '').slice(1, -1),
    ),
  );
}

/** Defines a variable by making what it is the id or the proof of. */
async function define(run: Run, name: string): Promise<void> {
  const { values, makeClient } = run;
  if (typeOf(run, name) !== undefined) {
    const answer = await make(run, name);
    const id = findAt(answer, 'id');
    const { request, status } = answer.seen;
    if (status >= 300 || typeof id !== 'string') {
      fail(request, `not tried: ${name} was not made, it was answered ${status}`);
    }
    values.set(name, id);
  } else if (name === 'basic') {
    const { id, secret } = await makeClient({ expires: '365d' });
    values.set(name, Buffer.from(`${id}:${secret}`).toString('base64'));
  } else if (name === 'client') {
    const { privateKey, publicKey } = await generateKeyPair('ES256');
    const { kty = '', crv = '', x = '', y = '' } = await exportJWK(publicKey);
    const header = { kid: values.get('mark') ?? '', alg: 'ES256' };
    const { id } = await makeClient({ trust: { jwks: { keys: [{ kty, crv, x, y, ...header }] } } });
    const claims = { iss: id, sub: id, aud: values.get('endpoint') ?? '', jti: randomUUID() };
    const assertion = new SignJWT(claims).setProtectedHeader(header).setIssuedAt();
    values.set('assertion', await assertion.setExpirationTime('1m').sign(privateKey));
    values.set(name, id);
  }
}

function make(run: Run, name: string): Promise<Answer> {
  const answer = run.made.get(name) ?? exchange(run, `POST /${typeOf(run, name)}`, { like: name });
  run.made.set(name, answer);
  return answer;
}

function typeOf({ creations }: Run, name: string): Type | undefined {
  if (creations.Users.names.includes(name)) return 'Users';
  return creations.Groups.names.includes(name) ? 'Groups' : undefined;
}

function assertMet(run: Run, { expect = {}, capture = {}, skip }: Step, answer: Answer): void {
  for (const [path, wanted] of Object.entries(fill(run, expect))) {
    const condition = Array.isArray(wanted) ? { has: wanted } : wanted;
    const words = JSON.stringify(condition)
      .replaceAll(/["{}[\]]/g, ' ')
      .trim();
    if (isMet(condition, findAt(answer, path))) answer.seen.parts.push(`${path}: ${words}`);
    else if (skip !== undefined) throw new CheckEnded('skipped', skip);
    else fail(answer.seen.request, `wanted is ${path}: ${words}`);
  }
  for (const [name, path] of Object.entries(capture)) {
    run.values.set(name, String(findAt(answer, path)));
  }
}

function assertStatus(answer: Answer, wanted: readonly number[]): void {
  const { request, status } = answer.seen;
  if (wanted.includes(status)) return;
  const detail = findAt(answer, 'detail');
  const words = typeof detail === 'string' ? `: ${detail.slice(0, 200)}` : '';
  fail(request, `answered ${status}${words}; wanted is ${wanted.join(' or ')}`);
}

/** Finds the part at a path with slashes; `*` lists that part of each entry, `@` is a header. */
function findAt({ body, headers }: Pick<Answer, 'body' | 'headers'>, path: string): unknown {
  if (path.startsWith('@')) return headers.get(path.slice(1)) ?? undefined;
  return findIn(body, path.split('/'));
}

function findIn(body: JsonValue | undefined, [step, ...rest]: readonly string[]): unknown {
  if (step === undefined) return body;
  if (step === '*') return (Array.isArray(body) ? body : []).map((entry) => findIn(entry, rest));
  if (Array.isArray(body)) return findIn(body[Number(step)], rest);
  return isJsonObject(body) ? findIn(body[step], rest) : undefined;
}

function isMet(expected: Exclude<Expectation, string[]>, found: unknown): boolean {
  if (typeof expected !== 'object') return found === expected;
  const { is, matches = '', from = -Infinity, to = Infinity, has = [], lacks = [] } = expected;
  const among = (id: string) => Array.isArray(found) && found.includes(id);
  if (from > -Infinity && !(Number(found) >= from && Number(found) <= to)) return false;
  if (is === 'filled' || is === 'empty') return isEmpty(found) === (is === 'empty');
  if (is !== undefined) return typeof found === is;
  return new RegExp(matches, 'i').test(`${found}`) && has.every(among) && !lacks.some(among);
}

function isEmpty(value: unknown): boolean {
  if (value === undefined || value === null || value === '') return true;
  return typeof value === 'object' && Object.keys(value).length === 0;
}
