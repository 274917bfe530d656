import { hash } from 'node:crypto';
import { decodeJwt } from 'jose';
import type { Trust } from '../../domain/trust.ts';
import { findCredential, parseTrust } from '../../store/credentials/credentials.ts';
import type { UsedAssertionsTable } from '../../store/schema.ts';
import type { Store } from '../../store/store.ts';
import type { PresentedAssertion } from '../oauth/parse-request.ts';
import type { IssuerKeys } from './issuer-keys.ts';
import { AssertionRefused, namesKey, spendVerification, verifyAssertion } from './verify.ts';

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
const BEFORE_SIGNATURE: readonly string[] = [
  ...['malformed', 'type', 'critical', 'algorithm', 'unknown-client', 'no-trust', 'unknown-key'],
];

/**
 * Proves the client by an assertion: who signed it, what it says, and for how long.
 * @throws AssertionRefused, the same for the caller whatever is wrong; IssuerUnreadable; StoreError
 * @see RFC 7523 §3
 */
export async function proveAssertion(
  deps: AssertionDeps,
  presented: PresentedAssertion,
): Promise<ProvenAssertion> {
  let known: string | undefined;
  try {
    const isKeyNamed = namesKey(presented.assertion);
    const id = parseClientId(presented);
    const client = await findCredential(deps.store.read, 'client', id);
    if (client === undefined || client.revoked_at !== null)
      throw new AssertionRefused('unknown-client');
    known = `client-${id}`;
    const trust = parseTrust(client);
    if (trust === undefined) throw new AssertionRefused('no-trust');
    return await prove(deps, { id, trust, isKeyNamed, text: presented.assertion });
  } catch (error) {
    if (!(error instanceof AssertionRefused)) throw error;
    if (BEFORE_SIGNATURE.includes(error.reason)) await spendVerification();
    throw new AssertionRefused(error.reason, known, { cause: error.cause });
  }
}

/** The subject is not proven yet: it only selects the keys that are tried. */
function parseClientId({ clientId, assertion }: PresentedAssertion): string {
  const [, id] = /^client-([0-9a-f]{16})$/.exec(clientId ?? readSubject(assertion)) ?? [];
  if (id === undefined) throw new AssertionRefused('unknown-client');
  return id;
}

function readSubject(assertion: string): string {
  try {
    return String(decodeJwt(assertion).sub);
  } catch (cause) {
    throw new AssertionRefused('malformed', undefined, { cause });
  }
}

/** An assertion, and what its client trusts. */
interface Proof {
  readonly id: string;
  readonly trust: Trust;
  readonly isKeyNamed: boolean;
  readonly text: string;
}

async function prove(
  { clock, issuerKeys, ownAudiences }: AssertionDeps,
  { id, trust, isKeyNamed, text }: Proof,
): Promise<ProvenAssertion> {
  const issuer = trust.issuer ?? `client-${id}`;
  const expected = {
    ...trust,
    issuer,
    audiences: trust.audiences.length === 0 ? ownAudiences : trust.audiences,
    subject: trust.issuer === null ? issuer : undefined,
  };
  const source = trust.keys;
  const verified = await (source.kind === 'given'
    ? verifyAssertion(text, source.keys, expected, clock.now())
    : issuerKeys.withKeys(
        { issuer, source },
        (keys) => verifyAssertion(text, keys, expected, clock.now()),
        (error) => mayBeNewer(error, isKeyNamed),
      ));
  if (verified.id === undefined) return { clientId: id, used: undefined };
  const digest = hash('sha256', JSON.stringify([issuer, verified.id]));
  return {
    clientId: id,
    used: { digest, client_id: id, expires_at: Math.ceil(verified.endsAt) },
  };
}

/** True if a newer key may have signed: one that is not there, or any if the header names none. */
function mayBeNewer(error: unknown, isKeyNamed: boolean): boolean {
  if (!(error instanceof AssertionRefused)) return false;
  return error.reason === 'unknown-key' || (error.reason === 'signature' && !isKeyNamed);
}
