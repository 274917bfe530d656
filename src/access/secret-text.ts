import { hash, randomBytes, timingSafeEqual } from 'node:crypto';
import { newId } from '../domain/values.ts';
import type { CredentialRow, NewCredential } from '../store/credentials.ts';
import { findCredential } from '../store/credentials.ts';
import type { Db } from '../store/store.ts';

/** Purpose of a text that the bridge made: a named token, an access token, the secret of a client, a session. */
type SecretKind = (typeof KINDS)[number];
const KINDS = ['token', 'access', 'secret', 'session'] as const;

/** Random bytes in a secret. */
const SECRET_BYTES = 32;
/** One beginning for all texts, so that secret scanners find them. */
const FORM = /^scimbridge_([a-z]+)_([0-9a-f]{16})_([\w-]{43})$/;

/** Makes a secret of 256 bits with an id to find it by: `text` is shown once, and only `digest` is stored. */
export function newSecret(kind: SecretKind) {
  const id = newId();
  const secret = randomBytes(SECRET_BYTES).toString('base64url');
  return { id, digest: toDigest(secret), text: `scimbridge_${kind}_${id}_${secret}` };
}

/** Makes a credential with a secret. Times are in milliseconds; `validForMs` null: it does not end by itself. */
export function newCredential(
  kind: SecretKind,
  { now, by, validForMs, ...fields }: CredentialFields,
): { readonly row: NewCredential; readonly text: string } {
  const { text, ...secret } = newSecret(kind);
  const expires_at = validForMs === null ? null : now + validForMs;
  return { row: { ...fields, ...secret, kind, created_at: now, created_by: by, expires_at }, text };
}

type Times = 'created_at' | 'created_by' | 'expires_at';
interface CredentialFields extends Omit<NewCredential, 'kind' | 'id' | 'digest' | Times> {
  readonly now: number;
  /** Id of the credential that asks. */
  readonly by: string;
  readonly validForMs: number | null;
}

/** Splits a presented text that has the form of ours; its validity is another question. */
export function findPresented(text: string) {
  const [, named, id, secret] = FORM.exec(text) ?? [];
  const kind = KINDS.find((one) => one === named);
  if (kind === undefined || id === undefined || secret === undefined) return undefined;
  return { kind, id, digest: toDigest(secret) };
}

/** The credential of one of these kinds that a text presents, unless it was revoked or has expired. @throws StoreError */
export async function findPresentedRow(
  db: Db,
  text: string,
  { kinds, now }: { readonly kinds: readonly SecretKind[]; readonly now: number },
): Promise<CredentialRow | undefined> {
  const made = findPresented(text);
  const given = { kind: 'token', ...toGivenSecret(toDigest(text)) } as const;
  for (const { kind, id, digest } of made ? [made, given] : [given]) {
    const row = kinds.includes(kind) ? await findCredential(db, kind, id) : undefined;
    const isValid = row?.revoked_at === null && (row.expires_at === null || row.expires_at > now);
    if (isSame(digest, row?.digest) && isValid) return row;
  }
  return undefined;
}

/** A secret that the bridge did not make: it is found by the beginning of its digest. */
export const toGivenSecret = (digest: string) => ({ id: digest.slice(0, 16), digest });

/** Compares in constant time, also where nothing is stored: time does not tell which ids exist. */
export function isSame(presented: string, kept: string | undefined): boolean {
  const expected = Buffer.from(kept ?? NOTHING, 'hex');
  return timingSafeEqual(Buffer.from(presented, 'hex'), expected) && kept !== undefined;
}

const NOTHING = '00'.repeat(32);

/** One round of SHA-256 cannot be reversed for 256 random bits; who gives a digest answers for its secret. */
export const toDigest = (secret: string) => hash('sha256', secret);
