import { AsyncLocalStorage } from 'node:async_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  type Span as ApiSpan,
  type Context,
  ROOT_CONTEXT,
  type SpanContext,
  SpanKind,
  SpanStatusCode,
  TraceFlags,
  type Tracer,
  trace,
} from '@opentelemetry/api';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import {
  defaultResource,
  detectResources,
  envDetector,
  type Resource,
  resourceFromAttributes,
} from '@opentelemetry/resources';
import {
  AlwaysOffSampler,
  AlwaysOnSampler,
  BatchSpanProcessor,
  ParentBasedSampler,
  type Sampler,
  type SpanExporter,
  TraceIdRatioBasedSampler,
  TracerProvider,
} from '@opentelemetry/sdk-trace';
import { findTraceParent, type Span, type SpanStart, type Tracing } from './tracing.ts';

/** Traces that are sent to a collector. */
export interface OpenTelemetry {
  readonly tracing: Tracing;
  /** Sends what is left and ends. */
  stop(): Promise<void>;
}

/** Options of sending traces. */
interface OpenTelemetryOptions {
  /** The variables `OTEL_*`, as OpenTelemetry names them. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Address of the collector. */
  readonly tracesUrl: string;
  readonly version: string;
  /** Receives the result of each export. */
  readonly onExport: (error: Error | undefined) => void;
}

/** Sends traces by OTLP over HTTP. Nothing is global, so that two bridges in one process do not mix. */
export function startOpenTelemetry(options: OpenTelemetryOptions): OpenTelemetry {
  const traces = startTraces(options);
  return {
    tracing: createTracing(traces.getTracer('scim-bridge', options.version)),
    async stop() {
      // A collector that does not answer delays no end for long.
      const sent = Promise.allSettled([traces.shutdown()]);
      await Promise.race([sent, sleep(STOP_MAX_MS, undefined, { ref: false })]);
    },
  };
}

function toResource(env: OpenTelemetryOptions['env'], version: string): Resource {
  const own = resourceFromAttributes({
    'service.name': 'scim-bridge',
    'service.version': version,
  });
  const named = detectResources({ detectors: [envDetector] });
  const name = env.OTEL_SERVICE_NAME;
  const service = resourceFromAttributes(name ? { 'service.name': name } : {});
  return defaultResource().merge(own).merge(named).merge(service);
}

/** Longest time that an end waits for the collector, and one that an export may take, in milliseconds. */
const STOP_MAX_MS = 3_000;
const EXPORT_MAX_MS = 10_000;

function startTraces({
  env,
  tracesUrl: url,
  version,
  onExport,
}: OpenTelemetryOptions): TracerProvider {
  const timeoutMillis = toMs(env.OTEL_EXPORTER_OTLP_TIMEOUT, EXPORT_MAX_MS);
  const exporter = new OTLPTraceExporter({ url, timeoutMillis });
  const processor = new BatchSpanProcessor({
    scheduledDelayMillis: toMs(env.OTEL_BSP_SCHEDULE_DELAY, 5_000),
    exportTimeoutMillis: EXPORT_MAX_MS,
    exporter: toTelling(exporter, onExport),
  });
  return new TracerProvider({
    resource: toResource(env, version),
    sampler: toSampler(env),
    spanProcessors: [processor],
  });
}

/** Reports the result of each export. */
function toTelling(
  exporter: OTLPTraceExporter,
  tell: (error: Error | undefined) => void,
): SpanExporter {
  return {
    shutdown: () => exporter.shutdown(),
    forceFlush: () => exporter.forceFlush(),
    export: (items, onResult) =>
      exporter.export(items, (result) => {
        tell(result.error);
        onResult(result);
      }),
  };
}

function toMs(text: string | undefined, otherwise: number): number {
  const ms = Number(text);
  return text !== undefined && Number.isFinite(ms) && ms > 0 ? ms : otherwise;
}

/** Sampler that `OTEL_TRACES_SAMPLER` names; whatever it does not name is decided by the caller's trace, else taken. */
function toSampler({
  OTEL_TRACES_SAMPLER: name,
  OTEL_TRACES_SAMPLER_ARG: text,
}: OpenTelemetryOptions['env']): Sampler {
  const ratio = Number(text ?? 1);
  const root = toRootSampler(name?.replace('parentbased_', ''), ratio);
  const isAlone = name !== undefined && !name.startsWith('parentbased_');
  return isAlone ? root : new ParentBasedSampler({ root });
}

function toRootSampler(name: string | undefined, ratio: number): Sampler {
  if (name === 'always_off') return new AlwaysOffSampler();
  return name === 'traceidratio' ? new TraceIdRatioBasedSampler(ratio) : new AlwaysOnSampler();
}

const KINDS = {
  server: SpanKind.SERVER,
  internal: SpanKind.INTERNAL,
  client: SpanKind.CLIENT,
} as const;

function createTracing(tracer: Tracer): Tracing {
  const running = new AsyncLocalStorage<ApiSpan>();

  function begin({ name, kind, parent, attributes = {} }: SpanStart): Span {
    const context = toContext(parent) ?? toInner(running.getStore());
    const options = { kind: KINDS[kind], attributes: { ...attributes } };
    const span = tracer.startSpan(name, options, context);
    return {
      traceparent: toTraceParent(span.spanContext()),
      run: (work) => running.run(span, work),
      end({ name: renamed, attributes: more = {}, hasFailed = false } = {}) {
        if (renamed !== undefined) span.updateName(renamed);
        span.setAttributes({ ...more });
        if (hasFailed) span.setStatus({ code: SpanStatusCode.ERROR });
        span.end();
      },
    };
  }

  return { begin };
}

function toContext(parent: string | undefined): Context | undefined {
  const context = toSpanContext(parent);
  return context && trace.setSpanContext(ROOT_CONTEXT, context);
}

function toInner(span: ApiSpan | undefined): Context {
  return span === undefined ? ROOT_CONTEXT : trace.setSpan(ROOT_CONTEXT, span);
}

function toSpanContext(traceparent: string | undefined): SpanContext | undefined {
  const found = findTraceParent(traceparent);
  if (found === undefined) return undefined;
  const { traceId, spanId, flags } = found;
  return { traceId, spanId, traceFlags: flags & TraceFlags.SAMPLED, isRemote: true };
}

function toTraceParent({ traceId, spanId, traceFlags }: SpanContext): string {
  return `00-${traceId}-${spanId}-${traceFlags.toString(16).padStart(2, '0')}`;
}
