import type { DecisionDeps } from '../reconcile/repair/deps.ts';
import { BLIND } from '../reconcile/sections.ts';
import { findGroupPrivilege } from '../rules/rules.ts';
import { adopt } from '../scim/adopt.ts';
import type { ScimDeps } from '../scim/deps.ts';
import type { Leadership } from './leader.ts';
import type { WatchedOptions } from './options.ts';
import type { BridgeParts } from './parts.ts';
import { toScimPolicy } from './settings.ts';

/** Path of SCIM below the public address. */
export const SCIM_PATH = '/scim/v2';

/** Dependencies of the SCIM handlers. */
export function toScimDeps(options: WatchedOptions, parts: BridgeParts): ScimDeps {
  const { settings, store, clock, events } = options;
  const { leadership, rules, reconciler, requests, formerIds } = parts;
  return {
    store,
    formerIds,
    openRequest: requests.open,
    rules,
    reconciler,
    clock,
    findCredential: parts.access.find,
    attempts: parts.attempts,
    policy: toScimPolicy(settings),
    baseUrl: `${options.publicUrl}${SCIM_PATH}`,
    findClosed: createClosedFinder(leadership),
    looksFirst: () => leadership.news().isReading,
    isUpstreamDown() {
      const { credentials, service } = leadership.news().health;
      return credentials.kind === 'shut' || service.kind === 'shut';
    },
    tracing: options.tracing,
    events,
  };
}

/**
 * Applies the rules for requests to automatic reactions as well. Looked up late, because the SCIM handlers need the
 * detectors as well.
 */
export function toDriftRules(
  findDeps: () => ScimDeps,
): Pick<DecisionDeps, 'adopt' | 'findGroupPrivilege'> {
  return {
    adopt: ({ type, id }, how) => adopt(findDeps(), type, { id, privileged: 'refuse', ...how }),
    findGroupPrivilege: (tx, row) => findGroupPrivilege(tx, findDeps(), row),
  };
}

/** "Not found" may be said only once everything was read, and never of a section we may not read. */
function createClosedFinder({ news }: Pick<Leadership, 'news'>): ScimDeps['findClosed'] {
  return function findClosed(type) {
    const { firstRead, sections } = news();
    if (firstRead.kind !== 'finished') {
      const detail =
        'The bridge is still reading the service for the first time. Try again shortly.';
      return { detail, retryAfterSeconds: 10 };
    }
    const section = type === 'user' ? 'users' : 'groups';
    const problem = sections[section]?.problem;
    // What the service does not show for now is known, and a write of it waits.
    if (!problem || problem.code === BLIND.code) return undefined;
    const detail = `The service does not let the bridge use its ${section} (${problem.code}). scim-bridge check tells the remedy.`;
    return { detail, retryAfterSeconds: 300 };
  };
}
