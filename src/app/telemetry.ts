import type { Events } from '../telemetry/events.ts';
import type { Metrics } from '../telemetry/metrics.ts';
import type { Tracing } from '../telemetry/open-telemetry.ts';
import type { GateReport, TransportHooks } from '../upstream/transport-options.ts';

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
  events: Events,
  metrics: Metrics,
  gates: {
    readonly opened: () => void;
    readonly changed: (change: Pick<GateReport, 'gate' | 'isShut'>) => void;
  },
): TransportHooks {
  const refused = { credentials: 0, service: 0 };
  return {
    onAttempt({ operation, status, attempt, durationMs, isAbandoned }) {
      if (!isAbandoned)
        events.upstreamCalled({ operation, status: status ?? 0, durationMs, attempt });
    },
    onTurn: ({ callClass, waitedMs }) =>
      metrics.turns.observe({ class: callClass }, waitedMs / 1_000),
    onPause(pause) {
      if (pause.kind === 'over') return events.resumed({ afterMs: pause.afterMs });
      // Each probe that meets the limit again is another pause of the same state.
      if (pause.streak === 1) events.paused({ forMs: pause.forMs });
    },
    onRefused(gate) {
      refused[gate] += 1;
    },
    onRedirect({ operation, isShut, shutForMs: afterMs }) {
      if (isShut) return events.redirected({ operation });
      gates.opened();
      events.redirectOver({ operation, afterMs });
    },
    onGate({ gate, isShut, shutForMs: afterMs }) {
      const failures = refused[gate];
      refused[gate] = 0;
      gates.changed({ gate, isShut });
      if (!isShut) {
        gates.opened();
        const over = { afterMs, failures };
        return gate === 'credentials' ? events.tokenAccepted(over) : events.serviceAnswering(over);
      }
      if (gate === 'credentials') events.tokenRefused();
      else events.serviceFailing();
    },
  };
}
