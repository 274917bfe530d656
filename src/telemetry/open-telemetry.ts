import { AsyncLocalStorage } from 'node:async_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  type Span as ApiSpan,
  type Context,
  type Link,
  ROOT_CONTEXT,
  type SpanContext,
  SpanKind,
  SpanStatusCode,
  TraceFlags,
  type Tracer,
  trace,
} from '@opentelemetry/api';
import { OTLPMetricExporter } from '@opentelemetry/exporter-metrics-otlp-http';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import {
  defaultResource,
  detectResources,
  envDetector,
  type Resource,
  resourceFromAttributes,
} from '@opentelemetry/resources';
import { MeterProvider, PeriodicExportingMetricReader } from '@opentelemetry/sdk-metrics';
import {
  AlwaysOffSampler,
  AlwaysOnSampler,
  BatchSpanProcessor,
  ParentBasedSampler,
  type Sampler,
  TraceIdRatioBasedSampler,
  TracerProvider,
} from '@opentelemetry/sdk-trace';
import type { Registry } from 'prom-client';
import { createMetricProducer } from './otel-metrics.ts';
import { type OtelTargets, toOtelTargets } from './otel-targets.ts';
import { findTraceParent, type Span, type SpanStart, type Tracing } from './tracing.ts';

/** Traces and metrics that are sent to a collector. */
export interface OpenTelemetry {
  /** undefined: no traces are sent. */
  readonly tracing: Tracing | undefined;
  /** Sends what is left and ends. */
  stop(): Promise<void>;
}

/** Options of sending traces and metrics. */
interface OpenTelemetryOptions {
  /** The variables `OTEL_*`, as OpenTelemetry names them. */
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly version: string;
  /** The metrics that are sent: those of `/metrics`. */
  readonly registry: Registry;
  /** Told of what could not be sent, and of what was sent after that. */
  readonly onExport: (what: 'traces' | 'metrics', error: Error | undefined) => void;
}

/** Sends traces and metrics by OTLP over HTTP. Nothing is global, so that two bridges in one process do not mix. */
export function startOpenTelemetry(options: OpenTelemetryOptions): OpenTelemetry {
  const { env, version } = options;
  const targets = toOtelTargets(env);
  const resource = toResource(env, version);
  const traces = startTraces(options, targets, resource);
  const meters = startMetrics(options, targets, resource);
  return {
    tracing:
      traces === undefined ? undefined : createTracing(traces.getTracer('scim-bridge', version)),
    async stop() {
      const sent = Promise.allSettled([traces?.shutdown(), meters?.shutdown()]);
      // A collector that does not answer keeps nobody from ending.
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

function toTimeoutMs(env: OpenTelemetryOptions['env']): number {
  return toMs(env.OTEL_EXPORTER_OTLP_TIMEOUT, EXPORT_MAX_MS);
}

function startTraces(
  { env, onExport }: OpenTelemetryOptions,
  { tracesUrl: url }: OtelTargets,
  resource: Resource,
): TracerProvider | undefined {
  if (url === undefined) return undefined;
  const exporter = new OTLPTraceExporter({ url, timeoutMillis: toTimeoutMs(env) });
  const processor = new BatchSpanProcessor({
    scheduledDelayMillis: toMs(env.OTEL_BSP_SCHEDULE_DELAY, 5_000),
    exportTimeoutMillis: EXPORT_MAX_MS,
    exporter: toTelling(exporter, (error) => onExport('traces', error)),
  });
  return new TracerProvider({ resource, sampler: toSampler(env), spanProcessors: [processor] });
}

function startMetrics(
  { env, registry, version, onExport }: OpenTelemetryOptions,
  { metricsUrl: url }: OtelTargets,
  resource: Resource,
): MeterProvider | undefined {
  if (url === undefined) return undefined;
  const exporter = new OTLPMetricExporter({ url, timeoutMillis: toTimeoutMs(env) });
  const exportIntervalMillis = toMs(env.OTEL_METRIC_EXPORT_INTERVAL, 60_000);
  const reader = new PeriodicExportingMetricReader({
    exportIntervalMillis,
    exportTimeoutMillis: Math.min(EXPORT_MAX_MS, exportIntervalMillis),
    metricProducers: [createMetricProducer(registry, { resource, version })],
    exporter: toTelling(exporter, (error) => onExport('metrics', error)),
  });
  return new MeterProvider({ resource, readers: [reader] });
}

/** Exporter of a reader or a processor. */
interface Exporter<Items> {
  export(items: Items, onResult: (result: Result) => void): void;
  shutdown(): Promise<void>;
  forceFlush(): Promise<void>;
}

type Result = Parameters<Parameters<OTLPTraceExporter['export']>[1]>[0];

/** Tells how each export went. */
function toTelling<Items>(
  exporter: Exporter<Items>,
  tell: (error: Error | undefined) => void,
): Exporter<Items> {
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

  function begin({ name, kind, parent, links = [], attributes = {} }: SpanStart): Span {
    const context = toContext(parent) ?? toInner(running.getStore());
    const linked = links.flatMap((link): Link[] => {
      const other = toSpanContext(link);
      return other === undefined ? [] : [{ context: other }];
    });
    const options = { kind: KINDS[kind], attributes: { ...attributes }, links: linked };
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
