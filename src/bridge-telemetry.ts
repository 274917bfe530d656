import type { ReconcileEvents } from './reconcile/deps.ts';
import type { ScimTelemetry } from './scim/deps.ts';
import { events } from './telemetry/events.ts';
import type { Logger } from './telemetry/logger.ts';
import type { Metrics } from './telemetry/metrics.ts';
import type { TransportHooks } from './upstream/transport-options.ts';

/** Reconciliation in the words of the log and the metrics. */
export function toReconcileEvents(
  logger: Logger,
  metrics: Metrics,
  onSectionChanged: () => void,
): ReconcileEvents {
  return {
    converged({ type, id, action, outcome }) {
      metrics.countConverge({ resourceType: type, outcome });
      logger.log(events.stepEnded({ resourceType: type, resourceId: id, action, outcome }));
    },
    failed: ({ type, id, error }) =>
      logger.log(events.workerFailed({ resourceType: type, resourceId: id, error })),
    sectionChanged({ section, up, code }) {
      onSectionChanged();
      logger.log(events.sectionChanged({ section, up, code }));
    },
    firstRead: ({ step, count }) => logger.log(events.firstReadStep({ step, count })),
    firstReadFailed: ({ step, reason, retryInMs }) =>
      logger.log(events.firstReadFailed({ step, reason, retryInMs })),
  };
}

/** What identity providers do, in the words of the log and the metrics. */
export function toScimTelemetry(logger: Logger, metrics: Metrics): ScimTelemetry {
  return {
    repaired: (kind) => metrics.countRepairs(kind, 1),
    credentialsWrong: (fields) => logger.log(events.credentialsWrong(fields)),
    failed: (fields) => logger.log(events.requestFailed(fields)),
    adopted: ({ type, id }) => logger.log(events.adopted({ resourceType: type, resourceId: id })),
  };
}

/** Calls to the service, in the words of the log and the metrics. */
export function toTransportHooks(logger: Logger, metrics: Metrics): TransportHooks {
  return {
    onAttempt({ operation, status, attempt, durationMs }) {
      metrics.countUpstreamCall({ operation, status: status ?? 0 }, durationMs);
      logger.log(events.upstreamCalled({ operation, status: status ?? 0, durationMs, attempt }));
    },
  };
}
