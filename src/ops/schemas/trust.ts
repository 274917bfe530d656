import { z } from 'zod';
import { type JsonOf, word } from './kinds.ts';

const LONG = 1_024;

const text = (what: string) =>
  z
    .string({ error: `${what} is a text.` })
    .min(1)
    .max(LONG);

/** Trust of a client as an operator is shown it. */
export const trust = z
  .strictObject({
    issuer: z.string().nullable().describe('`iss`; null: the id of the client, as `sub` is then.'),
    audiences: z
      .array(z.string())
      .describe('`aud` is one of them; none: the address for tokens, or that of the bridge.'),
    claims: z
      .array(
        z.strictObject({
          name: z.string(),
          values: z.array(z.string()).describe('May name somebody.'),
        }),
      )
      .describe('Claims that an assertion has, each with one of these values.'),
    keysFrom: word(['issuer', 'address', 'given']),
    jwksUri: z.string().nullable().describe('Where the keys are read; null: elsewhere.'),
    keyIds: z.array(z.string().nullable()).describe('Those of the keys that were given.'),
    lifetimeSeconds: z.int().describe('The longest validity of an assertion.'),
    once: z
      .string()
      .nullable()
      .describe('The claim that tells assertions apart, so that each is taken once; null: again.'),
  })
  .describe('What the assertions of a client have to say, and whose keys sign them.');
/** A trust as an operator is shown it. */
export type TrustView = JsonOf<typeof trust>;

/** A trust that is to be made. */
export const trustBody = z
  .strictObject(
    {
      issuer: text('issuer')
        .optional()
        .describe('`iss`, exactly; when left out, the client signs for itself.'),
      audiences: z
        .array(text('audiences'))
        .max(10)
        .optional()
        .describe('`aud` is one of them, exactly; with an issuer at least one.'),
      claims: z
        .record(text('claims'), z.array(text('claims')).min(1).max(20))
        .optional()
        .describe('Claims with the values that each may have; with an issuer at least one.'),
      jwksUri: text('jwksUri')
        .optional()
        .describe('Where the keys are; when left out, the description of the issuer says it.'),
      jwks: z
        .looseObject({ keys: z.array(z.looseObject({})) })
        .optional()
        .describe('The keys themselves; of private ones the public part alone is kept.'),
      lifetime: z
        .string()
        .optional()
        .describe('The longest validity of an assertion, from `10s` to `24h`; `5m` when left out.'),
      once: z
        .string()
        .min(1)
        .max(64)
        .nullable()
        .optional()
        .describe('A claim; `jti` when left out. null: an assertion may be presented again.'),
    },
    {
      error:
        'trust may be {"issuer", "audiences", "claims", "jwksUri", "jwks", "lifetime", "once"}, and nothing else.',
    },
  )
  .describe('For a client that proves itself by assertions and has no secret.');
/** A trust that an operator asks for. */
export type TrustBody = JsonOf<typeof trustBody>;
