import type { Clock } from '../domain/clock.ts';
import type { Settings } from '../settings/schema.ts';
import type { WatchedStore } from '../store/engine/store-health.ts';
import type { Store } from '../store/store.ts';
import type { Logger } from '../telemetry/logger.ts';
import type { Metrics } from '../telemetry/metrics.ts';
import type { Overload } from '../telemetry/overload.ts';

/** The service that a bridge works with. */
export interface Target {
  readonly baseUrl: string;
  readonly token: string;
  /** What the store remembers as its service: the base URL, or a constant for the sandbox. */
  readonly identity: string;
  readonly requestsPerSecond: number;
}

/** What a bridge is made of. */
export interface BridgeOptions {
  readonly settings: Settings;
  readonly store: Store;
  readonly target: Target;
  /** Tokens of identity providers beside those that the store keeps. */
  readonly scimTokens: readonly string[];
  /** How providers reach the bridge, without a slash at its end. */
  readonly publicUrl: string;
  readonly clock: Clock;
  /** Until then (epoch milliseconds) a former process on the same file may have called the service. */
  readonly calledBefore?: number | undefined;
  readonly random: () => number;
  readonly logger: Logger;
  readonly metrics: Metrics;
  /** Whether the process has more to do than it can; then requests of providers are refused. */
  readonly findOverload: () => Overload | undefined;
}

/** The same, with a store that tells whether it takes writes. */
export interface WatchedOptions extends BridgeOptions {
  readonly store: WatchedStore;
}
