import type { Clock } from '../../domain/clock.ts';
import { createDispatcher } from '../../upstream/dispatcher.ts';
import { createTransport } from '../../upstream/transport.ts';
import { connectionProbes } from './connection-checks.ts';
import type { Evidence, ServiceSettings } from './evidence.ts';
import type { CheckReport } from './report.ts';
import { listSectionChecks } from './section-checks.ts';
import { listSettingChecks } from './settings-checks.ts';
import { READS, surveyService } from './survey.ts';
import { watchTraffic } from './traffic.ts';

/** Parts of a check beside the settings. */
export interface CheckDeps {
  readonly clock: Clock;
  /** Uniform in [0, 1). */
  readonly random: () => number;
  /** Hears at each answer how many of about how many there were. */
  readonly told?: (part: { readonly done: number; readonly total: number }) => void;
}

/** A call may sit out one pause that the service asks for, in milliseconds. */
const pauseMaxMs = 60_000;
/** Two attempts tell a hiccup from a fault while an operator waits for the answer. */
const attemptsMax = 2;
const connectMaxMs = 5_000;

/**
 * Probes a service by reads alone, at the rate that is set, and reports on its answers. Failures of the service are
 * findings of the report. Rejects only for a mistake of ours.
 */
export async function checkService(
  settings: ServiceSettings,
  deps: CheckDeps,
): Promise<CheckReport> {
  const evidence = await gatherEvidence(settings, deps);
  const checks = [
    ...connectionProbes.flatMap((probe) => probe(evidence) ?? []),
    ...listSectionChecks(evidence),
    ...listSettingChecks(evidence),
  ];
  return {
    ok: checks.every(({ status }) => status !== 'failed'),
    service: { url: settings.url, apiVersion: settings.apiVersion },
    checks,
    calls: evidence.traffic.requests,
  };
}

async function gatherEvidence(
  settings: ServiceSettings,
  { told, ...deps }: CheckDeps,
): Promise<Evidence> {
  const { url, timeout, requestsPerSecond, apiVersion, responseBytesMax } = settings;
  const connectMs = Math.min(timeout, connectMaxMs);
  const pool = createDispatcher({
    origin: new URL(url).origin,
    proxy: settings.proxy,
    connectMs,
    connections: 1,
  });
  const watched = watchTraffic(pool, (done) => told?.({ done, total: READS }));
  const transport = createTransport({
    baseUrl: url,
    token: settings.token,
    dispatcher: watched.dispatcher,
    timeouts: { connectMs, headersMs: timeout, bodyMs: timeout, callMs: timeout + pauseMaxMs },
    inFlightMax: 1,
    attemptsMax,
    hooks: { writesRefused: () => 'observe-mode' }, // A second lock: no operation used here changes anything.
    apiVersion,
    requestsPerSecond,
    responseBytesMax,
    ...deps,
  });
  try {
    const survey = await surveyService(transport, apiVersion);
    return { settings, survey, traffic: watched.read() };
  } finally {
    await transport.close();
    await pool.destroy();
  }
}
