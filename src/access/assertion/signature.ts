import { type CompactVerifyResult, compactVerify, createLocalJWKSet, errors } from 'jose';
import type { JsonObject } from '../../domain/json.ts';
import { ASSERTION_ALGORITHMS, type PublicKey } from '../../domain/trust.ts';
import { AssertionRefused } from './refused.ts';

/** Longest assertion, in characters. */
const ASSERTION_MAX = 12_288;
/** Keys that are tried if the header does not say which one it is. */
const TRIED_MAX = 10;
/** Types that a token for a client to prove itself may have; none is one of them. @see RFC 7519 §5.1 */
const TYPES = new Set(['jwt', 'client-authentication+jwt']);
const OPTIONS = { algorithms: [...ASSERTION_ALGORITHMS] };

/**
 * Reads the id of the key from the header of an assertion; undefined: it is to be found by trying.
 * @throws AssertionRefused for what is none, or asks for more than is understood
 */
export function parseKeyId(text: string): string | undefined {
  if (text.length > ASSERTION_MAX || !/^[\w-]+\.[\w-]+\.[\w-]+$/.test(text)) {
    throw new AssertionRefused('malformed');
  }
  const { alg, kid, typ, crit, b64 } = parsePart(text, 0);
  if (crit !== undefined || b64 !== undefined) throw new AssertionRefused('critical');
  if (typeof alg !== 'string' || !ASSERTION_ALGORITHMS.includes(alg)) {
    throw new AssertionRefused('algorithm');
  }
  const type =
    typeof typ === 'string' ? typ.toLowerCase().replace(/^application\//, '') : 'no text';
  if (typ !== undefined && !TYPES.has(type)) throw new AssertionRefused('type');
  if (kid !== undefined && typeof kid !== 'string') throw new AssertionRefused('malformed');
  return kid;
}

/** The subject of an assertion before anything is proven: it only selects the keys that are tried. */
export function readSubject(text: string): string {
  return String(parsePart(text, 1).sub);
}

function parsePart(text: string, index: 0 | 1): JsonObject {
  return parseObject(Buffer.from(text.split('.')[index] ?? '', 'base64url'));
}

/**
 * Proves that one of the keys has signed an assertion, and reads its claims. `unknown-key`: none of them is the one of
 * the header.
 * @throws AssertionRefused
 */
export async function proveSignature(
  text: string,
  keys: readonly PublicKey[],
): Promise<Readonly<Record<string, unknown>>> {
  const { payload } = await verify(text, keys);
  return parseObject(payload);
}

/**
 * Takes as long as a proof does, if there is nothing to prove: so the time says no more than the words whether a client
 * or a key is known. The signature and its key are the example of RFC 7515 §A.3.
 */
export async function spendProof(): Promise<void> {
  await verify(EXAMPLE, [EXAMPLE_KEY]);
}

const EXAMPLE = [
  'eyJhbGciOiJFUzI1NiJ9',
  'eyJpc3MiOiJqb2UiLA0KICJleHAiOjEzMDA4MTkzODAsDQogImh0dHA6Ly9leGFtcGxlLmNvbS9pc19yb290Ijp0cnVlfQ',
  'DtEhU3ljbEg8L38VWAfUAqOyKAM6-Xx-F4GawxaepmXFCgfTjDxw5djxLa8ISlSApmWQxfKTUJqPP3-Kg6NU1Q',
].join('.');
const EXAMPLE_KEY: PublicKey = {
  ...{ kty: 'EC', crv: 'P-256' },
  x: 'f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU',
  y: 'x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0',
};

async function verify(text: string, keys: readonly PublicKey[]): Promise<CompactVerifyResult> {
  try {
    return await compactVerify(text, createLocalJWKSet({ keys: [...keys] }), OPTIONS);
  } catch (cause) {
    if (cause instanceof errors.JWKSNoMatchingKey) throw new AssertionRefused('unknown-key');
    if (!(cause instanceof errors.JWKSMultipleMatchingKeys)) throw unproven(cause);
    return tryEach(text, cause);
  }
}

/** Tries the keys that fit a header which names none. */
async function tryEach(
  text: string,
  fitting: InstanceType<typeof errors.JWKSMultipleMatchingKeys>,
): Promise<CompactVerifyResult> {
  let tried = 0;
  for await (const key of fitting) {
    tried += 1;
    if (tried > TRIED_MAX) break;
    try {
      return await compactVerify(text, key, OPTIONS);
    } catch (error) {
      if (!(error instanceof errors.JWSSignatureVerificationFailed)) throw unproven(error);
    }
  }
  throw new AssertionRefused('signature');
}

/** All that can go wrong with a text and a key is the fault of who sent the one or shows the other. */
function unproven(cause: unknown): AssertionRefused {
  return new AssertionRefused('signature', undefined, { cause });
}

/** @throws AssertionRefused for what is no JSON object in UTF-8 */
function parseObject(bytes: Uint8Array): JsonObject {
  try {
    const parsed: unknown = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
    if (typeof parsed === 'object' && parsed !== null && !Array.isArray(parsed)) {
      return parsed as JsonObject;
    }
  } catch (cause) {
    throw new AssertionRefused('malformed', undefined, { cause });
  }
  throw new AssertionRefused('malformed');
}
