import type { Clock } from '../domain/clock.ts';
import { events } from '../telemetry/events.ts';
import type { Logger } from '../telemetry/logger.ts';
import type { Metrics } from '../telemetry/metrics.ts';
import type { OpenTelemetry } from '../telemetry/open-telemetry.ts';
import { toOtelTargets } from '../telemetry/otel-targets.ts';
import { readPackageVersion } from './package-version.ts';

/** Options of sending traces and metrics. */
export interface ExportOptions {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly metrics: Metrics;
  readonly logger: Logger;
  readonly clock: Pick<Clock, 'now'>;
}

/** Sends traces and metrics where the variables of OpenTelemetry ask for it; undefined: they do not, and nothing is loaded. */
export async function exportTelemetry({
  env,
  metrics: { registry },
  logger,
  clock,
}: ExportOptions): Promise<OpenTelemetry | undefined> {
  const { tracesUrl, metricsUrl } = toOtelTargets(env);
  if (tracesUrl === undefined && metricsUrl === undefined) return undefined;
  const { startOpenTelemetry } = await import('../telemetry/open-telemetry.ts');
  const onExport = createExportLog(logger, clock);
  return startOpenTelemetry({ env, version: readPackageVersion(), registry, onExport });
}

/** Logs when a collector stops taking what is sent, and when it takes it again, never each failure. */
function createExportLog(logger: Logger, clock: Pick<Clock, 'now'>) {
  const lost = new Map<string, { readonly sinceMs: number; failures: number }>();
  return (what: 'traces' | 'metrics', error: Error | undefined) => {
    const outage = lost.get(what);
    if (error === undefined) {
      if (outage === undefined) return;
      lost.delete(what);
      const { sinceMs, failures } = outage;
      logger.log(events.exportRecovered({ what, afterMs: clock.now() - sinceMs, failures }));
    } else if (outage === undefined) {
      lost.set(what, { sinceMs: clock.now(), failures: 1 });
      logger.log(events.exportFailed({ what, error }));
    } else outage.failures += 1;
  };
}
