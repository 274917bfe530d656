import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { exportJWK, generateKeyPair, SignJWT } from 'jose';
import { parse } from 'yaml';
import { BridgeError } from '../domain/errors.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../domain/json.ts';
import { defaultConfigFile, parseAnswer } from './command.ts';

/** Names of the gates. */
export const GATES = ['okta', 'entra', 'ipsie'] as const;

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

type Texts = Readonly<Record<string, string>>;

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
  readonly form?: Texts;
  /** null: the header is not sent. */
  readonly headers?: Readonly<Record<string, string | null>>;
  readonly status?: number | readonly number[];
  readonly expect?: Readonly<Record<string, Expectation>>;
  readonly capture?: Texts;
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
  readonly gates: Readonly<Record<string, { readonly title: string; readonly profile: string }>>;
  readonly documents: Readonly<Record<string, Pair>>;
  readonly creations: Record<Type, { readonly names: string[]; readonly body: JsonObject }>;
  readonly checks: Readonly<Record<string, readonly [string, Record<string, Pair>, ...Step[]]>>;
}

/** Reads a gate: what its checks create, and the checks, each with where it is asked for. */
export function readGate(gate: string) {
  const file = join(dirname(defaultConfigFile), 'gallery.yaml');
  const { read, gates, documents, creations, checks } = parseCatalogue(readFileSync(file, 'utf8'));
  const { title = gate, profile = '' } = gates[gate] ?? {};
  const asked = Object.entries(checks).flatMap(([id, [about, sources, ...steps]]) => {
    const [key = '', part = ''] = sources[gate] ?? [];
    const [document = '', url = ''] = documents[key] ?? [];
    const source = { document, part, url, read: String(read) };
    return key === '' ? [] : [{ id, title: about, source, steps }];
  });
  return { gate, title, profile, creations, checks: asked };
}

/** The file is of the same version. */
function parseCatalogue(text: string): Catalogue {
  return parse(text, { merge: true, maxAliasCount: -1 }) as Catalogue;
}

/** A gate with its checks. */
export type Gate = ReturnType<typeof readGate>;
type Check = Gate['checks'][number];

/** An answer, and what was looked at of it: evidence holds no secret, and nothing of people whom the run did not make. */
interface Answer {
  /** `GET /Users?filter=userName eq "…"`. */
  readonly request: string;
  readonly status: number;
  readonly durationMs: number;
  /** What was looked at, in words. */
  readonly parts: string[];
  /** Its JSON, where there is any, with each header as `@name`; no evidence. */
  readonly body: JsonObject;
}

/** How a check ended. */
export interface CheckResult extends Omit<Check, 'steps'> {
  readonly status: 'ok' | 'failed' | 'skipped';
  /** null: it is ok. */
  readonly why: string | null;
  readonly evidence: readonly Omit<Answer, 'body'>[];
}

/** What the requests of a run share. */
export interface Run {
  /** `base` (the SCIM base URL), `root`, `token`, `mark`, `MARK`, `domain`, `prefix`, ids of what was made, what steps capture. */
  readonly values: Map<string, string>;
  readonly creations: Gate['creations'];
  /** Makes an OAuth client that ends with the run. */
  readonly makeClient: (more: JsonObject) => Promise<{ id: string; secret?: string | null }>;
  /** Aborted: no further request is sent. */
  readonly stopped: AbortSignal;
  /** Answers to creations, by name. */
  readonly made: Map<string, Answer>;
  /** Answers of the current check. */
  readonly answers: Set<Answer>;
}

/** The reason why a check is skipped. */
class Skipped extends Error {}

function fail(request: string, words: string): never {
  throw new BridgeError('gallery-failed', `${request}: ${words}`);
}

/** Runs a check, or skips it once the run is stopped. */
export async function runCheck(run: Run, { steps, ...check }: Check): Promise<CheckResult> {
  const toResult = (status: CheckResult['status'], why: string | null) => {
    return {
      ...check,
      status,
      why,
      evidence: [...run.answers].map(({ body: _, ...seen }) => seen),
    };
  };
  run.answers.clear();
  try {
    for (const step of steps) await runStep(run, step);
    return toResult('ok', null);
  } catch (error) {
    if (error instanceof Skipped) return toResult('skipped', error.message);
    if (error instanceof BridgeError) return toResult('failed', error.message);
    throw error;
  }
}

/** Tries of what has to be answered in time: a machine may be busy. */
const TRIES = 3;

async function runStep(run: Run, step: Step): Promise<void> {
  for (const [, name = ''] of JSON.stringify(step).matchAll(/\{(\w+)\}/g)) await define(run, name);
  const { made, skip, expect, status = made ? [200, 201] : 200 } = step;
  if (skip !== undefined && expect === undefined) throw new Skipped(skip);
  for (const answer of await listAnswers(run, step)) {
    assertStatus(answer, [status].flat());
    assertMet(run, step, answer);
  }
}

async function listAnswers(run: Run, step: Step, tries = 1): Promise<readonly Answer[]> {
  const { change, send, made, times = 1, withinMs = Number.POSITIVE_INFINITY } = step;
  if (made !== undefined) return [await make(run, made)];
  if (change !== undefined) {
    assertStatus(await exchange(run, `PATCH ${change}`, step), [200, 204]);
    return [await exchange(run, `GET ${change}`)];
  }
  if (send === undefined) {
    // It looks at the variables.
    const body = Object.fromEntries(run.values);
    return [{ request: 'the run', status: 200, durationMs: 0, parts: [], body }];
  }
  const startedAt = performance.now();
  const sent = Array.from({ length: times }, () => exchange(run, send, step));
  const answers = await Promise.all(sent);
  const tookMs = Math.round(performance.now() - startedAt);
  if (tookMs <= withinMs) return answers;
  if (tries < TRIES) return listAnswers(run, step, tries + 1);
  return fail(send, `${times} took ${tookMs} ms; wanted is ${withinMs} ms`);
}

/** A provider waits a minute for an answer. */
const TIMEOUT_MS = 60_000;

/** Sends `GET /Users/{ada}` or the like, with the values of the run. @throws BridgeError `gallery-failed` when no answer came */
export async function exchange(run: Run, request: string, step: Step = {}): Promise<Answer> {
  if (run.stopped.aborted) throw new Skipped('the run was ended before');
  const [method = '', path = ''] = request.split(/ (.*)/);
  const address = path.replace(/\{(\w+)\}/g, (_, name: string) => {
    const value = run.values.get(name) ?? '';
    return name === 'root' ? value : encodeURIComponent(value);
  });
  const url = path.startsWith('/') ? `${run.values.get('base')}${address}` : address;
  const body = toBody(run, step);
  const headers = new Headers({
    authorization: `Bearer ${run.values.get('token')}`,
    accept: 'application/scim+json, application/json',
    'user-agent': 'scim-bridge gallery',
  });
  if (typeof body === 'string') headers.set('content-type', 'application/scim+json');
  for (const [name, value] of Object.entries(fill(run, step.headers ?? {})))
    value === null ? headers.delete(name) : headers.set(name, value);
  const startedAt = performance.now();
  const signal = AbortSignal.timeout(TIMEOUT_MS);
  const init = { method, headers, body, signal, redirect: 'manual' } as const;
  const reply = await fetch(url, init).catch((cause) => {
    throw new BridgeError('gallery-failed', `${url} does not answer`, { cause });
  });
  // Text that is no JSON, such as the page of a proxy, is no answer of the bridge: its status says enough.
  const json = parseAnswer<JsonValue>(await reply.json().catch(() => null));
  const named = [...reply.headers].map(([name, value]) => [`@${name}`, value]);
  const { pathname, search } = new URL(url);
  const answer = {
    request: `${method} ${decodeURIComponent(pathname + search)}`,
    status: reply.status,
    durationMs: Math.round(performance.now() - startedAt),
    parts: [],
    body: { ...(isJsonObject(json) && json), ...Object.fromEntries(named) },
  };
  run.answers.add(answer);
  return answer;
}

const PATCH = 'urn:ietf:params:scim:api:messages:2.0:PatchOp';

function toBody(run: Run, { body, like: self, ops = [], repeat = 1, form }: Step) {
  if (form !== undefined) return new URLSearchParams(fill(run, form));
  const Operations = Array.from({ length: repeat }, () => ops).flat();
  const own = self && run.creations[typeOf(run, self) ?? 'Users'].body;
  const json =
    ops.length > 0 ? { schemas: [PATCH], Operations } : (own || body) && { ...own, ...body };
  return json ? JSON.stringify(fill(run, json, self)) : null;
}

/** Puts values in the place of `{name}`, anywhere in a template. */
export function fill<T>({ values }: Run, template: T, self = ''): T {
  const text = JSON.stringify(template).replace(/\{(\w+)\}/g, (_, name: string) =>
    JSON.stringify(name === 'self' ? self : (values.get(name) ?? '')).slice(1, -1),
  );
  return JSON.parse(text);
}

/** Defines a variable, where it is not, by making what it is the id or the proof of. */
async function define(run: Run, name: string): Promise<void> {
  const { values, makeClient } = run;
  if (values.has(name)) return;
  if (typeOf(run, name) !== undefined) {
    const answer = await make(run, name);
    const id = findAt(answer, 'id');
    const { request, status } = answer;
    if (status >= 300 || typeof id !== 'string')
      fail(request, `not tried: ${name} was not made, it was answered ${status}`);
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

/** Creates a person or group once; its answer is evidence of each check that asks for it. */
async function make(run: Run, name: string): Promise<Answer> {
  const request = `POST /${typeOf(run, name)}`;
  const answer = run.made.get(name) ?? (await exchange(run, request, { like: name }));
  run.made.set(name, answer);
  run.answers.add(answer);
  return answer;
}

function typeOf({ creations }: Run, name: string): Type | undefined {
  return (['Users', 'Groups'] as const).find((type) => creations[type].names.includes(name));
}

function assertMet(run: Run, { expect = {}, capture = {}, skip }: Step, answer: Answer): void {
  for (const [path, wanted] of Object.entries(fill(run, expect))) {
    const condition = Array.isArray(wanted) ? { has: wanted } : wanted;
    const words = JSON.stringify(condition)
      .replaceAll(/["{}[\]]/g, ' ')
      .trim();
    if (isMet(condition, findAt(answer, path))) answer.parts.push(`${path}: ${words}`);
    else if (skip !== undefined) throw new Skipped(skip);
    else fail(answer.request, `wanted is ${path}: ${words}`);
  }
  for (const [name, path] of Object.entries(capture)) {
    run.values.set(name, String(findAt(answer, path)));
  }
}

function assertStatus(answer: Answer, wanted: readonly number[]): void {
  const { request, status } = answer;
  if (wanted.includes(status)) return;
  const detail = findAt(answer, 'detail');
  const words = typeof detail === 'string' ? `: ${detail.slice(0, 200)}` : '';
  fail(request, `answered ${status}${words}; wanted is ${wanted.join(' or ')}`);
}

/** Finds the part at a path with slashes; `*` lists that part of each entry. */
export function findAt({ body }: Pick<Answer, 'body'>, path: string): unknown {
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
