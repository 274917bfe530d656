import type { Access } from '../access/access.ts';
import type { Attempts } from '../access/attempts.ts';
import type { Clock } from '../domain/clock.ts';
import type { ApiSource } from '../ops/api/routes.ts';
import type { StoredRequestLog } from '../ops/requests/request-log.ts';
import type { Reconciler } from '../reconcile/loop/reconciler.ts';
import type { Sweeps } from '../reconcile/loop/sweeps.ts';
import type { FirstRead } from '../reconcile/read/first-read.ts';
import type { DriftKeeper } from '../reconcile/repair/keeper.ts';
import type { Recovery } from '../reconcile/repair/recovery.ts';
import type { ProviderWatch } from '../reconcile/repair/watch.ts';
import type { SectionView } from '../reconcile/sections.ts';
import type { WriteGuard } from '../reconcile/write-guard.ts';
import type { Rules } from '../rules/rules.ts';
import type { Settings } from '../settings/schema.ts';
import type { WatchedStore } from '../store/engine/store-health.ts';
import type { Store } from '../store/store.ts';
import type { Logger } from '../telemetry/logger.ts';
import type { Metrics } from '../telemetry/metrics.ts';
import type { Overload } from '../telemetry/overload.ts';
import type { Transport } from '../upstream/transport.ts';

/** Parts of a running bridge. */
export interface BridgeParts {
  readonly access: Access;
  readonly attempts: Attempts;
  readonly upstream: Transport;
  readonly callForOperator: ApiSource['call'];
  readonly rules: Rules;
  readonly reconciler: Reconciler;
  readonly firstRead: FirstRead;
  readonly recovery: Recovery;
  readonly sweeps: Sweeps;
  readonly keeper: DriftKeeper;
  readonly sections: SectionView;
  readonly guard: WriteGuard;
  readonly requests: StoredRequestLog;
  readonly watch: ProviderWatch;
  readonly isDraining: () => boolean;
}

/** The service that a bridge works with. */
export interface Target {
  readonly baseUrl: string;
  readonly token: string;
  /** Identity of the service in the store: the base URL, or a constant for the sandbox. */
  readonly identity: string;
  readonly requestsPerSecond: number;
}

/** Options of a bridge. */
export interface BridgeOptions {
  readonly settings: Settings;
  readonly store: Store;
  readonly target: Target;
  /** Tokens of identity providers beside those that the store keeps. */
  readonly scimTokens: readonly string[];
  /** Address at which providers reach the bridge, without a slash at its end. */
  readonly publicUrl: string;
  readonly clock: Clock;
  /** Time until which a former process on the same file may have called the service (epoch milliseconds). */
  readonly calledBefore?: number | undefined;
  readonly random: () => number;
  readonly logger: Logger;
  readonly metrics: Metrics;
  /** Finds out whether the process is overloaded; then requests of providers are refused. */
  readonly findOverload: () => Overload | undefined;
}

/** Options with a store that tells whether it takes writes. */
export interface WatchedOptions extends BridgeOptions {
  readonly store: WatchedStore;
}
