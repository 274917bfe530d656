import { z } from 'zod';
import type { PublicKey } from '../../domain/trust.ts';

/** Keys that one issuer may show. */
const KEYS_MAX = 100;

const text = z.string().max(2_048);

/** Public parts of a key alone, so that nothing of a private one is kept. */
const publicKey: z.ZodType<PublicKey> = z.object({
  kty: z.enum(['RSA', 'EC', 'OKP']),
  kid: text.exactOptional(),
  alg: text.exactOptional(),
  use: text.exactOptional(),
  key_ops: z.array(text).max(10).exactOptional(),
  crv: text.exactOptional(),
  n: text.exactOptional(),
  e: text.exactOptional(),
  x: text.exactOptional(),
  y: text.exactOptional(),
});

const keySet = z.object({ keys: z.array(z.unknown()).max(KEYS_MAX) });

/**
 * Reads a set of keys. Those of kinds that are not known, and shared ones, are left out (RFC 7517 §5).
 * @throws Error where it is no set, or none of its keys can be used
 */
export function parseKeys(document: unknown): PublicKey[] {
  const set = keySet.safeParse(document);
  if (!set.success) throw new Error(`no set of at most ${KEYS_MAX} keys`);
  const keys = set.data.keys.flatMap((one) => {
    const { data } = publicKey.safeParse(one);
    return data === undefined ? [] : [data];
  });
  if (keys.length === 0) throw new Error('a set without a public key');
  return keys;
}
