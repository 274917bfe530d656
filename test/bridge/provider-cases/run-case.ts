import { randomBytes, randomUUID } from 'node:crypto';
import { type Dispatcher, Pool } from 'undici';
import { findMismatch } from './matchers.ts';
import type { CaseStep, ProviderCase } from './provider-case.ts';

const answerTimeoutMs = 15_000;

/** Whom to ask. `baseUrl` is the SCIM base URL, without a slash at the end. */
export interface CaseTarget {
  baseUrl: string;
  token: string;
}

/** A request as it was sent. */
interface SentRequest {
  method: Dispatcher.HttpMethod;
  path: string;
  headers: Record<string, string>;
  body: string | undefined;
}

/** An answer as it came. */
interface CaseAnswer {
  status: number;
  headers: Record<string, string | string[] | undefined>;
  body: string;
}

/** The first step of a case that went wrong: what was sent, what came, and each expectation it broke. */
export interface CaseFailure {
  providerCase: ProviderCase;
  stepIndex: number;
  request: SentRequest;
  answer: CaseAnswer;
  problems: string[];
}

/**
 * Sends the requests of a case one after another and compares every answer.
 * @returns undefined when the case passed, else its first wrong step.
 * @throws what the connection throws, and Error when the case itself makes no sense.
 */
export async function runCase(
  providerCase: ProviderCase,
  target: CaseTarget,
): Promise<CaseFailure | undefined> {
  const variables = startVariables(target.token);
  const { origin, pathname } = new URL(target.baseUrl);
  const pool = new Pool(origin, { headersTimeout: answerTimeoutMs, bodyTimeout: answerTimeoutMs });
  try {
    for (const [stepIndex, step] of providerCase.steps.entries()) {
      const request = toRequest(step, variables, pathname);
      const answer = await send(pool, request);
      const problems = judge(step, answer, variables);
      if (problems.length > 0) return { providerCase, stepIndex, request, answer, problems };
    }
    return undefined;
  } finally {
    await pool.close();
  }
}

function toRequest(step: CaseStep, variables: Variables, basePath: string): SentRequest {
  const body = step.body === undefined ? undefined : JSON.stringify(fillJson(step.body, variables));
  const headers = new Map([
    ['authorization', 'Bearer {{token}}'],
    ['accept', 'application/scim+json'],
  ]);
  if (body !== undefined) headers.set('content-type', 'application/scim+json');
  for (const [name, value] of Object.entries(step.headers ?? {})) {
    if (value === null) headers.delete(name.toLowerCase());
    else headers.set(name.toLowerCase(), value);
  }
  return {
    method: step.method,
    path: basePath + toRequestTarget(fillText(step.path, variables)),
    headers: Object.fromEntries([...headers].map(([n, value]) => [n, fillText(value, variables)])),
    body,
  };
}

async function send(pool: Pool, request: SentRequest): Promise<CaseAnswer> {
  const { method, path, headers, body } = request;
  const response = await pool.request({ method, path, headers, body: body ?? null });
  const text = await response.body.text();
  return { status: response.statusCode, headers: response.headers, body: text };
}

/** Every expectation the answer breaks, as sentences. Keeps what the step captures. */
function judge(step: CaseStep, answer: CaseAnswer, variables: Map<string, string>): string[] {
  const { status, json = {}, headers = {} } = step.expect;
  const problems: string[] = [];
  if (!status.includes(answer.status))
    problems.push(`status: wanted ${status.join(' or ')}, got ${answer.status}`);
  for (const [name, expected] of Object.entries(headers)) {
    const mismatch = findMismatch(
      answer.headers[name.toLowerCase()],
      fillJson(expected, variables),
    );
    if (mismatch !== undefined) problems.push(`header ${name}: ${mismatch}`);
  }
  // A 204 has no body, so a step that allows one cannot insist on its content.
  const document = answer.status === 204 ? undefined : parseDocument(answer.body);
  if (answer.status !== 204) {
    for (const [path, expected] of Object.entries(json)) {
      const actual = findByPath(document, fillText(path, variables));
      const mismatch = findMismatch(actual, fillJson(expected, variables));
      if (mismatch !== undefined) problems.push(`${path}: ${mismatch}`);
    }
  }
  return [...problems, ...capture(step, document, variables)];
}

function capture(step: CaseStep, document: unknown, variables: Map<string, string>): string[] {
  const problems: string[] = [];
  for (const [name, path] of Object.entries(step.capture ?? {})) {
    const value = findByPath(document, fillText(path, variables));
    if (typeof value === 'string') variables.set(name, value);
    else problems.push(`capture ${name}: there is no text at ${path}`);
  }
  return problems;
}

/** The JSON of a body; undefined, in which no path leads anywhere, when it is none. */
function parseDocument(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    return undefined;
  }
}

type Step = { kind: 'member'; name: string } | { kind: 'index'; index: number } | FilterStep;
/** `[?(@.type=='work')]`: the first element whose member equals the text. */
type FilterStep = { kind: 'first-where'; name: string; equals: string };

const stepPattern =
  /\.(?<dotted>[\w$-]+)|\['(?<quoted>[^']+)'\]|\[(?<index>\d+)\]|\[\?\(@\.(?<name>[\w$-]+)=='(?<equals>[^']*)'\)\]/y;

/**
 * The value at a JSON path, or undefined when there is none. Understands what the cases use:
 * `$.a.b`, `$['urn:…'].x`, `[0]` and `[?(@.type=='work')]` (the first match).
 * @throws Error on a path it does not understand, so that a misspelt path cannot pass as "absent".
 */
function findByPath(root: unknown, path: string): unknown {
  return parsePath(path).reduce(take, root);
}

function parsePath(path: string): Step[] {
  if (!path.startsWith('$')) throw new Error(`a path starts with $: ${path}`);
  const steps: Step[] = [];
  let position = 1;
  while (position < path.length) {
    stepPattern.lastIndex = position;
    const match = stepPattern.exec(path);
    if (match?.groups === undefined)
      throw new Error(`cannot read the path ${path} from character ${position} on`);
    steps.push(toStep(match.groups));
    position = stepPattern.lastIndex;
  }
  return steps;
}

function toStep(groups: Record<string, string | undefined>): Step {
  const { dotted, quoted, index, name, equals = '' } = groups;
  if (index !== undefined) return { kind: 'index', index: Number(index) };
  if (name !== undefined) return { kind: 'first-where', name, equals };
  return { kind: 'member', name: dotted ?? quoted ?? '' };
}

function take(value: unknown, step: Step): unknown {
  switch (step.kind) {
    case 'member':
      return member(value, step.name);
    case 'index':
      return Array.isArray(value) ? value[step.index] : undefined;
    case 'first-where':
      return Array.isArray(value)
        ? value.find((item) => member(item, step.name) === step.equals)
        : undefined;
  }
}

function member(value: unknown, name: string): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined;
  return Object.entries(value).find(([key]) => key === name)?.[1];
}

/** What `{{name}}` stands for in a case. */
type Variables = ReadonlyMap<string, string>;

/** The variables that every case starts with. `rand`, `RAND` and `uuid` are new for each run of a case. */
function startVariables(token: string): Map<string, string> {
  const rand = randomBytes(4).toString('hex');
  return new Map([
    ['rand', rand],
    ['RAND', rand.toUpperCase()],
    ['uuid', randomUUID()],
    ['token', token],
  ]);
}

/** @throws Error on a variable that no earlier step has captured. */
function fillText(text: string, variables: Variables): string {
  return text.replaceAll(/\{\{(\w+)\}\}/g, (_, name: string) => {
    const value = variables.get(name);
    if (value === undefined) throw new Error(`the case uses {{${name}}}, which nothing has set`);
    return value;
  });
}

/** Fills every string in a JSON value, the names of members too. */
function fillJson(value: unknown, variables: Variables): unknown {
  if (typeof value === 'string') return fillText(value, variables);
  if (Array.isArray(value)) return value.map((item) => fillJson(item, variables));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, item]) => [
      fillText(name, variables),
      fillJson(item, variables),
    ]),
  );
}

/**
 * A path as a provider writes it, fit for a request line: only what cannot stand in a URL is percent-encoded.
 * `+`, raw brackets, a trailing `&` or `?` and what is encoded already stay, because a server must cope with them.
 */
function toRequestTarget(path: string): string {
  return path
    .replaceAll(/%(?![0-9a-f]{2})/gi, '%25')
    .replaceAll(/[^\w\-.~:/?[\]@!$&'()*+,;=%]/gu, encodeURIComponent);
}
