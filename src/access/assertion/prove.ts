import { hash } from 'node:crypto';
import type { KeySource, Trust } from '../../domain/trust.ts';
import { findClient, parseTrust } from '../../store/credentials/clients.ts';
import type { UsedAssertionsTable } from '../../store/schema.ts';
import type { Store } from '../../store/store.ts';
import type { PresentedAssertion } from '../oauth/parse-request.ts';
import { type Claims, checkClaims, type Expectation } from './check-claims.ts';
import type { IssuerKeys } from './issuer-keys.ts';
import { AssertionRefused, type RefusalReason } from './refused.ts';
import { type AssertionHeader, parseHeader, proveSignature, spendProof } from './signature.ts';

/** Dependencies of `proveAssertion`. */
export interface AssertionDeps {
  readonly store: Store;
  readonly clock: { now(): number };
  readonly issuerKeys: IssuerKeys;
  /** Audiences of a client that signs for itself: the address for tokens, and that of the bridge. */
  readonly ownAudiences: readonly string[];
}

/** The client that an assertion proved. */
interface ProvenAssertion {
  readonly clientId: string;
  /** Entry that has to be new when the access token is made; undefined: it may be taken again. */
  readonly used: UsedAssertionsTable | undefined;
}

/**
 * Proves the client by an assertion: who signed it, what it says, and for how long.
 * @throws AssertionRefused, the same for the caller whatever is wrong; IssuerUnreadable; StoreError
 * @see RFC 7523 §3
 */
export async function proveAssertion(
  deps: AssertionDeps,
  presented: PresentedAssertion,
): Promise<ProvenAssertion> {
  try {
    return await proveWhole(deps, presented);
  } catch (error) {
    if (error instanceof AssertionRefused && BEFORE_SIGNATURE.has(error.reason)) await spendProof();
    throw error;
  }
}

/** Reasons that are found without looking at the signature. */
const BEFORE_SIGNATURE: ReadonlySet<RefusalReason> = new Set([
  ...(['malformed', 'type', 'critical', 'algorithm'] as const),
  ...(['unknown-client', 'no-trust', 'unknown-key'] as const),
]);

async function proveWhole(
  deps: AssertionDeps,
  presented: PresentedAssertion,
): Promise<ProvenAssertion> {
  const header = parseHeader(presented.assertion);
  const { id, trust } = await findTrust(deps, presented);
  const clientId = `client-${id}`;
  const expected = toExpectation(clientId, trust, deps.ownAudiences);
  try {
    const claims = await prove(deps, presented.assertion, { header, trust, expected });
    const check = checkClaims(claims, expected, deps.clock.now());
    if (check.kind === 'wrong') throw new AssertionRefused(check.reason);
    const { id: assertionId, endsAt } = check;
    return {
      clientId: id,
      used: assertionId === undefined ? undefined : toUsed(expected, { id, assertionId, endsAt }),
    };
  } catch (error) {
    if (!(error instanceof AssertionRefused)) throw error;
    throw new AssertionRefused(error.reason, clientId, { cause: error.cause });
  }
}

async function findTrust(
  { store }: AssertionDeps,
  { clientId, assertion }: PresentedAssertion,
): Promise<{ id: string; trust: Trust }> {
  const [, id] = /^client-([0-9a-f]{16})$/.exec(clientId ?? readSubject(assertion)) ?? [];
  const row = id === undefined ? undefined : await findClient(store.read, id);
  if (row === undefined || row.revoked_at !== null) throw new AssertionRefused('unknown-client');
  const trust = parseTrust(row);
  if (trust === undefined) throw new AssertionRefused('no-trust', `client-${row.id}`);
  return { id: row.id, trust };
}

/** The subject of an assertion before anything is proven: it only says whose keys are to be tried. */
function readSubject(assertion: string): string {
  const [, payload = ''] = assertion.split('.');
  try {
    return String(Object(JSON.parse(Buffer.from(payload, 'base64url').toString('utf8'))).sub);
  } catch (cause) {
    throw new AssertionRefused('malformed', undefined, { cause });
  }
}

function toExpectation(
  clientId: string,
  { issuer, audiences, claims, lifetimeMs, once }: Trust,
  ownAudiences: readonly string[],
): Expectation {
  return {
    issuer: issuer ?? clientId,
    audiences: audiences.length === 0 ? ownAudiences : audiences,
    subject: issuer === null ? clientId : undefined,
    ...{ claims, lifetimeMs, once },
  };
}

/** Parts of a proof. */
interface Proof {
  readonly header: AssertionHeader;
  readonly trust: Trust;
  readonly expected: Expectation;
}

/** Proves the signature; keys that may be too old are read again, once. */
async function prove(
  { issuerKeys }: AssertionDeps,
  text: string,
  { header, trust: { keys: source }, expected: { issuer } }: Proof,
): Promise<Claims> {
  if (isGiven(source)) return proveSignature(text, source.keys);
  const place = { issuer, source };
  const held = await issuerKeys.get(place);
  try {
    return await proveSignature(text, held.keys);
  } catch (error) {
    if (!(error instanceof AssertionRefused) || !mayBeNewer(error, header)) throw error;
  }
  const { keys } = await issuerKeys.renew(place, held);
  return proveSignature(text, keys);
}

function isGiven(source: KeySource): source is Extract<KeySource, { readonly kind: 'given' }> {
  return source.kind === 'given';
}

/** True when a newer key may have signed: one that is not there, or any where the header names none. */
function mayBeNewer({ reason }: AssertionRefused, { kid }: AssertionHeader): boolean {
  return reason === 'unknown-key' || (reason === 'signature' && kid === undefined);
}

function toUsed(
  { issuer }: Expectation,
  { id, assertionId, endsAt }: { id: string; assertionId: string; endsAt: number },
): UsedAssertionsTable {
  const digest = hash('sha256', JSON.stringify([issuer, assertionId]));
  return { digest, client_id: id, expires_at: Math.ceil(endsAt) };
}
