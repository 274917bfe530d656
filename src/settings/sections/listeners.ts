import { z } from 'zod';
import { duration, httpUrl, secret, wholeNumber } from '../kinds.ts';

/** Limits of connections and requests, with or without a credential. */
export const serverSchema = z.strictObject({
  connectionsMax: wholeNumber({ min: 10, max: 1_000_000 })
    .prefault(10_000)
    .describe('Connections to one listener; one more is closed at once.'),
  requestTimeout: duration({ min: '1s', max: '10m' })
    .prefault('60s')
    .describe(
      'How long a request may take to come, with its body; its headers have 15 s of that. Then it is answered with 408 and its connection is closed.',
    ),
  answerTimeout: duration({ min: '1s', max: '10m' })
    .prefault('60s')
    .describe('How long a reader may take for an answer; then its connection is closed.'),
  idleTimeout: duration({ min: '1s', max: '10m' })
    .prefault('75s')
    .describe(
      'How long a connection is kept that asks for nothing. Longer than the load balancer in front keeps its own, or some requests will meet a connection that is being closed.',
    ),
});

/** The operators' interface and monitoring. */
export const opsSchema = z.strictObject({
  token: secret({ charactersMin: 16 })
    .optional()
    .describe(
      'What operators present at `/metrics` and below `/ops`, beside the named tokens that `scim-bridge token create --for operator` makes. Who has it can do whatever `upstream.token` can: see docs/command-line.md#call-the-service.',
    ),
  readerToken: secret({ charactersMin: 16 })
    .optional()
    .describe(
      'What may read at `/metrics` and below `/ops` and do nothing else, for monitoring: 403 for the rest.',
    ),
  metricsToken: secret({ charactersMin: 16 })
    .optional()
    .describe(
      'What may read `/metrics` and nothing else, for a monitoring that is to know nobody.',
    ),
  commandToken: secret({ charactersMin: 16 })
    .optional()
    .describe(
      'What the commands of this environment present in place of `ops.token`: a token of the person who runs them, by whose name `scim-bridge acts` tells what they did.',
    ),
  url: httpUrl()
    .optional()
    .describe(
      'Where the commands that ask the running bridge ([command-line.md](command-line.md)) reach it; when not set, at `host` and `ops.port` or `port`. When set, `scim-bridge api` goes through that bridge too.',
    ),
  port: wholeNumber({ min: 0, max: 65_535 })
    .optional()
    .describe('Puts `/metrics` and everything below `/ops` on a listener of their own.'),
});
