import { randomBytes, randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { isDeepStrictEqual } from 'node:util';
import { Pool } from 'undici';
import { z } from 'zod';
import { isJsonObject } from '../../../src/domain/values.ts';

const ANSWER_TIMEOUT_MS = 15_000;
const SHOWN_MAX = 2_000;

const Step = z.strictObject({
  method: z.enum(['GET', 'POST', 'PUT', 'PATCH', 'DELETE']),
  path: z.string().startsWith('/'),
  headers: z.record(z.string(), z.string().nullable()).default({}),
  body: z.json().optional(),
  capture: z.record(z.string(), z.string().startsWith('$')).default({}),
  expect: z.strictObject({
    status: z.array(z.int()).min(1),
    json: z.record(z.string(), z.json()).default({}),
    headers: z.record(z.string(), z.json()).default({}),
  }),
  note: z.string().optional(),
});

const ProviderCase = z.strictObject({
  id: z.string(),
  idp: z.string(),
  name: z.string(),
  source: z.string(),
  provenance: z.enum(['captured', 'documented', 'derived', 'unverified']),
  needs: z.array(z.string()),
  note: z.string().optional(),
  steps: z.array(Step).min(1),
});

/** A sequence of requests as one identity provider sends them; README.md beside this file explains the fields. */
type ProviderCase = z.infer<typeof ProviderCase>;
type Step = z.infer<typeof Step>;

/** The cases of `cases.json`, in the order of the file. @throws ZodError when a field is unknown or misspelt. */
export function parseProviderCases(): ProviderCase[] {
  const text = readFileSync(new URL('cases.json', import.meta.url), 'utf8');
  return z.array(ProviderCase).parse(JSON.parse(text));
}

/** Sends the requests of a case and compares every answer. @returns undefined, or what its first wrong step got */
export async function runCase(
  { id, name, note, source, provenance, steps }: ProviderCase,
  { baseUrl, token }: { readonly baseUrl: string; readonly token: string },
): Promise<string | undefined> {
  const rand = randomBytes(4).toString('hex');
  const uuid = randomUUID();
  const variables = new Map(Object.entries({ rand, RAND: rand.toUpperCase(), uuid, token }));
  const { origin, pathname } = new URL(baseUrl);
  const timeouts = { headersTimeout: ANSWER_TIMEOUT_MS, bodyTimeout: ANSWER_TIMEOUT_MS };
  const pool = new Pool(origin, timeouts);
  try {
    for (const [index, written] of steps.entries()) {
      const step: Step = JSON.parse(fill(JSON.stringify(written), variables));
      const headers = toHeaders(step, token);
      const path = pathname + toRequestTarget(step.path);
      const body = step.body === undefined ? null : JSON.stringify(step.body);
      const answer = await pool.request({ method: step.method, path, headers, body });
      const text = await answer.body.text();
      const wrong = judge(step, { ...answer, text }, variables);
      if (wrong.length === 0) continue;
      const { authorization, ...shown } = headers;
      return [
        `${id} (${name}), step ${index + 1} of ${steps.length}`,
        ...wrong.map((what) => `  ✗ ${what}`),
        ...[step.note, note].flatMap((words) => words ?? []).map((words) => `  note: ${words}`),
        `  source: ${source} (${provenance})`,
        `  → ${step.method} ${path}`,
        `    ${JSON.stringify(shown)} ${authorization === undefined ? 'no' : 'with'} authorization`,
        `    ${(body ?? '(no body)').slice(0, SHOWN_MAX)}`,
        `  ← ${answer.statusCode} ${answer.headers['content-type'] ?? '(no content type)'}`,
        `    ${text.slice(0, SHOWN_MAX) || '(no body)'}`,
      ].join('\n');
    }
    return undefined;
  } finally {
    await pool.close();
  }
}

function fill(text: string, variables: ReadonlyMap<string, string>): string {
  return text.replaceAll(/\{\{(\w+)\}\}/g, (_, name: string) => {
    const value = variables.get(name);
    if (value === undefined) throw new Error(`the case uses {{${name}}}, which nothing has set`);
    return JSON.stringify(value).slice(1, -1);
  });
}

function toHeaders({ body, headers }: Step, token: string): Record<string, string> {
  const usual = { authorization: `Bearer ${token}`, accept: 'application/scim+json' };
  const all = new Map(Object.entries(usual));
  if (body !== undefined) all.set('content-type', 'application/scim+json');
  for (const [name, value] of Object.entries(headers)) {
    if (value === null) all.delete(name.toLowerCase());
    else all.set(name.toLowerCase(), value);
  }
  return Object.fromEntries(all);
}

/** A path as a provider writes it: only what cannot stand in a URL is percent-encoded; a server must cope with the rest. */
function toRequestTarget(path: string): string {
  return path
    .replaceAll(/%(?![0-9a-f]{2})/gi, '%25')
    .replaceAll(/[^\w\-.~:/?[\]@!$&'()*+,;=%]/gu, encodeURIComponent);
}

interface Answer {
  readonly statusCode: number;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly text: string;
}

function judge(step: Step, answer: Answer, variables: Map<string, string>): string[] {
  const { status, json, headers } = step.expect;
  // A 204 has no body, so a step that allows one cannot insist on its content.
  const hasNoBody = answer.statusCode === 204;
  const document = hasNoBody ? undefined : parseDocument(answer.text);
  const wrong = [
    ...compare(
      'status',
      status.includes(answer.statusCode),
      status.join(' or '),
      answer.statusCode,
    ),
    ...Object.entries(headers).flatMap(([name, wanted]) => {
      const actual = answer.headers[name.toLowerCase()];
      return compare(`header ${name}`, isAsWanted(actual, wanted), wanted, actual);
    }),
    ...Object.entries(hasNoBody ? {} : json).flatMap(([path, wanted]) => {
      const actual = findByPath(document, path);
      return compare(path, isAsWanted(actual, wanted), wanted, actual);
    }),
  ];
  for (const [name, path] of Object.entries(step.capture)) {
    const value = findByPath(document, path);
    if (typeof value === 'string') variables.set(name, value);
    else wrong.push(`capture ${name}: there is no text at ${path}`);
  }
  return wrong;
}

function compare(what: string, isRight: boolean, wanted: unknown, actual: unknown): string[] {
  return isRight ? [] : [`${what}: wanted ${show(wanted)}, got ${show(actual)}`];
}

const show = (value: unknown) => (value === undefined ? 'nothing' : JSON.stringify(value));

function parseDocument(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    return undefined;
  }
}

const OF_PATH =
  /\.(?<dotted>[\w$-]+)|\['(?<quoted>[^']+)'\]|\[(?<index>\d+)\]|\[\?\(@\.(?<name>[\w$-]+)=='(?<equals>[^']*)'\)\]/g;

/** The value at a JSON path, the first match; undefined: none. @throws Error on a path it does not understand */
function findByPath(root: unknown, path: string): unknown {
  if (path.replaceAll(OF_PATH, '') !== '$') throw new Error(`cannot read the path ${path}`);
  let value = root;
  for (const { groups = {} } of path.matchAll(OF_PATH)) {
    const { dotted, quoted, index, name, equals } = groups;
    const member = dotted ?? quoted;
    const items = Array.isArray(value) ? value : [];
    if (member !== undefined)
      value = isJsonObject(value) && Object.hasOwn(value, member) ? value[member] : undefined;
    else if (index !== undefined) value = items[Number(index)];
    else value = items.find((item) => Object(item)[name ?? ''] === equals);
  }
  return value;
}

type Operator = (value: unknown, operand: unknown) => boolean;

function toOperator<Operand>(
  operands: z.ZodType<Operand>,
  holds: (value: unknown, operand: Operand) => boolean,
): Operator {
  return (value, operand) => holds(value, operands.parse(operand));
}

const hasLength = (value: unknown): value is string | unknown[] =>
  typeof value === 'string' || Array.isArray(value);
const isEmpty = (value: unknown) =>
  value === undefined ||
  value === null ||
  value === '' ||
  (typeof value === 'object' && Object.keys(Object(value)).length === 0);
const toType = (value: unknown) =>
  value === null ? 'null' : Array.isArray(value) ? 'array' : typeof value;

const OPERATORS: Readonly<Record<string, Operator>> = {
  $exists: toOperator(z.boolean(), (value, isThere) =>
    isThere ? value !== undefined && value !== null : value === undefined,
  ),
  $notEmpty: toOperator(z.literal(true), (value) => !isEmpty(value)),
  $absentOrEmpty: toOperator(z.literal(true), isEmpty),
  $type: toOperator(z.string(), (value, type) => toType(value) === type),
  $contains: toOperator(z.unknown(), (value, part) =>
    typeof value === 'string'
      ? typeof part === 'string' && value.includes(part)
      : Array.isArray(value) && value.some((item) => isDeepStrictEqual(item, part)),
  ),
  $length: toOperator(z.int(), (value, length) => hasLength(value) && value.length === length),
  $gte: toOperator(z.number(), (value, least) => typeof value === 'number' && value >= least),
  $ne: toOperator(z.unknown(), (value, other) => !isDeepStrictEqual(value, other)),
  $matches: toOperator(
    z.string(),
    (value, pattern) => typeof value === 'string' && new RegExp(pattern).test(value),
  ),
};

/** True when a value is equal to a literal, or all operators hold. @throws Error on an unknown operator, or one beside a literal */
function isAsWanted(actual: unknown, wanted: unknown): boolean {
  const members = isJsonObject(wanted) ? Object.entries(wanted) : [];
  if (!members.some(([name]) => name.startsWith('$'))) return isDeepStrictEqual(actual, wanted);
  return members.every(([name, operand]) => {
    const holds = OPERATORS[name];
    if (holds === undefined) throw new Error(`unknown operator ${name}`);
    return holds(actual, operand);
  });
}
