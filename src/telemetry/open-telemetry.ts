import { AsyncLocalStorage } from 'node:async_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Span as ApiSpan, SpanContext, Tracer } from '@opentelemetry/api';
import { ROOT_CONTEXT, SpanKind, SpanStatusCode, trace } from '@opentelemetry/api';
import { parseTraceParent } from '@opentelemetry/core';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import type { Resource } from '@opentelemetry/resources';
import {
  defaultResource,
  detectResources,
  envDetector,
  resourceFromAttributes,
} from '@opentelemetry/resources';
import type { Sampler } from '@opentelemetry/sdk-trace';
import {
  AlwaysOffSampler,
  AlwaysOnSampler,
  BatchSpanProcessor,
  ParentBasedSampler,
  TraceIdRatioBasedSampler,
  TracerProvider,
} from '@opentelemetry/sdk-trace';

interface OpenTelemetryOptions {
  /** The variables `OTEL_*`, as OpenTelemetry names them. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Address of the collector. */
  readonly tracesUrl: string;
  readonly version: string;
  /** Receives the result of each export. */
  readonly onExport: (error: Error | undefined) => void;
}

/** Longest time that an end waits for the collector, and one that an export may take, in milliseconds. */
const STOP_MAX_MS = 3_000;
const EXPORT_MAX_MS = 10_000;

/** Sends traces by OTLP over HTTP. Nothing is global, so that two bridges in one process do not mix. */
export function startOpenTelemetry(options: OpenTelemetryOptions) {
  const { env, version } = options;
  const traces = new TracerProvider({
    resource: toResource(version),
    sampler: toSampler(env),
    spanProcessors: [createProcessor(options)],
  });
  return {
    tracing: createTracing(traces.getTracer('scim-bridge', version)),
    /** Sends what is left and ends. */
    async stop() {
      // A collector that does not answer delays no end for long.
      const sent = Promise.allSettled([traces.shutdown()]);
      await Promise.race([sent, sleep(STOP_MAX_MS, undefined, { ref: false })]);
    },
  };
}

/** The service as the environment names it, which the detector reads, or else by its own name. */
function toResource(version: string): Resource {
  const own = resourceFromAttributes({
    'service.name': 'scim-bridge',
    'service.version': version,
  });
  return defaultResource()
    .merge(own)
    .merge(detectResources({ detectors: [envDetector] }));
}

function createProcessor({ env, tracesUrl: url, onExport }: OpenTelemetryOptions) {
  const timeoutMillis = toMs(env.OTEL_EXPORTER_OTLP_TIMEOUT, EXPORT_MAX_MS);
  const exporter = new OTLPTraceExporter({ url, timeoutMillis });
  return new BatchSpanProcessor({
    scheduledDelayMillis: toMs(env.OTEL_BSP_SCHEDULE_DELAY, 5_000),
    exportTimeoutMillis: EXPORT_MAX_MS,
    exporter: {
      shutdown: () => exporter.shutdown(),
      forceFlush: () => exporter.forceFlush(),
      export: (items, onResult) =>
        exporter.export(items, (result) => {
          onExport(result.error);
          onResult(result);
        }),
    },
  });
}

function toMs(text: string | undefined, otherwise: number): number {
  const ms = Number(text);
  return text !== undefined && Number.isFinite(ms) && ms > 0 ? ms : otherwise;
}

/** Sampler that `OTEL_TRACES_SAMPLER` names; whatever it does not name is decided by the caller's trace, else taken. */
function toSampler(env: OpenTelemetryOptions['env']): Sampler {
  const { OTEL_TRACES_SAMPLER: name = 'parentbased_always_on' } = env;
  const ratio = Number(env.OTEL_TRACES_SAMPLER_ARG ?? 1);
  const samplers: Readonly<Record<string, Sampler>> = {
    always_off: new AlwaysOffSampler(),
    traceidratio: new TraceIdRatioBasedSampler(ratio),
  };
  const root = samplers[name.replace('parentbased_', '')] ?? new AlwaysOnSampler();
  return name.startsWith('parentbased_') ? new ParentBasedSampler({ root }) : root;
}

const KINDS = {
  server: SpanKind.SERVER,
  internal: SpanKind.INTERNAL,
  client: SpanKind.CLIENT,
} as const;

/** Values beside a span: routes, codes, kinds; never a name, an address or a secret. */
export type SpanAttributes = Readonly<Record<string, string | number | boolean>>;

/** Begins spans; absent where tracing is off: nothing is to be looked up for it then. */
export type Tracing = ReturnType<typeof createTracing>;

function createTracing(tracer: Tracer) {
  const running = new AsyncLocalStorage<ApiSpan>();
  return {
    /** @param start `parent` is the trace that it belongs to, as W3C Trace Context writes it; without one, the span that runs, else a new trace */
    begin(start: {
      readonly name: string;
      readonly kind: keyof typeof KINDS;
      readonly parent?: string | undefined;
      readonly attributes?: SpanAttributes;
    }) {
      const { name, kind, parent, attributes = {} } = start;
      const caller = parseTraceParent(parent ?? '');
      const outer = caller ? { ...caller, isRemote: true } : running.getStore()?.spanContext();
      const context = outer ? trace.setSpanContext(ROOT_CONTEXT, outer) : ROOT_CONTEXT;
      const span = tracer.startSpan(name, { kind: KINDS[kind], attributes }, context);
      return {
        /** The span as W3C Trace Context writes it. */
        traceparent: toTraceParent(span.spanContext()),
        /** Runs work within the span: spans that begin in it are its children. */
        run: <T>(work: () => T): T => running.run(span, work),
        /** Ends the span, under another name if there is one. */
        end(last: { name?: string; attributes?: SpanAttributes; hasFailed?: boolean } = {}): void {
          if (last.name !== undefined) span.updateName(last.name);
          span.setAttributes(last.attributes ?? {});
          if (last.hasFailed) span.setStatus({ code: SpanStatusCode.ERROR });
          span.end();
        },
      };
    },
  };
}

function toTraceParent({ traceId, spanId, traceFlags }: SpanContext): string {
  return `00-${traceId}-${spanId}-${traceFlags.toString(16).padStart(2, '0')}`;
}
