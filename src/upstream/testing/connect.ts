import { onTestFinished } from 'vitest';
import { UpstreamError } from '../errors.ts';
import { scim } from '../operations/scim.ts';
import {
  type CallOptions,
  createTransport,
  type Transport,
  type TransportOptions,
} from '../transport.ts';
import { createEagerClock } from './fake-clock.ts';
import { type Answering, sendJson } from './service.ts';

const token = 'a1b2c3-secret';

/** A transport to the test's service, without a rate, on a clock that never waits; it ends with the test. */
export function connect(baseUrl: string, options: Partial<TransportOptions> = {}): Transport {
  const transport = createTransport({
    baseUrl,
    token,
    requestsPerSecond: 0,
    clock: createEagerClock(),
    random: () => 0.5,
    ...options,
  });
  onTestFinished(() => transport.close());
  return transport;
}

/** The error of a failed call. @throws Error when it did not fail, or with another error. */
export async function failureOf(call: Promise<unknown>): Promise<UpstreamError> {
  const error = await call.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (error instanceof UpstreamError) return error;
  throw new Error('the call did not fail as expected', { cause: error });
}

/** Answers with a small object. */
export const ok: Answering = (res) => sendJson(res, 200, { id: 1 });

/** Cuts the connection instead of answering. */
export const cut: Answering = (res) => res.destroy();

/** A call that may be repeated. */
export function getUser(transport: Transport, options?: CallOptions): Promise<unknown> {
  return transport.call(scim.getUser, { path: { user_id: 1 } }, options);
}

/** A call that may not. */
export function addUser(transport: Transport, options?: CallOptions): Promise<unknown> {
  return transport.call(scim.addUser, { body: { emails: ['a@example.com'] } }, options);
}
