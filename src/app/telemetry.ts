import { createRarely } from '../access/attempts.ts';
import { isOfPerson } from '../access/sessions.ts';
import type { OperatorAct } from '../ops/http/operator-acts.ts';
import type { ReconcileEvents } from '../reconcile/deps.ts';
import type { ElectionEvents } from '../reconcile/loop/election.ts';
import type { SweepEvents } from '../reconcile/loop/sweeps.ts';
import type { DriftEvents } from '../reconcile/repair/deps.ts';
import type { ScimTelemetry } from '../scim/deps.ts';
import { events, type LogLine } from '../telemetry/events.ts';
import type { Logger } from '../telemetry/logger.ts';
import type { Metrics } from '../telemetry/metrics.ts';
import type { Tracing } from '../telemetry/tracing.ts';
import type { GateReport, TransportHooks } from '../upstream/transport-options.ts';
import type { WatchedOptions } from './options.ts';

/** Log, metrics, and the counter of the samples. */
type Watchers = Pick<WatchedOptions, 'logger' | 'metrics' | 'traffic'>;

/** Reconciliation in the words of the log, the metrics and the samples. */
export function toReconcileEvents(
  { logger, metrics, traffic }: Watchers,
  onSectionChanged: () => void,
): ReconcileEvents {
  return {
    converged({ type, id, action, outcome }) {
      metrics.converged.inc({ resource_type: type, outcome });
      logger.log(events.stepEnded({ resourceType: type, resourceId: id, action, outcome }));
    },
    changeHeld({ kind, tookMs }) {
      if (kind === 'leaver') traffic.left(tookMs);
      metrics.changes.observe({ kind }, tookMs / 1_000);
    },
    stuck: ({ type, id, code }) =>
      logger.log(events.stuck({ resourceType: type, resourceId: id, code })),
    deletionFinished: ({ type, id }) =>
      logger.log(events.deletionFinished({ resourceType: type, resourceId: id })),
    failed: (failure) => logger.log(toFailureLine(failure)),
    sectionChanged({ section, up, code }) {
      onSectionChanged();
      logger.log(up ? events.sectionOpened({ section }) : events.sectionClosed({ section, code }));
    },
    auditEvent({ origin, delayMs }) {
      metrics.auditEvents.inc({ origin });
      if (origin === 'foreign') metrics.detections.observe(delayMs / 1_000);
    },
    changedByOthers: ({ type, id, action }) =>
      logger.log(events.changedByOthers({ resourceType: type, resourceId: id, action })),
    auditFollowed: ({ failing, code, afterMs }) =>
      logger.log(failing ? events.auditFailing({ code }) : events.auditGoesOn({ afterMs })),
    firstRead: ({ step, count }) => logger.log(events.firstReadStep({ step, done: count })),
    firstReadFailed: ({ step, reason, retryInMs }) =>
      logger.log(events.firstReadFailed({ step, reason, retryInMs })),
    plan: ({ id, ...fields }) => logger.log(events.plan({ planId: id, ...fields })),
    recovery: (fields) => logger.log(events.recovery(fields)),
    release: (fields) => logger.log(events.release(fields)),
  };
}

/** Has something logged at most once a minute for each key, with how often it happened. */
export function logRarely<Fields>(
  clock: { now(): number },
  toKey: (fields: Fields) => string,
  log: (fields: Fields, attempts: number) => void,
): (fields: Fields) => void {
  const rarely = createRarely();
  return (fields) => {
    const attempts = rarely.take(toKey(fields), clock.now());
    if (attempts > 0) log(fields, attempts);
  };
}

/** Logs who leads, and each hand-over. */
export function toElectionEvents(logger: Logger): ElectionEvents {
  return {
    took: ({ epoch, before, quietInMs }) =>
      logger.log(events.leadTaken({ epoch, before: before ?? '', quietInMs })),
    ended: (fields) => logger.log(events.leadEnded(fields)),
    follows: (fields) => logger.log(events.leaderChanged(fields)),
    failed: (failure) => logger.log(toFailureLine(failure)),
  };
}

/** The failure of a worker at a user or group, or of other work in the background. */
function toFailureLine({ type, id, error }: { type: string; id: string; error: unknown }): LogLine {
  return type === 'user' || type === 'group'
    ? events.workerFailed({ resourceType: type, resourceId: id, error })
    : events.jobFailed({ job: type, at: id, error });
}

/** Sweeps in the words of the log and the metrics. */
export function toSweepEvents(logger: Logger, metrics: Metrics): SweepEvents {
  return {
    started: ({ id, admins }) => logger.log(events.sweepStarted({ sweepId: id, admins })),
    ended({ id, counts, reasons, ...fields }) {
      metrics.sweeps.observe({ status: fields.status }, fields.durationMs / 1_000);
      const line = { sweepId: id, ...fields, ...counts, reasons: reasons.join('; ') };
      logger.log(events.sweepEnded(line));
    },
    failed: ({ id, error }) => logger.log(events.sweepFailed({ sweepId: id, error })),
  };
}

/** Repairs in the words of the log and the metrics. */
export function toDriftEvents(logger: Logger, metrics: Metrics): DriftEvents {
  return {
    found: ({ id, kind }) => logger.log(events.driftFound({ driftId: id, kind })),
    repaired({ id, kind, tookMs: durationMs }) {
      metrics.driftRepairs.observe({ kind }, durationMs / 1_000);
      logger.log(events.driftRepaired({ driftId: id, kind, durationMs }));
    },
  };
}

/** Reports on identity providers, in the log and the metrics. */
export function toScimTelemetry(logger: Logger, metrics: Metrics): Omit<ScimTelemetry, 'heard'> {
  return {
    repaired: (kind) => metrics.repairs.inc({ kind }),
    failed: (fields) => logger.log(events.requestFailed(fields)),
    dropped: ({ requestId, parts }) => logger.log(events.partsDropped({ requestId, parts })),
    adopted: ({ type, id }) => logger.log(events.adopted({ resourceType: type, resourceId: id })),
    answered({ type, id, ...how }) {
      const resource = { resourceType: type, resourceId: id };
      metrics.writes.inc({ resource_type: type, answer: how.answer });
      if (how.answer !== 'refused') return;
      logger.log(events.writeRefused({ ...resource, code: how.code }));
    },
    disputed: ({ type }) => logger.log(events.disputed({ resourceType: type })),
    turnedAway: (reason) => metrics.turnedAway.inc({ reason }),
  };
}

/** The name of a credential; no line names a person: who it was stands in the store. */
export function toLoggedName(act: Pick<OperatorAct, 'credential' | 'operator'>) {
  return isOfPerson(act.credential) ? undefined : act.operator;
}

/** Spans of calls to the service, whose trace goes with them; nothing while tracing is off. */
export function toCallTraces(tracing: Tracing | undefined): Pick<TransportHooks, 'onBegin'> {
  if (tracing === undefined) return {};
  return {
    onBegin({ operation, attempt }) {
      const attributes = { 'scim_bridge.operation': operation, 'scim_bridge.attempt': attempt };
      const span = tracing.begin({ name: operation, kind: 'client', attributes });
      const { traceparent } = span;
      return {
        headers: { traceparent },
        ended: ({ status, code }) =>
          span.end({
            attributes: {
              ...(status === undefined ? {} : { 'http.response.status_code': status }),
              ...(code === undefined ? {} : { 'error.type': code }),
            },
            hasFailed: code !== undefined,
          }),
      };
    },
  };
}

/** Reports on calls to the service, in the log, the metrics and the samples; `gates` is called when calls are stopped and let through again. */
export function toTransportHooks(
  { logger, metrics, traffic }: Watchers,
  gates: {
    readonly opened: () => void;
    readonly changed: (change: Pick<GateReport, 'gate' | 'isShut'>) => void;
  },
): TransportHooks {
  const refused = { credentials: 0, service: 0 };
  return {
    onAttempt({ operation, status, attempt, durationMs, isAbandoned }) {
      if (isAbandoned) return;
      traffic.called();
      metrics.upstreamCalls.observe({ operation, status: status ?? 0 }, durationMs / 1_000);
      logger.log(events.upstreamCalled({ operation, status: status ?? 0, durationMs, attempt }));
    },
    onTurn: ({ callClass, waitedMs }) =>
      metrics.turns.observe({ class: callClass }, waitedMs / 1_000),
    onPause(pause) {
      if (pause.kind === 'over') return logger.log(events.resumed({ afterMs: pause.afterMs }));
      metrics.pauses.inc();
      // Each probe that meets the limit again is another pause of the same state.
      if (pause.streak === 1) logger.log(events.paused({ forMs: pause.forMs }));
    },
    onRefused(gate) {
      refused[gate] += 1;
    },
    onRedirect({ operation, isShut, shutForMs: afterMs }) {
      if (isShut) return logger.log(events.redirected({ operation }));
      gates.opened();
      logger.log(events.redirectOver({ operation, afterMs }));
    },
    onGate({ gate, isShut, shutForMs: afterMs }) {
      const failures = refused[gate];
      refused[gate] = 0;
      gates.changed({ gate, isShut });
      if (!isShut) {
        gates.opened();
        const over = { afterMs, failures };
        return logger.log(
          gate === 'credentials' ? events.tokenAccepted(over) : events.serviceAnswering(over),
        );
      }
      metrics.gateShut.inc({ gate });
      logger.log(gate === 'credentials' ? events.tokenRefused() : events.serviceFailing());
    },
  };
}
