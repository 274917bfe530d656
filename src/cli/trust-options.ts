import { InvalidArgumentError, Option } from 'commander';
import type { ClientView } from '../ops/schemas/access.ts';
import type { CliContext } from './context.ts';

/** Options of a client that proves itself by assertions. */
interface TrustOptions {
  readonly issuer?: string;
  readonly audience?: readonly string[];
  readonly claim?: ReadonlyMap<string, readonly string[]>;
  readonly jwksUri?: string;
  readonly jwksFile?: unknown;
  readonly lifetime?: string;
  readonly once?: string;
}

/** Creates the options that say what the assertions of a client have to say. */
export function trustOptions({ readFile }: Pick<CliContext, 'readFile'>): Option[] {
  const claim = '<name>=<value> that an assertion has; again for another claim, or another value';
  const audience = 'whom they are for; left out: the address for tokens';
  const parseFile = (path: string) => parseJsonFile(path, readFile);
  return [
    new Option('--issuer <issuer>', 'who signs its assertions; left out: the client itself'),
    new Option('--audience <audience>', `${audience}; again for another one`).argParser(addText),
    new Option('--claim <claim>', claim).argParser(addClaim),
    new Option('--jwks-uri <url>', 'where the keys are; left out: the issuer says it'),
    new Option('--jwks-file <file>', 'the keys themselves, as JSON; public parts alone are kept')
      // Read here, so that a wrong file is a wrong option.
      .argParser(parseFile),
    new Option('--lifetime <duration>', 'longest validity of an assertion; 5m when left out'),
    new Option('--once <claim>', 'claim by which each is taken once, jti; never: again and again'),
  ];
}

/** The part of a request for a client that says how it is proven; `trust` is there with any option of it. */
export function toProof(wish: TrustOptions): object {
  const {
    issuer,
    audience: audiences,
    claim,
    jwksUri,
    jwksFile: jwks,
    lifetime,
    once,
    ...rest
  } = wish;
  const trust = {
    ...{ issuer, audiences, jwksUri, jwks, lifetime },
    claims: claim && Object.fromEntries(claim),
    once: once === 'never' ? null : once,
  };
  const isAsked = Object.values(trust).some((value) => value !== undefined);
  return isAsked ? { ...rest, trust } : rest;
}

/** Lines about the assertions of a client. */
export function toTrustLines(trust: NonNullable<ClientView['trust']>): string[] {
  const { issuer, audiences, claims, keysFrom, jwksUri, keyIds, lifetimeSeconds, once } = trust;
  const given = keyIds.map((id) => id ?? 'one without an id').join(', ');
  const keys = { issuer: 'as the issuer says', address: jwksUri, given: `given: ${given}` };
  return [
    `  issuer    ${issuer ?? 'the client itself'}\n`,
    `  audience  ${audiences.join(', or ') || 'the address for tokens, or that of the bridge'}\n`,
    ...claims.map(({ name, values }) => `  ${name}  ${values.join(', or ')}\n`),
    `  keys      ${keys[keysFrom]}\n`,
    `  valid     ${lifetimeSeconds} s at most, ${once === null ? 'again and again' : `each once, by ${once}`}\n`,
  ];
}

function addText(text: string, before: readonly string[] = []): readonly string[] {
  return [...before, text];
}

/** @throws InvalidArgumentError */
function addClaim(
  text: string,
  before: ReadonlyMap<string, readonly string[]> = new Map(),
): ReadonlyMap<string, readonly string[]> {
  const [, name, value] = /^([^=]+)=(.+)$/s.exec(text) ?? [];
  if (name === undefined || value === undefined)
    throw new InvalidArgumentError('It is name=value.');
  return new Map([...before, [name, [...(before.get(name) ?? []), value]]]);
}

/** @throws InvalidArgumentError */
function parseJsonFile(path: string, readFile: CliContext['readFile']): unknown {
  try {
    return JSON.parse(readFile(path));
  } catch {
    throw new InvalidArgumentError('It cannot be read, or is no JSON.');
  }
}
