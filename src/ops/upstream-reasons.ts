import type { UpstreamFacts } from './readiness-facts.ts';
import { type Reason, toTime } from './reason.ts';

/** What of the service, or of what it is asked with, is not as it should be. */
export function listUpstream({ credentials, service, pausedForMs }: UpstreamFacts): Reason[] {
  const reasons: Reason[] = [];
  if (credentials.kind === 'shut') {
    reasons.push({
      code: 'credentials-refused',
      detail: `The service refuses the token since ${toTime(credentials.sinceMs)}; writes are kept for later.`,
      remedy: 'Set a new token as `upstream.token` and restart; `scim-bridge check` proves it.',
    });
  }
  if (service.kind === 'shut') {
    reasons.push({
      code: 'service-down',
      detail: `The service fails or does not answer since ${toTime(service.sinceMs)}; writes are kept for later.`,
      remedy: 'Wait when the service is down; otherwise check network, `upstream.url` and proxy.',
    });
  }
  if (pausedForMs > 0) {
    reasons.push({
      code: 'paused',
      detail: `The service asks for a pause of all calls, for ${Math.ceil(pausedForMs / 1_000)} more seconds; writes are kept for later.`,
      remedy:
        'Nothing when it is rare; otherwise lower `upstream.requestsPerSecond`, or find who else uses the token.',
    });
  }
  return reasons;
}
