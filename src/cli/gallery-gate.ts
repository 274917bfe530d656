import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { parse } from 'yaml';
import type { JsonObject, JsonValue } from '../domain/values.ts';
import { BridgeError, isJsonObject } from '../domain/values.ts';
import { defaultConfigFile } from './command.ts';
import { parseAnswer } from './requests.ts';

/** Names of the gates. */
export const GATES = ['okta', 'entra', 'ipsie'] as const;

interface Condition {
  readonly is?: 'filled' | 'empty' | 'number' | 'boolean';
  readonly matches?: string;
  readonly from?: number;
  readonly to?: number;
  readonly has?: readonly string[];
  readonly lacks?: readonly string[];
}

type Texts = Readonly<Record<string, string>>;
type Pair = readonly [string, string];

/** A step of a check in config/gallery.yaml, which describes its own form. */
interface Step {
  readonly send?: string;
  readonly change?: string;
  readonly made?: string;
  /** Name of a creation: its body is sent, with the members of `body` in place of its own. */
  readonly like?: string;
  readonly body?: JsonObject;
  readonly ops?: readonly JsonObject[];
  readonly repeat?: number;
  readonly form?: Texts;
  readonly headers?: Readonly<Record<string, string | null>>;
  readonly status?: number | readonly number[];
  readonly expect?: Readonly<Record<string, string | number | boolean | string[] | Condition>>;
  readonly capture?: Texts;
  readonly times?: number;
  /** Longest time for all of them; the fastest of three tries counts. */
  readonly withinMs?: number;
  readonly skip?: string;
}

interface Catalogue {
  readonly read: string | Date;
  readonly gates: Readonly<Record<string, { readonly title: string; readonly profile: string }>>;
  readonly documents: Readonly<Record<string, Pair>>;
  readonly creations: Readonly<
    Record<string, { readonly path: string; readonly body: JsonObject }>
  >;
  readonly checks: Readonly<Record<string, readonly [string, Record<string, Pair>, ...Step[]]>>;
}

/** Reads a gate: what its checks create, and the checks, each with where it is asked for. */
export function readGate(gate: string) {
  const file = join(dirname(defaultConfigFile), 'gallery.yaml');
  // The file is of the same version.
  const parsed = parse(readFileSync(file, 'utf8'), { merge: true, maxAliasCount: -1 });
  const { read, gates, documents, creations, checks } = parseAnswer<Catalogue>(parsed);
  const { title = gate, profile = '' } = gates[gate] ?? {};
  const asked = Object.entries(checks).flatMap(([id, [about, sources, ...steps]]) => {
    const [key = '', part = ''] = sources[gate] ?? [];
    const [document = '', url = ''] = documents[key] ?? [];
    const source = { document, part, url, read: String(read) };
    return key === '' ? [] : [{ id, title: about, source, steps }];
  });
  return { gate, title, profile, creations, checks: asked };
}

/** A gate with its checks. */
export type Gate = ReturnType<typeof readGate>;
type Check = Gate['checks'][number];

/** An answer, and what was looked at of it: evidence holds no secret, and nothing of people whom the run did not make. */
interface Answer {
  readonly request: string;
  readonly status: number;
  readonly durationMs: number;
  readonly parts: string[];
  /** Its JSON, where there is any, with each header as `@name`; no evidence. */
  readonly body: JsonObject;
}

/** How a check ended; `why` is null where it is ok. */
export interface CheckResult extends Omit<Check, 'steps'> {
  readonly status: 'ok' | 'failed' | 'skipped';
  readonly why: string | null;
  readonly evidence: readonly Omit<Answer, 'body'>[];
}

class Skipped extends Error {}

function fail(request: string, words: string): never {
  throw new BridgeError('gallery-failed', `${request}: ${words}`);
}

/** Tries of what has to be answered in time: a machine may be busy. */
const TRIES = 3;
/** A provider waits a minute for an answer. */
const TIMEOUT_MS = 60_000;
const PATCH = 'urn:ietf:params:scim:api:messages:2.0:PatchOp';

interface RunParts {
  /** `base` (the SCIM base URL), `root`, `token`, `mark`, `MARK`, `domain`, `prefix`, ids of what was made, what steps capture. */
  readonly values: ReadonlyMap<string, string>;
  readonly creations: Gate['creations'];
  readonly makeClient: (more: JsonObject) => Promise<{ id: string; secret?: string | null }>;
  readonly stopped?: AbortSignal;
}

/** Sends the requests of a run. */
export class Run {
  readonly #parts: RunParts;
  readonly #values: Map<string, string>;
  readonly #made = new Map<string, Answer>();
  readonly #answers = new Set<Answer>();

  constructor(parts: RunParts) {
    this.#parts = parts;
    this.#values = new Map(parts.values);
  }

  async check({ steps, ...check }: Check): Promise<CheckResult> {
    const toResult = (status: CheckResult['status'], why: string | null) => {
      const evidence = [...this.#answers].map(({ body: _, ...seen }) => seen);
      return { ...check, status, why, evidence };
    };
    this.#answers.clear();
    try {
      for (const step of steps) await this.#step(step);
      return toResult('ok', null);
    } catch (error) {
      if (error instanceof Skipped) return toResult('skipped', error.message);
      if (error instanceof BridgeError) return toResult('failed', error.message);
      throw error;
    }
  }

  /** Sends `GET /Users/{ada}` or the like, with the values of the run. @throws BridgeError `gallery-failed` when no answer came */
  async send(request: string, step: Step = {}): Promise<Answer> {
    if (this.#parts.stopped?.aborted) throw new Skipped('the run was ended before');
    const [method = '', path = ''] = request.split(/ (.*)/);
    const address = path.replace(/\{(\w+)\}/g, (_, name: string) => {
      const value = this.#values.get(name) ?? '';
      return name === 'root' ? value : encodeURIComponent(value);
    });
    const url = path.startsWith('/') ? `${this.#values.get('base')}${address}` : address;
    const body = this.#toBody(step);
    const headers = new Headers({ authorization: `Bearer ${this.#values.get('token')}` });
    if (typeof body === 'string') headers.set('content-type', 'application/scim+json');
    for (const [name, value] of Object.entries(this.fill(step.headers ?? {})))
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
    this.#answers.add(answer);
    return answer;
  }

  /** Puts values in the place of `{name}`, anywhere in a template. */
  fill<T>(template: T, self = ''): T {
    const text = JSON.stringify(template).replace(/\{(\w+)\}/g, (_, name: string) =>
      JSON.stringify(name === 'self' ? self : (this.#values.get(name) ?? '')).slice(1, -1),
    );
    return JSON.parse(text);
  }

  async #step(step: Step): Promise<void> {
    for (const [, name = ''] of JSON.stringify(step).matchAll(/\{(\w+)\}/g))
      if (!this.#values.has(name)) await this.#define(name);
    const { made, skip, expect, status = made ? [200, 201] : 200 } = step;
    if (skip !== undefined && expect === undefined) throw new Skipped(skip);
    for (const answer of await this.#listAnswers(step)) {
      assertStatus(answer, [status].flat());
      this.#assertMet(step, answer);
    }
  }

  async #listAnswers(step: Step, tries = 1): Promise<readonly Answer[]> {
    const { change, send, made, times = 1, withinMs = Number.POSITIVE_INFINITY } = step;
    if (made !== undefined) return [await this.#make(made)];
    if (change !== undefined) {
      assertStatus(await this.send(`PATCH ${change}`, step), [200, 204]);
      return [await this.send(`GET ${change}`)];
    }
    // Without a request it looks at the variables.
    const body = Object.fromEntries(this.#values);
    if (send === undefined)
      return [{ request: 'the run', status: 200, durationMs: 0, parts: [], body }];
    const startedAt = performance.now();
    const answers = await Promise.all(Array.from({ length: times }, () => this.send(send, step)));
    const tookMs = Math.round(performance.now() - startedAt);
    if (tookMs <= withinMs) return answers;
    if (tries < TRIES) return this.#listAnswers(step, tries + 1);
    return fail(send, `${times} took ${tookMs} ms; wanted is ${withinMs} ms`);
  }

  #toBody({ body, like: self, ops = [], repeat = 1, form }: Step) {
    if (form !== undefined) return new URLSearchParams(this.fill(form));
    const Operations = Array.from({ length: repeat }, () => ops).flat();
    const own = self && this.#parts.creations[self]?.body;
    const json =
      ops.length > 0 ? { schemas: [PATCH], Operations } : (own || body) && { ...own, ...body };
    return json ? JSON.stringify(this.fill(json, self)) : null;
  }

  async #define(name: string): Promise<void> {
    const values = this.#values;
    const { creations, makeClient } = this.#parts;
    if (name in creations) {
      const { body, request, status } = await this.#make(name);
      if (status >= 300 || typeof body.id !== 'string')
        return fail(request, `not tried: ${name} was not made, it was answered ${status}`);
      values.set(name, body.id);
    } else if (name === 'basic') {
      const { id, secret } = await makeClient({ expires: '365d' });
      values.set(name, Buffer.from(`${id}:${secret}`).toString('base64'));
    } else if (name === 'client') {
      const { exportJWK, generateKeyPair, SignJWT } = await import('jose');
      const { privateKey, publicKey } = await generateKeyPair('ES256');
      const { kty = '', crv = '', x = '', y = '' } = await exportJWK(publicKey);
      const header = { kid: values.get('mark') ?? '', alg: 'ES256' };
      const keys = [{ kty, crv, x, y, ...header }];
      const { id } = await makeClient({ trust: { jwks: { keys } } });
      const claims = { iss: id, sub: id, aud: values.get('endpoint') ?? '', jti: randomUUID() };
      const assertion = new SignJWT(claims).setProtectedHeader(header).setIssuedAt();
      values.set('assertion', await assertion.setExpirationTime('1m').sign(privateKey));
      values.set(name, id);
    }
  }

  /** Creates a person or group once; its answer is evidence of each check that asks for it. */
  async #make(name: string): Promise<Answer> {
    const request = `POST ${this.#parts.creations[name]?.path}`;
    const answer = this.#made.get(name) ?? (await this.send(request, { like: name }));
    this.#made.set(name, answer);
    this.#answers.add(answer);
    return answer;
  }

  #assertMet({ expect = {}, capture = {}, skip }: Step, answer: Answer): void {
    for (const [path, wanted] of Object.entries(this.fill(expect))) {
      const condition = Array.isArray(wanted) ? { has: wanted } : wanted;
      const shown = JSON.stringify(condition).replaceAll(/["{}[\]]/g, ' ');
      const words = `${path}: ${shown.trim()}`;
      if (isMet(condition, findAt(answer.body, path.split('/')))) answer.parts.push(words);
      else if (skip !== undefined) throw new Skipped(skip);
      else fail(answer.request, `wanted is ${words}`);
    }
    for (const [name, path] of Object.entries(capture))
      this.#values.set(name, String(findAt(answer.body, path.split('/'))));
  }
}

function assertStatus({ body, request, status }: Answer, wanted: readonly number[]): void {
  if (wanted.includes(status)) return;
  const words = typeof body.detail === 'string' ? `: ${body.detail.slice(0, 200)}` : '';
  fail(request, `answered ${status}${words}; wanted is ${wanted.join(' or ')}`);
}

/** Finds the part at the steps of a path; `*` lists that part of each entry. */
function findAt(body: JsonValue | undefined, [step, ...rest]: readonly string[]): unknown {
  if (step === undefined) return body;
  if (step === '*') return (Array.isArray(body) ? body : []).map((entry) => findAt(entry, rest));
  if (Array.isArray(body)) return findAt(body[Number(step)], rest);
  return isJsonObject(body) ? findAt(body[step], rest) : undefined;
}

function isMet(expected: string | number | boolean | Condition, found: unknown): boolean {
  if (typeof expected !== 'object') return found === expected;
  const { is, matches = '', from = -Infinity, to = Infinity, has = [], lacks = [] } = expected;
  const among = (id: string) => Array.isArray(found) && found.includes(id);
  if (from > -Infinity && !(Number(found) >= from && Number(found) <= to)) return false;
  const isEmpty =
    (found ?? '') === '' || (typeof found === 'object' && !Object.keys(Object(found))[0]);
  if (is === 'filled' || is === 'empty') return isEmpty === (is === 'empty');
  if (is !== undefined) return typeof found === is;
  return new RegExp(matches, 'i').test(`${found}`) && has.every(among) && !lacks.some(among);
}
