import type { AnswerHead } from '../upstream/answer-body.ts';
import { UpstreamError, unreadable } from '../upstream/errors.ts';
import type { Operation } from '../upstream/operations/operation.ts';
import type { CallOptions as TransportCallOptions } from '../upstream/transport.ts';
import type { Answering, AnswerWithResponse, CallOptions } from './client-types.ts';

type Send = (options: TransportCallOptions, head: () => AnswerHead | undefined) => Promise<unknown>;

/**
 * Makes a call whose promise gives the head of the answer too, and whose errors lead to the line that called.
 * @param method the function that was called: the lines below it are left out of the errors.
 */
export function answerTo(
  method: (...input: never[]) => unknown,
  options: CallOptions | undefined,
  send: Send,
): Answering<unknown> {
  const site = captureSite(method);
  let head: AnswerHead | undefined;
  const onAnswer = (answered: AnswerHead) => {
    head = answered;
  };
  const callOptions = { ...toTransportOptions(options), onAnswer };
  const sent = send(callOptions, () => head).catch((error: unknown) => {
    throw leadTo(site, error);
  });
  return Object.assign(sent, {
    async withResponse(): Promise<AnswerWithResponse<unknown>> {
      const content = await sent;
      if (head === undefined) throw new Error('a call ended without an answer');
      return { ...head, content };
    },
  });
}

/** The options of a call as the transport takes them. */
export function toTransportOptions({
  signal,
  timeoutMs,
  headers,
  attemptsMax,
  repeat,
}: CallOptions = {}): TransportCallOptions {
  return { signal, timeoutMs, headers, attemptsMax, repeat };
}

/**
 * Checks that an answer without content is to be expected: nothing is documented, or something was removed.
 * @throws UpstreamError `unreadable`; what was asked for may be done then.
 */
export function assertMayBeEmpty(operation: Operation, head: AnswerHead | undefined): void {
  const { id, method, response } = operation;
  if (response.kind === 'none' || method === 'DELETE') return;
  const words = `the service answered ${head?.status ?? 'something'} without the documented content`;
  throw unreadable(id, words, head);
}

/** Place in a program where a function of the client was called. */
export interface CallSite {
  readonly stack?: string;
}

/** Notes where a function of the client was called. */
export function captureSite(method: (...input: never[]) => unknown): CallSite {
  const site: CallSite = {};
  Error.captureStackTrace(site, method);
  return site;
}

/** Gives an error the frames of the call in place of the client's own, which are the same for every call. Returns the error. */
export function leadTo({ stack = '' }: CallSite, error: unknown): unknown {
  if (!(error instanceof UpstreamError || error instanceof TypeError)) return error;
  const frames = stack.split('\n').slice(1);
  if (frames.length > 0) error.stack = [`${error.name}: ${error.message}`, ...frames].join('\n');
  return error;
}
