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

const saneRequestId = /^[\w.:+/=@-]{1,128}$/;

/**
 * The id of a request: the caller's own (`X-Request-Id`) if it has at most 128 harmless characters, else a new one.
 * @param generate makes a new id
 */
export function toRequestId(header: string | undefined, generate: () => string): string {
  return header !== undefined && saneRequestId.test(header) ? header : generate();
}
