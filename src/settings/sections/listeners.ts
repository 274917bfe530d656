import { z } from 'zod';
import { httpUrl, secret, wholeNumber } from '../kinds.ts';

/** The operators' interface and monitoring. */
export const opsSchema = z.strictObject({
  token: secret({ charactersMin: 16 })
    .optional()
    .describe(
      'Token of operators for `/metrics`, `/ops` and the console. Tokens of `scim-bridge token create --for operator` work too. An operator can do whatever `upstream.token` can: see docs/command-line.md#call-the-service.',
    ),
  readerToken: secret({ charactersMin: 16 })
    .optional()
    .describe('Token that may read `/metrics` and `/ops`; everything else is 403.'),
  commandToken: secret({ charactersMin: 16 })
    .optional()
    .describe(
      'Your own token, which commands use instead of `ops.token`. `scim-bridge acts` then shows your name.',
    ),
  url: httpUrl()
    .optional()
    .describe(
      'Address of the running bridge for [commands](command-line.md#reach-the-bridge). If not set: `host` with `ops.port` or `port`. If set, `scim-bridge api` uses that bridge too.',
    ),
  port: wholeNumber({ min: 0, max: 65_535 })
    .optional()
    .describe('A listener of its own for `/metrics`, `/ops` and the console.'),
});
