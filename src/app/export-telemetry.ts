import type { Clock } from '../domain/clock.ts';
import { followOutage } from '../domain/clock.ts';
import type { Events } from '../telemetry/events.ts';
import { readPackageVersion } from './package-version.ts';

type Env = Readonly<Record<string, string | undefined>>;

/** Sends traces where the variables of OpenTelemetry ask for it; undefined: they do not, and nothing is loaded. */
export async function exportTelemetry(
  env: Env,
  { events, clock }: { readonly events: Events; readonly clock: Pick<Clock, 'now'> },
) {
  const tracesUrl = findTracesUrl(env);
  if (tracesUrl === undefined) return undefined;
  const { startOpenTelemetry } = await import('../telemetry/open-telemetry.ts');
  // Each failure would be too much for the log.
  const onExport = followOutage(
    clock,
    (error: Error) => events.exportFailed({ error }),
    events.exportRecovered,
  );
  return startOpenTelemetry({ env, tracesUrl, version: readPackageVersion(), onExport });
}

/** @see https://opentelemetry.io/docs/specs/otel/protocol/exporter/ (read 2026-11-22) */
function findTracesUrl(env: Env): string | undefined {
  const isOff = env.OTEL_SDK_DISABLED?.toLowerCase() === 'true';
  if (isOff || env.OTEL_TRACES_EXPORTER === 'none') return undefined;
  if (env.OTEL_EXPORTER_OTLP_TRACES_ENDPOINT) return env.OTEL_EXPORTER_OTLP_TRACES_ENDPOINT;
  const base = env.OTEL_EXPORTER_OTLP_ENDPOINT;
  return base ? `${base.replace(/\/+$/, '')}/v1/traces` : undefined;
}
