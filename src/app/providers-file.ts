import { existsSync, readFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { z } from 'zod';
import type { Access } from '../access/access.ts';
import { toDigest, toGivenSecret } from '../access/secret-text.ts';
import { DEFAULT_PROVIDER, DEFAULT_TERMS } from '../domain/provider.ts';
import { BridgeError } from '../domain/values.ts';
import { toTokenView, toTokenWish, toWish } from '../ops/access/routes.ts';
import { NEWEST } from '../ops/http/list-query.ts';
import type { OpsJson } from '../ops/schemas/schemas.ts';
import { opsSchemas } from '../ops/schemas/schemas.ts';
import { secret, showDuration } from '../settings/kinds.ts';
import { readConfigFile } from '../settings/sources.ts';
import type { Events } from '../telemetry/events.ts';
import type { OpsClient } from './ops-client.ts';

/** A request that is sent below `/ops`, and what it changes. */
interface Step {
  readonly path: `/${string}`;
  readonly body?: object;
  readonly changes: string;
  /** Once it was sent: `done`, or why not. */
  readonly result?: string;
}

type Declared = ReturnType<typeof readDeclared>;
type Named = { readonly name: string; readonly digest?: string };
type Tokens = readonly OpsJson<'Token'>[];

const SECRET = secret({ charactersMin: 32 });

/** Reads the providers and tokens that a file declares, with digests of their secrets. @throws BridgeError with each problem */
export function readDeclared(file: string, readFile: (path: string) => string) {
  const problems: string[] = [];
  const content = readConfigFile(file, readFile, ({ message }) => problems.push(message));
  const read = (path: string, { addIssue }: { addIssue: (message: string) => void }) => {
    try {
      return readFile(resolve(dirname(file), path)).trim();
    } catch (cause) {
      addIssue(`cannot be read: ${cause}`);
      return z.NEVER;
    }
  };
  const token = opsSchemas.TokenBody.omit({ for: true })
    .extend({ secretFile: z.optional(z.string().transform(read).pipe(SECRET)) })
    .refine((one) => !one.secretFile !== !one.digest, 'has either `secretFile` or `digest`')
    .transform(({ secretFile: text = '', digest = toDigest(text), ...one }) => ({
      ...one,
      digest,
    }));
  const form = z.strictObject({
    prune: z.boolean().default(false),
    providers: listOf(opsSchemas.ProviderBody),
    tokens: listOf(token),
  });
  const { data, error } = form.safeParse(content);
  for (const { path, message } of error?.issues ?? []) {
    const place = path.map((key) => (typeof key === 'number' ? `entry ${key + 1}` : String(key)));
    problems.push(`${[file, ...place].join(' ')}: ${message}`);
  }
  if (data === undefined || problems.length > 0) throw refuse(problems.join('\n'));
  return data;
}

const listOf = <Entry extends Named>(entry: z.ZodType<Entry>) =>
  z.array(entry).refine(areUnique, 'two entries have the same name or secret').default([]);
const areUnique = (all: readonly Named[]) =>
  new Set(toNames(all)).size === all.length &&
  new Set(all.map(({ name, digest = name }) => digest)).size === all.length;
const toNames = (all: readonly Named[]) => all.map(({ name }) => name);
const refuse = (problem: string) => new BridgeError('file-invalid', problem);

/** Plans the requests that lead to what a file declares; `left`: those that would end the rest. @throws BridgeError with a problem */
export function planRequests(declared: Declared, providers: readonly Named[], tokens: Tokens) {
  const named = [DEFAULT_PROVIDER, ...toNames(declared.providers)];
  const others = toNames(providers).filter((name) => !named.includes(name));
  const open = tokens.filter((one) => one.for === 'scim' && one.revokedAt === null);
  const otherTokens = toNames(open).filter((name) => !toNames(declared.tokens).includes(name));
  const changes = 'not in the file';
  const ends = [
    ...otherTokens.map((name): Step => ({ path: `/tokens/${name}/revoke`, changes })),
    ...others.map((name): Step => ({ path: `/providers/${name}/delete`, changes })),
  ];
  const known = declared.prune ? named : [...named, ...others];
  const steps = [
    ...declared.providers.flatMap((entry) => planProvider(entry, providers)),
    ...declared.tokens.flatMap((entry, at) => {
      try {
        return planToken(entry, { known, open, used: tokens });
      } catch (error) {
        throw refuse(`tokens entry ${at + 1}: ${getProblem(error)}`);
      }
    }),
  ];
  return declared.prune ? { steps: [...steps, ...ends], left: [] } : { steps, left: ends };
}

function planProvider(entry: OpsJson<'ProviderBody'>, providers: readonly Named[]): Step[] {
  const { name, ...terms } = entry;
  const before = providers.find((one) => one.name === name);
  if (before === undefined) return toSteps('/providers', {}, entry);
  const after = opsSchemas.LimitsBody.strip().parse({ ...DEFAULT_TERMS, ...toWish(terms) });
  return toSteps(`/providers/${name}/change`, before, after);
}

/** A token gets other networks. For other terms it is revoked, and made anew with another secret. @throws BridgeError */
function planToken(
  body: Declared['tokens'][number],
  { known, open, used }: { known: readonly string[]; open: Tokens; used: Tokens },
): Step[] {
  const { name, profile, provider, networks, validForMs } = toTokenWish(body);
  if (!known.includes(provider)) throw refuse('`provider`: none has this name.');
  const before = open.find((one) => one.name === name);
  const lifeMs = before?.expiresAt && Date.parse(before.expiresAt) - Date.parse(before.createdAt);
  const toExpires = (ms: unknown) => (ms ? showDuration(ms) : 'never');
  const id = `token-${toGivenSecret(body.digest).id}`;
  const terms = { name, profile, provider, id, expires: toExpires(validForMs) };
  const [made] = toSteps('/tokens', { ...before, expires: before && toExpires(lifeMs) }, terms);
  if (made === undefined) return toSteps(`/tokens/${name}/change`, { ...before }, { networks });
  if (used.some((one) => one.id === id)) throw refuse('a token has or had its secret.');
  const create = { ...made, body };
  return before ? [{ path: `/tokens/${name}/revoke`, changes: made.changes }, create] : [create];
}

/** The request that makes the members of `before` those of `after`; none where nothing differs. */
function toSteps(path: Step['path'], before: object, after: object): Step[] {
  const differing = Object.entries(after).filter(
    ([name, value]) => !isDeepStrictEqual(Reflect.get(before, name), value),
  );
  if (differing.length === 0) return [];
  const words = differing.map(([name, value]) => {
    const values = [Reflect.get(before, name), value].filter((one) => one !== undefined);
    return `${name}: ${values.map((one) => JSON.stringify(one ?? 'none')).join(' → ')}`;
  });
  return [{ path, body: Object.fromEntries(differing), changes: words.join(', ') }];
}

/** Sends requests one after another; one that is refused holds up none. */
export async function sendRequests(client: OpsClient, steps: readonly Step[]): Promise<Step[]> {
  const sent: Step[] = [];
  for (const step of steps) {
    const sending = client.send('POST', step.path, step.body);
    sent.push({ ...step, result: await sending.then(() => 'done', getProblem) });
  }
  return sent;
}

/** Compares the store with the file of providers and tokens, if there is one, and logs how many requests lead to it. */
export async function compareFile(file: string, { providers, tokens }: Access, events: Events) {
  if (!existsSync(file)) return;
  const all = { from: NEWEST, limit: NEWEST, state: undefined };
  const compared = { file, command: 'scim-bridge provider plan', changes: 0, problem: '' };
  try {
    const declared = readDeclared(file, (path) => readFileSync(path, 'utf8'));
    const listed = (await tokens.list(all)).map(toTokenView);
    compared.changes = planRequests(declared, await providers.list(all), listed).steps.length;
  } catch (error) {
    compared.problem = getProblem(error);
  }
  events.providersCompared(compared);
}

/** The message of an error that is no bug. @throws any other */
function getProblem(error: unknown): string {
  if (error instanceof BridgeError) return error.message;
  throw error;
}
