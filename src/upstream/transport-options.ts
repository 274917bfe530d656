import type { CallClass } from './call-class.ts';
import type { Clock } from './clock.ts';
import type { UpstreamError } from './errors.ts';
import type { WireRequest } from './exchange.ts';
import type { FilePaths } from './operations/form-parts.ts';
import type { Operation, Section } from './operations/operation.ts';
import type { RequestDispatcher } from './request-dispatcher.ts';
import type { SharedRate } from './shared-rate.ts';

/** What a transport is made of. */
export interface TransportOptions {
  /** `https://company.example`, with a path where the service lives below one. */
  readonly baseUrl: string;
  /** Sent as the bearer token of every call. */
  readonly token: string;
  /** Prefix of REST paths: `/api/latest` (the default) or `/api/v1`. */
  readonly apiVersion?: 'latest' | 'v1' | undefined;
  /** 0 means no limit. Never more than this leave in any second. */
  readonly requestsPerSecond: number;
  /** Added to that second, in milliseconds, because requests arrive closer together than they leave; 50 by default. */
  readonly rateMarginMs?: number | undefined;
  /** Until then (epoch milliseconds) others may have sent as many as the rate allows; when left out, nobody has. */
  readonly spentAt?: number | undefined;
  /** Requests on their way at the same time; 64 by default. */
  readonly inFlightMax?: number | undefined;
  /** Calls that may wait for their turn; 10,000 by default, then `overloaded`. */
  readonly queueMax?: number | undefined;
  /** Attempts of one call, the first included; 3 by default. */
  readonly attemptsMax?: number | undefined;
  /** URL of an HTTP proxy. */
  readonly proxy?: string | undefined;
  /** Sends instead of a pool of our own (`Agent`, `Pool`, `MockAgent`, … of undici 7 or newer); stays the caller's to close. */
  readonly dispatcher?: RequestDispatcher | undefined;
  readonly timeouts?: Partial<Timeouts> | undefined;
  /** Bytes of one answer at most; 32 MiB by default (a group of 100,000 members is about 10 MB). */
  readonly responseBytesMax?: number | undefined;
  readonly userAgent?: string | undefined;
  /** Whether text in the place of a file is the path of a local one; `refuse` by default. */
  readonly filePaths?: FilePaths | undefined;
  /** The rate is shared with others that have the same token; the rate and its margin are the same for all of them. */
  readonly shared?: SharedRate | undefined;
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

/** Where others look in. Hooks must not throw, but for `beforeSend`. */
export interface TransportHooks {
  /** When an attempt leaves. The request carries the token and may hold personal data. */
  readonly onSend?: ((attempt: AttemptName, request: WireRequest) => void) | undefined;
  /** After each attempt that left or tried to; the request as in `onSend`. */
  readonly onAttempt?: ((attempt: AttemptReport, request: WireRequest) => void) | undefined;
  /** When a call has its turn, after waiting for it or not. */
  readonly onTurn?: ((turn: TurnReport) => void) | undefined;
  /** When the service said "too many" (429), and once it takes calls again. */
  readonly onPause?: ((pause: PauseReport) => void) | undefined;
  /** When a gate shuts or opens; not when a probe finds it still shut. */
  readonly onGate?: ((gate: GateReport) => void) | undefined;
  /** Each time that a shut gate refuses a call. */
  readonly onRefused?: ((gate: GateReport['gate']) => void) | undefined;
  /**
   * Before each attempt of a mutating call, when its turn has come and its caller still wants it sent. Throwing stops
   * the call (`stopped`); nothing was sent by this attempt then.
   */
  readonly beforeSend?: ((sending: Sending) => void | Promise<void>) | undefined;
  /** Asked before each mutating call: why none may be sent now, undefined when it may. The call ends with that code. */
  readonly writesRefused?: (() => WritesRefused | undefined) | undefined;
}

/** Why nothing is changed in the service: it is only observed, or an operator asked for a pause. */
export type WritesRefused = 'observe-mode' | 'writes-paused';

/** What a call waited for its turn, in milliseconds. */
export interface TurnReport {
  readonly callClass: CallClass;
  readonly waitedMs: number;
}

/** The service asked for a pause of all calls, or the one that was asked for is over. */
export type PauseReport =
  | {
      readonly kind: 'paused';
      readonly forMs: number;
      /** 1 for the first, one more each time the probe after a pause is answered with 429 again. */
      readonly streak: number;
    }
  | { readonly kind: 'over' };

/** What a gate guards: the token (401), or the service (5xx, no connection). */
export interface GateReport {
  readonly gate: 'credentials' | 'service';
  readonly isShut: boolean;
  /** Milliseconds since it shut; 0 when it shuts now. */
  readonly shutForMs: number;
}

/** A call about to leave. `args` may hold personal data. */
export interface Sending {
  readonly operation: Operation;
  readonly args: unknown;
  readonly attempt: number;
  readonly callClass: CallClass;
  readonly key: string | undefined;
}

/** Which attempt it is. */
export interface AttemptName {
  readonly operation: string;
  /** 1 for the first. */
  readonly attempt: number;
}

/** What became of one attempt; nothing in it is personal. */
export interface AttemptReport extends AttemptName {
  /** Undefined outside provisioning. */
  readonly section: Section | undefined;
  readonly callClass: CallClass;
  /** HTTP status; undefined when no answer came. */
  readonly status: number | undefined;
  /** Code of the error, undefined when the attempt succeeded. */
  readonly code: string | undefined;
  /** From sending to the end of the answer, in milliseconds. */
  readonly durationMs: number;
  readonly requestId: string | undefined;
  /** True when its caller gave up or was at fault: it says nothing about the service. */
  readonly isAbandoned: boolean;
}

/** How one call is to be treated. */
export interface CallOptions {
  /** `pass` by default. */
  readonly class?: CallClass | undefined;
  /** The resource that the call is about; resources take turns. */
  readonly key?: string | undefined;
  readonly signal?: AbortSignal | undefined;
  /** Instead of `timeouts.callMs`. */
  readonly timeoutMs?: number | undefined;
  /** Milliseconds from now instead, waiting for the first turn counted. */
  readonly withinMs?: number | undefined;
  /** Attempts of this call; never more than the transport makes of any. */
  readonly attemptsMax?: number | undefined;
  /** Like the hook, for this call alone and for reads too: the last look before it leaves. */
  readonly beforeSend?: ((sending: Sending) => void | Promise<void>) | undefined;
  /** Told how each attempt ended, before it is repeated or the call returns; undefined: it succeeded. Must not throw. */
  readonly afterSend?: ((error: UpstreamError | undefined) => void) | undefined;
  /** True for a call in place of one that had its turn and was stopped: it goes before its whole class. */
  readonly again?: boolean | undefined;
  /**
   * A successful answer longer than this many bytes is not kept, and the call returns undefined: for calls
   * whose answer carries much that the caller can do without.
   */
  readonly skipAnswerAboveBytes?: number | undefined;
}
