import type { Access } from '../access/access.ts';
import type { Attempts } from '../access/attempts.ts';
import type { Clock } from '../domain/clock.ts';
import type { RequestLog } from '../ops/records/request-log.ts';
import type { About, OpsSources } from '../ops/sources.ts';
import type { HealthSources } from '../ops/state/readiness-facts.ts';
import type { ActLog } from '../ops/timeline/act-log.ts';
import type { ProcessDeps } from '../reconcile/deps.ts';
import type { createHarmWatch } from '../reconcile/limits.ts';
import type { DecisionDeps } from '../reconcile/repair/deps.ts';
import type { SectionStates } from '../reconcile/sections.ts';
import type { Waiters } from '../reconcile/waiters.ts';
import type { WriteGuard } from '../reconcile/write-guard.ts';
import type { FollowedIds } from '../scim/former-ids.ts';
import type { Settings } from '../settings/schema.ts';
import type { ShownSetting } from '../settings/shown.ts';
import type { WatchedStore } from '../store/engine/store-health.ts';
import type { FollowedFact } from '../store/facts.ts';
import type { OpenRecordOf } from '../store/recorder.ts';
import type { Store } from '../store/store.ts';
import type { Events } from '../telemetry/events.ts';
import type { Logger } from '../telemetry/logger.ts';
import type { Metrics } from '../telemetry/metrics.ts';
import type { Tracing } from '../telemetry/tracing.ts';

/** The service that a bridge works with. */
export interface Target {
  readonly baseUrl: string;
  /** The token of now: it may be renewed while the bridge runs. */
  readonly findToken: () => string;
  /** Identity of the service in the store: the base URL, or a constant for the sandbox. */
  readonly identity: string;
  readonly requestsPerSecond: number;
  /** Address and token of the embedded sandbox; undefined: it is a real service. */
  readonly sandbox?: OpsSources['sandbox'];
}

/** Options of a bridge. */
export interface BridgeOptions {
  readonly settings: Settings;
  /** Facts of the process for operators. */
  readonly about: About & { readonly settings: readonly ShownSetting[] };
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
  /** Absent: off. */
  readonly tracing?: Tracing | undefined;
}

/** Options with a store that tells whether it takes writes, and with reports of what happens. */
export interface WatchedOptions extends BridgeOptions {
  readonly store: WatchedStore;
  readonly events: Events;
  readonly openRecord: OpenRecordOf;
}

/** Parts that need no other part. */
export interface OwnParts extends WatchedOptions {
  readonly access: Access;
  readonly attempts: Attempts;
  readonly requests: RequestLog;
  readonly formerIds: FollowedIds;
  readonly readProviderHarm: ReturnType<typeof createHarmWatch>;
  readonly acts: ActLog;
  readonly sections: FollowedFact<SectionStates>;
  readonly guard: WriteGuard;
  readonly waiters: Waiters;
  readonly isDraining: () => boolean;
}

/** Parts that a tenure uses. */
export interface TenureParts extends OwnParts {
  readonly process: ProcessDeps;
  readonly decisions: DecisionDeps;
  readonly health: HealthSources;
}
