import { randomUUID } from 'node:crypto';
import { exportJWK, generateKeyPair, SignJWT } from 'jose';
import { BridgeError } from '../../domain/errors.ts';
import type { JsonObject } from '../../domain/json.ts';
import type { Gate, Step } from './gates.ts';
import { type Answer, findAt, isMet, type Seen, send, toWords } from './scim-client.ts';

/** Tries of what has to be answered in time: a machine may be busy. */
const TRIES = 3;
const PATCH = 'urn:ietf:params:scim:api:messages:2.0:PatchOp';

type Check = Gate['checks'][number];

/** Result of a check. */
export interface CheckResult extends Omit<Check, 'steps'> {
  readonly status: 'ok' | 'failed' | 'skipped';
  /** null: it is ok. */
  readonly why: string | null;
  readonly evidence: readonly Seen[];
}

/** State of a run. */
export interface Run {
  /** `base` (the SCIM base URL), `root`, `token`, `mark`, `MARK`, `domain`, `prefix`, ids of what was made, what steps capture. */
  readonly values: Map<string, string>;
  readonly creations: Gate['creations'];
  /** Makes an OAuth client that ends with the run. */
  readonly makeClient: (more: JsonObject) => Promise<{ id: string; secret?: string | null }>;
  /** Aborted: no further request is sent. */
  readonly stopped: AbortSignal;
  /** Answers to creations, by name. */
  readonly made: Map<string, Promise<Answer>>;
  /** Answers of the current check. */
  readonly answers: Answer[];
}

/** End of a check that is not ok. */
class CheckEnded extends Error {
  readonly status: 'failed' | 'skipped';
  constructor(status: 'failed' | 'skipped', why: string) {
    super(why);
    this.status = status;
  }
}

/** Runs a check, or skips it once the run is stopped. */
export async function runCheck(run: Run, { steps, ...check }: Check): Promise<CheckResult> {
  const toResult = (status: CheckResult['status'], why: string | null) => ({
    ...{ ...check, status, why },
    evidence: run.answers.splice(0).map(({ seen }) => seen),
  });
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
  const { change, send: request, made, skip, expect, status = made ? [200, 201] : 200 } = step;
  if (skip !== undefined && Object.keys(expect).length === 0) throw new CheckEnded('skipped', skip);
  if (change !== undefined) {
    assertStatus(await exchange(run, `PATCH ${change}`, step), [200, 204]);
    assertMet(run, step, await exchange(run, `GET ${change}`));
    return;
  }
  if (!made && !request) {
    // It looks at the variables.
    const seen = { request: 'the run', status: 0, durationMs: 0, parts: [] };
    assertMet(run, step, { seen, headers: {}, body: Object.fromEntries(run.values) });
    return;
  }
  const answers = made ? [await make(run, made)] : await sendInTime(run, request ?? '', step);
  for (const answer of answers) {
    if (!run.answers.includes(answer)) run.answers.push(answer);
    assertStatus(answer, [status].flat());
    assertMet(run, step, answer);
  }
}

async function sendInTime(run: Run, request: string, step: Step): Promise<Answer[]> {
  const { times, withinMs = Number.POSITIVE_INFINITY } = step;
  for (let tries = 1; ; tries += 1) {
    const startedAt = performance.now();
    const sent = Array.from({ length: times }, () => exchange(run, request, step));
    const answers = await Promise.all(sent);
    const tookMs = Math.round(performance.now() - startedAt);
    if (tookMs <= withinMs) return answers;
    if (tries === TRIES) fail(request, `${times} took ${tookMs} ms; wanted is ${withinMs} ms`);
  }
}

/** Sends `GET /Users/{ada}` or the like, with the values of the run. @throws BridgeError `gallery-failed` when no answer came */
export async function exchange(
  run: Run,
  request: string,
  step: Partial<Step> = {},
): Promise<Answer> {
  if (run.stopped.aborted) throw new CheckEnded('skipped', 'the run was ended before');
  const [method = '', path = ''] = request.split(/ (.*)/);
  const address = path.replace(/\{(\w+)\}/g, (_, name: string) => {
    const value = run.values.get(name) ?? '';
    return name === 'root' ? value : encodeURIComponent(value);
  });
  const form = step.form && new URLSearchParams(fill(run, step.form));
  const body = toBody(run, step);
  const answer = await send({
    method,
    url: path.startsWith('/') ? `${run.values.get('base')}${address}` : address,
    headers: {
      authorization: `Bearer ${run.values.get('token')}`,
      accept: 'application/scim+json, application/json',
      'user-agent': 'scim-bridge gallery',
      'content-type': form ? 'application/x-www-form-urlencoded' : body && 'application/scim+json',
      ...fill(run, step.headers ?? {}),
    },
    body: form ? `${form}` : body && JSON.stringify(body),
  });
  run.answers.push(answer);
  return answer;
}

function toBody(run: Run, { body, like, ops, repeat = 1 }: Partial<Step>): JsonObject | undefined {
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

/** Makes a person or group once. */
function make(run: Run, name: string): Promise<Answer> {
  const answer = run.made.get(name) ?? exchange(run, `POST /${typeOf(run, name)}`, { like: name });
  run.made.set(name, answer);
  return answer;
}

function typeOf({ creations }: Run, name: string): 'Users' | 'Groups' | undefined {
  if (creations.Users.names.includes(name)) return 'Users';
  return creations.Groups.names.includes(name) ? 'Groups' : undefined;
}

function assertMet(run: Run, { expect, capture, skip }: Step, answer: Answer): void {
  for (const [path, wanted] of Object.entries(fill(run, expect))) {
    const words = toWords(path, wanted);
    if (isMet(wanted, findAt(answer, path))) answer.seen.parts.push(words);
    else if (skip !== undefined) throw new CheckEnded('skipped', skip);
    else fail(answer.seen.request, `wanted is ${words}`);
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

function fail(request: string, words: string): never {
  throw new CheckEnded('failed', `${request}: ${words}`);
}
