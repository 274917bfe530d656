import { randomUUID } from 'node:crypto';
import type { Response } from 'express';

/** Facts about a request that are known from its first byte on. */
export interface RequestContext {
  readonly requestId: string;
  /** Epoch milliseconds: the wait of a write runs from here. */
  readonly arrivedAt: number;
  /** Address of the client: it is not known any more once the connection is lost. */
  readonly remoteAddress: string;
  /** Id of the right credential that is refused because it came from outside its networks. */
  readonly outside?: string;
}

/** Event of an answer that is complete, also where nobody reads it any more: `finish` is silent there. */
export const ANSWERED = 'answered';

/** Keeps the context with the answer, where every later handler finds it. */
export function setRequestContext(res: Pick<Response, 'locals'>, context: RequestContext): void {
  res.locals.context = context;
}

/** The id that log lines of this request carry. */
export const getRequestId = (res: Response) => getRequestContext(res).requestId;

/** The context of the request. */
export function getRequestContext(res: Pick<Response, 'locals'>): RequestContext {
  const { context }: { context?: RequestContext } = res.locals;
  return context ?? { requestId: '-', arrivedAt: 0, remoteAddress: '' };
}

/** Does something once an answer has ended, or at once where its connection is lost already: `close` comes once. */
export function whenClosed(
  res: { readonly closed: boolean; once(event: 'close', act: () => void): unknown },
  act: () => void,
): void {
  if (res.closed) act();
  else res.once('close', act);
}

/** The id of a request: the caller's own (`X-Request-Id`) if it has at most 128 harmless characters, else a new one. */
export function toRequestId(header = ''): string {
  return /^[\w.:+/=@-]{1,128}$/.test(header) ? header : randomUUID();
}
