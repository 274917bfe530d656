import { settingsSchema } from '../../settings/schema.ts';
import { UpstreamError, type UpstreamErrorCode } from '../../upstream/errors.ts';
import { classifyStatus } from '../../upstream/status-table.ts';
import type { Evidence, ServiceSettings } from './evidence.ts';
import { type Look, skipped } from './look.ts';
import { type Survey, unseen } from './survey.ts';
import type { Traffic } from './traffic.ts';

/** Settings of a bridge with a service, without a limit of the rate. */
export function toServiceSettings(change: Partial<ServiceSettings> = {}): ServiceSettings {
  const { upstream } = settingsSchema.parse({ upstream: { requestsPerSecond: 0 } });
  return { ...upstream, url: 'https://company.example', token: 'service-token', ...change };
}

/** Evidence of a service of which only this was seen. */
export function toEvidence({
  settings,
  survey,
  traffic,
}: {
  settings?: Partial<ServiceSettings>;
  survey?: Partial<Survey>;
  traffic?: Partial<Traffic>;
}): Evidence {
  return {
    settings: toServiceSettings(settings),
    survey: {
      account: skipped('not asked'),
      ...unseen,
      ...survey,
    },
    traffic: {
      requests: 1,
      answers: 1,
      rateLimited: 0,
      headers: [],
      ...traffic,
    },
  };
}

/** A look that the service answered with this status. */
export function answered(status: number): Look<never> {
  const { code, retry, outcome } = classifyStatus(status);
  const error = new UpstreamError(code, { operation: 'test', detail: '', retry, outcome, status });
  return { kind: 'failed', error };
}

/** A look without an answer, for the reason that Node gives as a code. */
export function unanswered(code: UpstreamErrorCode, causeCode: string): Look<never> {
  const cause = Object.assign(new Error('wrapped'), { cause: toNodeError(causeCode) });
  const fate = { retry: 'later', outcome: 'not-sent' } as const;
  return {
    kind: 'failed',
    error: new UpstreamError(code, { operation: 'test', detail: '', cause, ...fate }),
  };
}

function toNodeError(code: string): Error {
  return Object.assign(new Error('from the network'), { code });
}
