import { readFile } from 'node:fs/promises';
import { Webhook } from 'standardwebhooks';
import type { Clock } from '../domain/clock.ts';
import type { Receiver } from '../domain/notification.ts';
import { createOutbound, type OutboundPolicy, toFailureWords } from '../outbound/outbound.ts';

/** Result of one attempt: `down`: it says nothing of this notification. */
export type PostResult =
  | { readonly kind: 'delivered' }
  | { readonly kind: 'refused'; readonly error: string }
  | { readonly kind: 'down'; readonly error: string; readonly retryAfterMs: number };

/** Sends notifications. */
export type Poster = ReturnType<typeof createPoster>;

/** Longest time of one attempt, in milliseconds. */
const POST_MS = 15_000;
/** Bytes of an answer that are read before its connection is closed. */
const ANSWER_MAX = 16 * 1_024;
/** Longest pause that a receiver may ask for, in milliseconds. */
const RETRY_AFTER_MAX_MS = 3_600_000;

const NO_SECRET =
  'the file of the secret cannot be read, or holds no secret: whsec_ and base64 are wanted';

/** Creates the sender of one lead. */
export function createPoster(clock: Pick<Clock, 'now'>, policy: OutboundPolicy) {
  const outbound = createOutbound(policy, POST_MS);
  return {
    /** Sends a message once. Never throws. */
    async post(receiver: Receiver, message: Message): Promise<PostResult> {
      // Nothing of the error is logged: it may quote the secret.
      const headers = await toHeaders(receiver, message, clock.now()).catch(() => undefined);
      if (headers === undefined) return { kind: 'down', error: NO_SECRET, retryAfterMs: 0 };
      try {
        const request = { method: 'POST', headers, body: message.body } as const;
        const answer = await outbound.send(receiver.url, request);
        await answer.body.dump({ limit: ANSWER_MAX });
        return toResult(answer.statusCode, answer.headers['retry-after'], clock.now());
      } catch (error) {
        return { kind: 'down', error: toFailureWords(error), retryAfterMs: 0 };
      }
    },
    close: outbound.close,
  };
}

interface Message {
  readonly id: string;
  readonly body: string;
}

/** @see https://www.standardwebhooks.com (read 2026-11-22) */
async function toHeaders({ secretFile }: Receiver, { id, body }: Message, now: number) {
  const headers = { 'content-type': 'application/json' };
  if (secretFile === undefined) return headers;
  // Read each time, so that a new secret needs no restart.
  const secret = (await readFile(secretFile, 'utf8')).trim();
  return {
    ...headers,
    'webhook-id': id,
    'webhook-timestamp': String(Math.floor(now / 1_000)),
    'webhook-signature': new Webhook(secret).sign(id, new Date(now), body),
  };
}

function toResult(
  status: number,
  retryAfter: string | string[] | undefined,
  now: number,
): PostResult {
  const error = `answered with ${status}`;
  if (status >= 200 && status < 300) return { kind: 'delivered' };
  if (status < 500 && status !== 429 && status !== 408) return { kind: 'refused', error };
  return { kind: 'down', error, retryAfterMs: parseRetryAfter(`${retryAfter}`, now) };
}

/** Seconds or a date (RFC 9110 §10.2.3), in milliseconds; 0 for anything else. */
function parseRetryAfter(text: string, now: number): number {
  const askedMs = /^\d+$/.test(text) ? Number(text) * 1_000 : Date.parse(text) - now;
  return Math.min(Math.max(askedMs || 0, 0), RETRY_AFTER_MAX_MS);
}
