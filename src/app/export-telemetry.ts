import type { Clock } from '../domain/clock.ts';
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
  const onExport = createExportLog(events, clock);
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

/** Logs when a collector stops taking traces, and when it takes them again, never each failure. */
function createExportLog(events: Events, clock: Pick<Clock, 'now'>) {
  let outage: { readonly sinceMs: number; failures: number } | undefined;
  return (error: Error | undefined) => {
    if (error === undefined) {
      if (outage === undefined) return;
      const { sinceMs, failures } = outage;
      outage = undefined;
      events.exportRecovered({ afterMs: clock.now() - sinceMs, failures });
    } else if (outage === undefined) {
      outage = { sinceMs: clock.now(), failures: 1 };
      events.exportFailed({ error });
    } else outage.failures += 1;
  };
}
