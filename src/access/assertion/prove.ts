import { hash } from 'node:crypto';
import type { Trust } from '../../domain/trust.ts';
import { findCredential, parseTrust } from '../../store/credentials/credentials.ts';
import type { UsedAssertionsTable } from '../../store/schema.ts';
import type { Store } from '../../store/store.ts';
import type { PresentedAssertion } from '../oauth/parse-request.ts';
import { type Claims, checkClaims } from './check-claims.ts';
import type { IssuerKeys } from './issuer-keys.ts';
import { AssertionRefused, type RefusalReason } from './refused.ts';
import { parseKeyId, proveSignature, readSubject, spendProof } from './signature.ts';

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

/** Reasons that are found without looking at the signature. */
const BEFORE_SIGNATURE: ReadonlySet<RefusalReason> = new Set([
  ...(['malformed', 'type', 'critical', 'algorithm'] as const),
  ...(['unknown-client', 'no-trust', 'unknown-key'] as const),
]);

/**
 * Proves the client by an assertion: who signed it, what it says, and for how long.
 * @throws AssertionRefused, the same for the caller whatever is wrong; IssuerUnreadable; StoreError
 * @see RFC 7523 §3
 */
export async function proveAssertion(
  deps: AssertionDeps,
  presented: PresentedAssertion,
): Promise<ProvenAssertion> {
  let id: string | undefined;
  try {
    const keyId = parseKeyId(presented.assertion);
    id = parseClientId(presented);
    const trust = await findTrust(deps.store, id);
    return await prove(deps, { id, trust, keyId, text: presented.assertion });
  } catch (error) {
    if (!(error instanceof AssertionRefused)) throw error;
    if (BEFORE_SIGNATURE.has(error.reason)) await spendProof();
    const isKnown = id !== undefined && error.reason !== 'unknown-client';
    throw new AssertionRefused(error.reason, isKnown ? `client-${id}` : undefined, {
      cause: error.cause,
    });
  }
}

function parseClientId({ clientId, assertion }: PresentedAssertion): string {
  const [, id] = /^client-([0-9a-f]{16})$/.exec(clientId ?? readSubject(assertion)) ?? [];
  if (id === undefined) throw new AssertionRefused('unknown-client');
  return id;
}

async function findTrust({ read }: Store, id: string): Promise<Trust> {
  const row = await findCredential(read, 'client', id);
  if (row === undefined || row.revoked_at !== null) throw new AssertionRefused('unknown-client');
  const trust = parseTrust(row);
  if (trust === undefined) throw new AssertionRefused('no-trust');
  return trust;
}

/** An assertion, and what its client trusts. */
interface Proof {
  readonly id: string;
  readonly trust: Trust;
  readonly keyId: string | undefined;
  readonly text: string;
}

async function prove(
  { clock, issuerKeys, ownAudiences }: AssertionDeps,
  proof: Proof,
): Promise<ProvenAssertion> {
  const { id, trust } = proof;
  const issuer = trust.issuer ?? `client-${id}`;
  const expected = {
    ...trust,
    issuer,
    audiences: trust.audiences.length === 0 ? ownAudiences : trust.audiences,
    subject: trust.issuer === null ? issuer : undefined,
  };
  const claims = await readClaims(issuerKeys, issuer, proof);
  const check = checkClaims(claims, expected, clock.now());
  if (check.kind === 'wrong') throw new AssertionRefused(check.reason);
  if (check.id === undefined) return { clientId: id, used: undefined };
  const digest = hash('sha256', JSON.stringify([issuer, check.id]));
  const used = { digest, client_id: id, expires_at: Math.ceil(check.endsAt) };
  return { clientId: id, used };
}

/** Proves the signature; keys that may be too old are read again, once. */
async function readClaims(
  issuerKeys: IssuerKeys,
  issuer: string,
  { trust: { keys: source }, keyId, text }: Proof,
): Promise<Claims> {
  if (source.kind === 'given') return proveSignature(text, source.keys);
  const place = { issuer, source };
  const held = await issuerKeys.get(place);
  try {
    return await proveSignature(text, held.keys);
  } catch (error) {
    if (!(error instanceof AssertionRefused)) throw error;
    // A newer key may have signed: one that is not there, or any if the header names none.
    const mayBeNewer =
      error.reason === 'unknown-key' || (error.reason === 'signature' && keyId === undefined);
    if (!mayBeNewer) throw error;
  }
  return proveSignature(text, (await issuerKeys.renew(place, held)).keys);
}
