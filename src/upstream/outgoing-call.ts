import type { CallClass } from './call-class.ts';
import type { CallScope } from './call-scope.ts';
import { UpstreamError, type UpstreamErrorCode } from './errors.ts';
import type { FormBody } from './form-body.ts';
import type { Operation } from './operations/operation.ts';
import type { CallOptions } from './transport-options.ts';
import type { Turn } from './turns.ts';

/** A checked call on its way. */
export interface OutgoingCall {
  readonly operation: Operation;
  readonly args: unknown;
  readonly request: ReadyRequest;
  readonly callClass: CallClass;
  readonly options: CallOptions;
}

/** The request in its form on the wire, with its files found. */
export interface ReadyRequest {
  /** Path with query, without the base URL. */
  readonly path: string;
  readonly body: string | FormBody | undefined;
}

/** One attempt of a call that has its turn. */
export interface Attempt {
  readonly call: OutgoingCall;
  readonly scope: CallScope;
  readonly turn: Turn;
  /** 1 for the first. */
  readonly number: number;
}

/** Error of an attempt that never left. */
export function toNotSent(
  code: UpstreamErrorCode,
  { operation }: Pick<OutgoingCall, 'operation'>,
  { detail, cause }: { detail: string; cause?: unknown },
): UpstreamError {
  const fate = { retry: 'later', outcome: 'not-sent' } as const;
  return new UpstreamError(code, { operation: operation.id, detail, cause, ...fate });
}
