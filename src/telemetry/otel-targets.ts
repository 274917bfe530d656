/** Where traces and metrics are sent; undefined: they are not sent. */
export interface OtelTargets {
  readonly tracesUrl: string | undefined;
  readonly metricsUrl: string | undefined;
}

/**
 * Addresses that the variables of OpenTelemetry name; without one of them nothing is sent and nothing loaded for it.
 * @see https://opentelemetry.io/docs/specs/otel/protocol/exporter/ (read 2026-11-22)
 */
export function toOtelTargets(env: Readonly<Record<string, string | undefined>>): OtelTargets {
  const isOff = env.OTEL_SDK_DISABLED?.toLowerCase() === 'true';
  const find = (signal: 'traces' | 'metrics'): string | undefined => {
    const name = signal.toUpperCase();
    if (isOff || env[`OTEL_${name}_EXPORTER`] === 'none') return undefined;
    const own = env[`OTEL_EXPORTER_OTLP_${name}_ENDPOINT`];
    if (own) return own;
    const base = env.OTEL_EXPORTER_OTLP_ENDPOINT;
    return base ? `${base.replace(/\/+$/, '')}/v1/${signal}` : undefined;
  };
  return { tracesUrl: find('traces'), metricsUrl: find('metrics') };
}
