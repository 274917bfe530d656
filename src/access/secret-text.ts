import { hash, randomBytes, timingSafeEqual } from 'node:crypto';

/** What a text that the bridge made is for: a named token, an access token, the secret of a client. */
export type SecretKind = 'token' | 'access' | 'secret';

/** Bytes of chance in a secret. */
const SECRET_BYTES = 32;
const ID_BYTES = 8;
/** The same beginning for all, so that whoever scans for secrets finds them. */
const FORM = /^scimbridge_(token|access|secret)_([0-9a-f]{16})_([\w-]{43})$/;

/** A new secret: `text` is shown once, and only `digest` is kept. */
export interface NewSecret {
  readonly id: string;
  readonly digest: string;
  readonly text: string;
}

/** Makes a secret of 256 bits with an id to find it by. */
export function newSecret(kind: SecretKind): NewSecret {
  const id = randomBytes(ID_BYTES).toString('hex');
  const secret = randomBytes(SECRET_BYTES).toString('base64url');
  return { id, digest: toDigest(secret), text: `scimbridge_${kind}_${id}_${secret}` };
}

/** A text of ours as it was presented. */
export interface PresentedSecret {
  readonly kind: SecretKind;
  readonly id: string;
  readonly digest: string;
}

/** What was presented, when it has the form of such a text; that says nothing of whether it is valid. */
export function findPresented(text: string): PresentedSecret | undefined {
  const [, kind, id, secret] = FORM.exec(text) ?? [];
  if (kind === undefined || id === undefined || secret === undefined) return undefined;
  return { kind: parseKind(kind), id, digest: toDigest(secret) };
}

/**
 * Whether what was presented is what is kept, compared in constant time. With nothing kept something is compared all
 * the same, so that the time taken does not tell whether there is something with this id.
 */
export function isSame(presented: string, kept: string | undefined): boolean {
  const expected = Buffer.from(kept ?? NOTHING, 'hex');
  return timingSafeEqual(Buffer.from(presented, 'hex'), expected) && kept !== undefined;
}

const NOTHING = '00'.repeat(32);

/** A secret has 256 bits of chance: one round of SHA-256 cannot be gone back. */
function toDigest(secret: string): string {
  return hash('sha256', secret);
}

/** The form admits no other. */
function parseKind(kind: string): SecretKind {
  return kind as SecretKind;
}
