import { z } from 'zod';
import { duration, httpUrl, secret, wholeNumber } from '../kinds.ts';

/** Limits of connections and requests, with or without a credential. */
export const serverSchema = z.strictObject({
  connectionsMax: wholeNumber({ min: 10, max: 1_000_000 })
    .prefault(10_000)
    .describe('Most connections to one listener; more are closed at once.'),
  requestTimeout: duration({ min: '1s', max: '10m' })
    .prefault('60s')
    .describe(
      'How long a request may take to arrive, body included; 15 s for the headers. Then it is 408 and the connection is closed.',
    ),
  answerTimeout: duration({ min: '1s', max: '10m' })
    .prefault('60s')
    .describe('How long a client may take to read an answer. Then the connection is closed.'),
  idleTimeout: duration({ min: '1s', max: '10m' })
    .prefault('75s')
    .describe(
      'How long an idle connection stays open. It must be longer than the idle time of the proxy in front, or some requests fail.',
    ),
});

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
  metricsToken: secret({ charactersMin: 16 })
    .optional()
    .describe('Token that may read `/metrics` only, which names nobody.'),
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
