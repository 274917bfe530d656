import { toHarmWords } from '../../domain/harm.ts';
import { isOfRecovery, type PlanOrigin } from '../../domain/plan.ts';
import { toCount } from '../../domain/text.ts';
import type { RecoveryState } from '../../reconcile/repair/recovery-state.ts';
import type { ProviderFacts } from '../../reconcile/repair/watch.ts';
import type { WaitingPlan } from '../../store/plans/plans.ts';
import { toMoment } from '../http/moment.ts';
import type { WaitingWork, WritesFacts } from './readiness-facts.ts';
import { type Reason, toSubjects } from './reason.ts';

/** True when changes are brought to the service at all. */
export function isSending({ mode, pause }: WritesFacts): boolean {
  return mode === 'live' && pause === undefined;
}

/** Reasons why nothing is changed. Writes of providers are answered with 2xx all the same, and kept. */
export function listWrites({ mode, pause }: WritesFacts, { changes }: WaitingWork): Reason[] {
  const accepted = `${toSubjects(changes)} accepted, not applied`;
  const reasons: Reason[] = [];
  if (mode === 'observe') {
    reasons.push({
      code: 'observe-mode',
      detail: `The bridge only observes and changes nothing in the service: ${accepted}.`,
      remedy:
        '`scim-bridge plan show --first-run` tells what would be done; `MODE=live` and a restart make it a plan to approve.',
    });
  }
  if (pause !== undefined) {
    reasons.push({
      code: 'writes-paused',
      detail: `An operator paused all changes of the service at ${toMoment(pause.since)}: ${accepted}.`,
      remedy:
        '`scim-bridge resume`, when it is time; `scim-bridge status` has the reason that was given.',
    });
  }
  return reasons;
}

/** Recovery. New writes of providers are brought to the service meanwhile; older changes are held. */
export function listRecovery(
  state: RecoveryState | undefined,
  plans: readonly WaitingPlan[],
): Reason[] {
  if (state === undefined) return [];
  const plan = plans.find(({ source }) => isOfRecovery(source));
  const remedy =
    plan === undefined
      ? 'Wait until the whole service was read; docs/recovery.md tells what comes then.'
      : `\`scim-bridge plan show ${plan.id}\`, then \`approve\` or \`discard\`; docs/recovery.md tells what they do.`;
  const isFirstRun = state.phase !== 'requested' && state.reason.code === 'first-run';
  const why = isFirstRun
    ? 'What was accepted while the bridge observed is held'
    : 'The store is older than what was done';
  const waiting =
    plan === undefined
      ? ''
      : ` A plan of ${toCount(plan.waiting, 'change')} waits for an operator.`;
  const detail = `${why}: since ${toMoment(state.since)} only new writes are brought to the service.${waiting}`;
  return [{ code: 'recovery', detail, remedy }];
}

/** Plans that wait, beside the one of recovery: nothing of them is done before an operator decides. */
export function listWaitingPlans(plans: readonly WaitingPlan[]): Reason[] {
  const others = plans.filter(({ source }) => !isOfRecovery(source));
  return others.map(({ id, source, created_at, waiting }) => ({
    code: 'plan-held',
    detail: `${toWhat(source, waiting)} since ${toMoment(created_at)}, because ${toWhy(source)}.`,
    remedy: `\`scim-bridge plan show ${id}\`, then \`approve\` or \`discard\`; docs/${source === 'handover' ? 'go-live' : 'drift'}.md tells what they do.`,
  }));
}

function toWhat(source: PlanOrigin, waiting: number): string {
  return `A plan of ${toCount(waiting, ...toKind(source))} waits for an operator`;
}

/** Names the changes of a plan, for one and for many. */
function toKind(source: PlanOrigin): readonly [one: string, many: string] {
  if (source === 'provider') {
    return ['removal by identity providers', 'removals by identity providers'];
  }
  return source === 'handover' ? ['handover', 'handovers'] : ['repair', 'repairs'];
}

function toWhy(source: PlanOrigin): string {
  if (source === 'provider') return 'more were asked for than limits.provider allows in 24 hours';
  if (source === 'handover') return 'an operator is to approve each';
  return 'it would take away more than the limits allow';
}

/** Unusual behaviour of providers. It may be meant, so removals alone are held, above `limits.provider`. */
export function listProviders({ silentSince, exceeded }: ProviderFacts): Reason[] {
  const reasons: Reason[] = [];
  if (exceeded.length > 0) {
    const counts = exceeded.map(({ harm, count }) => toHarmWords(harm, count)).join(', ');
    reasons.push({
      code: 'provider-harm',
      detail: `Identity providers took away more than the limits of repairs within 24 hours: ${counts}.`,
      remedy:
        'See in the provider whether it is meant. `scim-bridge pause` stops all changes; more than `limits.provider` waits in a plan.',
    });
  }
  if (silentSince !== undefined) {
    reasons.push({
      code: 'provider-silent',
      detail: `No identity provider has asked for anything since ${toMoment(silentSince)}.`,
      remedy:
        'See whether provisioning is on in the provider, and whether its token and address are right.',
    });
  }
  return reasons;
}
