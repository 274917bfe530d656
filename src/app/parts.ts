import { createAccess } from '../access/access.ts';
import { createAttempts } from '../access/attempts.ts';
import type { GivenTokens } from '../access/sessions.ts';
import { toLoggedName } from '../access/sessions.ts';
import type { Clock } from '../domain/clock.ts';
import { createActLog, createRequestLog } from '../ops/records/logs.ts';
import type { StatusSources } from '../ops/sources.ts';
import type { HealthSources } from '../ops/state/readiness-facts.ts';
import type { ProcessDeps } from '../reconcile/deps.ts';
import { Waiters } from '../reconcile/waiters.ts';
import { openWriteGuard } from '../reconcile/write-guard.ts';
import type { Settings } from '../settings/schema.ts';
import { OUTAGE_CODES, openStoreClock } from '../store/engine/database.ts';
import type { Store } from '../store/store.ts';
import { countWhere } from '../store/tables.ts';
import type { Logger } from '../telemetry/logger.ts';
import type { Metrics } from '../telemetry/metrics.ts';
import type { Tracing } from '../telemetry/open-telemetry.ts';
import { createOutageAwareEvents } from '../telemetry/outages.ts';
import { createFormerIds } from './former-ids.ts';
import { toReconcilePolicy } from './settings.ts';
import type { Target } from './target.ts';

export interface BridgeOptions {
  readonly settings: Settings;
  /** Facts of the process for operators. */
  readonly about: StatusSources['about'];
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

/** Parts that need no other part. */
export type OwnParts = Awaited<ReturnType<typeof openOwnParts>>;

/** Parts that a tenure uses. */
export interface TenureParts
  extends OwnParts,
    Pick<HealthSources, 'leadership' | 'writes' | 'isDraining'> {
  readonly process: ProcessDeps;
}

/** Opens the parts that need no other part. */
export async function openOwnParts(options: BridgeOptions) {
  const { settings, metrics } = options;
  const watched = await watchStore(options);
  const { store, clock, events } = watched;
  const fail = (type: string, id: string) => (error: unknown) => events.failed({ type, id, error });
  return {
    ...options,
    ...watched,
    access: createAccess({
      store,
      clock,
      onFailure: fail('access', 'used'),
      given: toGivenTokens(settings, options.scimTokens),
      keyHosts: { ...settings.oauth, hosts: settings.oauth.keyHosts },
      events,
    }),
    attempts: createAttempts({
      clock,
      delayMaxMs: settings.access.failedDelayMax,
      counted: (place, status) => metrics.failedAttempts.inc({ place, status }),
      noticed: events.credentialsWrong,
    }),
    requests: createRequestLog({ store, onFailure: fail('requests', 'store') }),
    formerIds: createFormerIds(store, fail('former-ids', 'read')),
    repairHarm: toReconcilePolicy(settings).repairHarm,
    acts: createActLog({
      store,
      clock,
      report(act) {
        // A call of the service has a line of its own.
        if (act.route.startsWith('/ops/api/')) return;
        events.operatorActed({ ...act, operator: toLoggedName(act) });
      },
      onFailure: fail('acts', 'store'),
    }),
    guard: await openWriteGuard({
      store,
      clock,
      mode: settings.mode,
      onChange: ({ paused }) => (paused ? events.writesPaused() : events.writesResumed()),
    }),
    waiters: new Waiters(clock),
  };
}

/** Has the work of the store counted, and its outages logged once. */
async function watchStore({ metrics, logger, store, clock: host }: BridgeOptions) {
  const clock = await openStoreClock(store, host);
  store.onStatement(({ verb, durationMs, hasFailed }) =>
    metrics.statements.observe({ verb, result: hasFailed ? 'failed' : 'done' }, durationMs / 1_000),
  );
  store.onWrite((result, durationMs) =>
    metrics.transactions.observe({ result }, durationMs / 1_000),
  );
  const outages = createOutageAwareEvents({
    logger,
    metrics,
    clock,
    codes: OUTAGE_CODES,
    async isUsable() {
      await countWhere(store.read, 'state', {});
      return (await store.findWriteTrouble(clock.now())) === undefined;
    },
  });
  return { store, clock, events: outages.events, outages };
}

/** The tokens of the settings, with those for SCIM that hold. */
export function toGivenTokens({ ops }: Settings, scim: readonly string[]): GivenTokens {
  return { scim, operator: ops.token, reader: ops.readerToken };
}
