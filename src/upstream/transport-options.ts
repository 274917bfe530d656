import type { AnswerHead, AnswerHeaders } from './answer-body.ts';
import type { Clock } from './clock.ts';
import type { UpstreamError } from './errors.ts';
import type { Answerer, RequestContext, RequestDispatcher, WireRequest } from './exchange.ts';
import type { FilePaths } from './form.ts';
import type { Operation } from './operations/operation.ts';
import type { GateChange } from './probe-gate.ts';
import type { CallClass } from './waiting-room.ts';

/** Options of a transport. */
export interface TransportOptions {
  /** `https://company.example`, with a path when the service lives below one. */
  readonly baseUrl: string;
  /** Sent as the bearer token of every call. */
  readonly token: string;
  /** Prefix of REST paths: `/api/latest` (the default) or `/api/v1`. */
  readonly apiVersion?: 'latest' | 'v1' | undefined;
  /** 0 means no limit. Never more than this leave in any second. */
  readonly requestsPerSecond: number;
  /** Added to that second, in milliseconds, because requests arrive closer together than they leave; 50 by default. */
  readonly rateMarginMs?: number | undefined;
  /** Until then (epoch milliseconds) other senders may have used all of the rate; when left out, none has. */
  readonly spentAt?: number | undefined;
  /** Requests under way at the same time; 64 by default. */
  readonly inFlightMax?: number | undefined;
  /** Calls that may wait for their turn; 10,000 by default, then `overloaded`. */
  readonly queueMax?: number | undefined;
  /** Attempts of one call, the first included; 3 by default. */
  readonly attemptsMax?: number | undefined;
  /** URL of an HTTP proxy. */
  readonly proxy?: string | undefined;
  /** Replaces the pool of our own (`Agent`, `Pool`, `MockAgent`, … of undici 7 or newer); the caller closes it. */
  readonly dispatcher?: RequestDispatcher | Answerer | undefined;
  readonly timeouts?: Partial<Timeouts> | undefined;
  /** Bytes of one answer at most; 32 MiB by default (a group of 100,000 members is about 10 MB). */
  readonly responseBytesMax?: number | undefined;
  readonly userAgent?: string | undefined;
  /** Treatment of text in the place of a file: as the path of a local one, or `refuse`, the default. */
  readonly filePaths?: FilePaths | undefined;
  /**
   * `message`: the messages of errors end with the service's words, which may hold personal data; when left out, only
   * `words` has them.
   */
  readonly wordsIn?: 'message' | undefined;
  readonly clock: Clock;
  /** Uniform in [0, 1). */
  readonly random: () => number;
  readonly hooks?: TransportHooks | undefined;
}

/** Limits of time, in milliseconds. */
export interface Timeouts {
  /** To make a connection; 5 s. */
  readonly connectMs: number;
  /** From sending to the head of the answer; 15 s. */
  readonly headersMs: number;
  /** Between two pieces of the body; 15 s. */
  readonly bodyMs: number;
  /** One call from its first turn on, over all attempts and pauses; waiting for that turn not counted; 30 s. */
  readonly callMs: number;
}

/** Hooks for observers. They must not throw, but for `beforeSend`. */
export interface TransportHooks {
  /** Called when an attempt is made. The request carries the token and may hold personal data. */
  readonly onBegin?: ((attempt: AttemptName, request: WireRequest) => BegunAttempt) | undefined;
  /** Called after each attempt that left or tried to. */
  readonly onAttempt?: ((attempt: AttemptReport) => void) | undefined;
  /** Called when a call has its turn, after a wait or at once. */
  readonly onTurn?: ((turn: { callClass: CallClass; waitedMs: number }) => void) | undefined;
  /** Called after a 429, and once the service takes calls again. */
  readonly onPause?: ((pause: PauseReport) => void) | undefined;
  /** Called when a gate shuts or opens; not when a probe finds it still shut. */
  readonly onGate?: ((gate: GateReport) => void) | undefined;
  /** Called when the service begins to send the calls of an operation elsewhere (3xx), and when it takes them again. */
  readonly onRedirect?: ((redirect: GateChange & { operation: string }) => void) | undefined;
  /** Called each time that a shut gate refuses a call. */
  readonly onRefused?: ((gate: GateReport['gate']) => void) | undefined;
  /**
   * Called before each attempt of a mutating call, when its turn has come and its caller still wants it sent. An
   * exception stops the call (`stopped`); this attempt has sent nothing then.
   */
  readonly beforeSend?: ((sending: Sending) => void | Promise<void>) | undefined;
  /**
   * Called before each mutating call: the reason why none may be sent now, undefined when it may. The call ends with
   * that code.
   */
  readonly writesRefused?: (() => WritesRefused | undefined) | undefined;
  /** Called when a request is about to be written to its connection: false keeps it back, as one whose time is over. */
  readonly mayLeave?: (() => boolean) | undefined;
}

/** Reason why nothing is changed in the service: it is only observed, or an operator paused it. */
export type WritesRefused = 'observe-mode' | 'writes-paused';

/** Change of a gate: of the token (401), or of the service (5xx, no connection). */
export interface GateReport extends GateChange {
  readonly gate: 'credentials' | 'service';
}

/**
 * Beginning or end of a pause of all calls. `streak` is 1 for the first, one more each time the probe after a pause is
 * answered with 429 again.
 */
type PauseReport =
  | { readonly kind: 'paused'; readonly forMs: number; readonly streak: number }
  | { readonly kind: 'over'; readonly afterMs: number };

/** A call about to leave. `args` may hold personal data. */
export interface Sending extends RequestContext {
  readonly attempt: number;
  readonly callClass: CallClass;
  readonly key: string | undefined;
}

/** Names an attempt, from 1 on. */
export interface AttemptName {
  readonly operation: string;
  readonly attempt: number;
}

/** Attempt that an observer follows. */
interface BegunAttempt {
  /** Sent with the request. */
  readonly headers?: Readonly<Record<string, string>>;
  ended(report: AttemptReport): void;
}

/** Outcome of one attempt, without personal data. */
export interface AttemptReport extends AttemptName {
  /** HTTP status; undefined when no answer came. */
  readonly status: number | undefined;
  /** Code of the error, undefined when the attempt succeeded. */
  readonly code: string | undefined;
  /** Time from sending to the end of the answer, in milliseconds. */
  readonly durationMs: number;
  readonly requestId: string | undefined;
  /** Headers of the answer; none when no answer came. */
  readonly headers: AnswerHeaders;
  /** True when the caller gave up or was at fault: the outcome says nothing about the service. */
  readonly isAbandoned: boolean;
}

/** Options of one call. */
export interface CallOptions {
  /** `pass` by default. */
  readonly class?: CallClass | undefined;
  /** The resource of the call; resources take turns. */
  readonly key?: string | undefined;
  /** Aborts the call; the error's code is `aborted`. */
  readonly signal?: AbortSignal | undefined;
  /** Replaces `timeouts.callMs`: milliseconds from now, with the wait for the first turn. */
  readonly timeoutMs?: number | undefined;
  /** Attempts of this call, the first included, in place of those of any call; 1: it is never repeated. */
  readonly attemptsMax?: number | undefined;
  /** `safe`: a lost answer may be repeated blindly; `unsafe`: it may not. In place of what is known of the operation. */
  readonly repeat?: Operation['repeat'] | undefined;
  /** Headers of this call, beside those that the transport sets itself or in place of `accept` and `user-agent`. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** Called with the head of the answer that the call returns. */
  readonly onAnswer?: ((head: AnswerHead) => void) | undefined;
  /** Like the hook, for this call alone and for reads too: the last check before it leaves. */
  readonly beforeSend?: ((sending: Sending) => void | Promise<void>) | undefined;
  /**
   * Called at the end of each attempt, before it is repeated or the call returns; undefined: it succeeded. Must not
   * throw.
   */
  readonly afterSend?: ((error: UpstreamError | undefined) => void) | undefined;
  /** True for a call in place of one that had its turn and was stopped: it goes before its whole class. */
  readonly again?: boolean | undefined;
  /**
   * Bytes above which a successful answer is not kept, and the call returns undefined: for calls that can do without
   * their answer.
   */
  readonly skipAnswerAboveBytes?: number | undefined;
}

/** The longest time that a timer of Node can measure; a longer one fires at once. */
const MS_MAX = 2 ** 31 - 1;

/** @throws TypeError unless this is a time in milliseconds above 0 that a timer can measure. */
export function assertMs(name: string, ms: number): void {
  if (ms > 0 && ms <= MS_MAX) return;
  throw new TypeError(`${name} must be milliseconds above 0 and up to ${MS_MAX}, got ${ms}`);
}

/** @throws TypeError unless this is a whole number from `min` on. */
export function assertCount(name: string, count: number, min: number): void {
  if (Number.isSafeInteger(count) && count >= min) return;
  throw new TypeError(`${name} must be a whole number from ${min} on, got ${count}`);
}
