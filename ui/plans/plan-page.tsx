import { Loader } from '@mantine/core';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { PLAN_APPROVE, PLAN_DISCARD, PLAN_UNDO } from '../../src/ops/lists/acts.ts';
import { listPlanFacts } from '../../src/ops/lists/details.ts';
import { PLAN_TONES } from '../../src/ops/lists/plans.ts';
import { toCounts, toDecider, toHarm, toReason, toSource } from '../../src/ops/lists/words.ts';
import { useRead } from '../api/queries.ts';
import type { Ops } from '../api/types.ts';
import { FirstRunPage } from '../lists/pages.tsx';
import { Act, Acts } from '../parts/act.tsx';
import { ExactMoment, Facts, Tag } from '../parts/cell.tsx';
import { Fault, Page, Section } from '../parts/page.tsx';
import { PlanDiff } from './plan-diff.tsx';

type PlanOf = Ops<'Plan'>;

const route = getRouteApi('/plans/$id');

/** One plan: what it does to whom, and the decision about it. */
export function PlanPage() {
  const { id } = route.useParams();
  return id === 'first-run' ? <FirstRunPage /> : <MadePlan id={id} />;
}

function MadePlan({ id }: { readonly id: string }) {
  const plan = useRead('Plan', `/plans/${encodeURIComponent(id)}`);
  if (plan.error) return <Fault error={plan.error} />;
  return <OnePlan key={id} id={id} plan={plan.data} />;
}

/** A large plan is summed up for a while; its changes can be read meanwhile. */
function OnePlan({ id, plan }: { readonly id: string; readonly plan: PlanOf | undefined }) {
  return (
    <Page
      title={plan === undefined ? 'Plan' : toCounts(plan.counts.kinds)}
      lead={plan && toLead(plan.status, plan.reason)}
      actions={
        plan ? (
          <Tag tone={PLAN_TONES[plan.status] ?? 'quiet'} text={plan.status} />
        ) : (
          <Loader size="sm" />
        )
      }
    >
      {plan && <Facts items={listPlanFacts(plan)} />}
      {plan && <Decision plan={plan} />}
      <Section
        title="Changes"
        lead="By group and by who changed it. Wanted is what the provider or a rule asked for; seen is what the service holds."
      >
        <PlanDiff id={id} />
      </Section>
      {plan && <History plan={plan} />}
    </Page>
  );
}

/** Why the plan waits, or why nothing of it is done. */
function toLead(status: PlanOf['status'], reason: PlanOf['reason']): string {
  if (reason === null) return 'Nothing kept it from being done at once.';
  return status === 'held' ? `Waits for you. ${toReason(reason)}.` : toReason(reason);
}

function toDiscarding(source: PlanOf['source']): string {
  if (source === 'provider' || source === 'first-run' || source === 'restore') {
    return 'Does nothing of it: what the service holds is what is wanted from now on, until the provider writes it again.';
  }
  if (source === 'handover') {
    return 'Does nothing of it: everybody stays with their provider.';
  }
  return 'Does nothing of it. The differences stay, and stay reported; a later sweep may propose it again.';
}

function Decision({ plan }: { readonly plan: PlanOf }) {
  const { id, hash, counts, source, status } = plan;
  const navigate = useNavigate();
  if (status === 'held') {
    return (
      <Acts>
        <Act
          act={PLAN_APPROVE}
          given={{ id, hash }}
          label="Approve"
          isMain
          confirm={`${toCounts(counts.kinds)}. Harm: ${toHarm(counts.harm)}. You approve the plan with the hash ${hash.slice(0, 12)}: if it is another one by now, nothing is done.`}
        />
        <Act act={PLAN_DISCARD} given={{ id }} label="Discard" confirm={toDiscarding(source)} />
      </Acts>
    );
  }
  if (status !== 'applied') return null;
  return (
    <Acts>
      <Act
        key="undo"
        act={PLAN_UNDO}
        given={{ id }}
        label="Undo"
        confirm="What it did and nobody has written since is put back as it was."
        onDone={({ id: made }) => void navigate({ to: '/plans/$id', params: { id: made } })}
      />
    </Acts>
  );
}

function History({ plan }: { readonly plan: PlanOf }) {
  const { createdAt, decidedAt, endedAt, status, source } = plan;
  const decision = status === 'discarded' ? 'Discarded' : 'Approved';
  return (
    <Section title="History">
      <ol className="timeline">
        <li>
          <ExactMoment at={createdAt} />
          <span>Made</span>
          <span>by {toSource(source)}</span>
        </li>
        {decidedAt && (
          <li>
            <ExactMoment at={decidedAt} />
            <span>{decision}</span>
            <span>by {toDecider(plan)}</span>
          </li>
        )}
        {endedAt && status === 'applied' && (
          <li>
            <ExactMoment at={endedAt} />
            <span>Applied</span>
            <span>each change was done or dropped out</span>
          </li>
        )}
      </ol>
    </Section>
  );
}
