import { Loader } from '@mantine/core';
import { Link, useNavigate, useParams } from '@tanstack/react-router';
import { acts } from '../../src/ops/lists/acts.ts';
import { type Fact, listPlanFacts } from '../../src/ops/lists/details.ts';
import { ACTIONS, PLAN_TONES } from '../../src/ops/lists/tables.ts';
import { toCounts, toDecider, toHarm } from '../../src/ops/lists/words.ts';
import { useRead, useStatus } from '../api/queries.ts';
import type { Ops } from '../api/types.ts';
import { ListTable } from '../lists/list-page.tsx';
import { Act, Acts } from '../parts/act.tsx';
import { Facts, Tag } from '../parts/cell.tsx';
import { Fault, Page, Section } from '../parts/page.tsx';

type PlanOf = Ops<'Plan'>;

/** Leads to what was asked for while the bridge observes, and of which no plan is made yet. */
export function Observing() {
  if (useStatus().data?.writes.mode !== 'observe') return null;
  return <Link to="/plans/first-run">What the bridge would do if it were live</Link>;
}

/** One plan: what it does to whom, and the decision about it. */
export function PlanPage() {
  const { id = '' } = useParams({ strict: false });
  return <MadePlan key={id} id={id} />;
}

/** Its changes are read at the same time. */
function MadePlan({ id }: { readonly id: string }) {
  const path = `/plans/${encodeURIComponent(id)}`;
  const { error, data: plan } = useRead('Plan', path);
  if (error) return <Fault error={error} />;
  return (
    <Page
      title={plan === undefined ? 'Plan' : toCounts(plan.counts.kinds)}
      lead={plan && toLead(plan)}
      actions={
        plan ? (
          <Tag tone={PLAN_TONES[plan.status] ?? 'quiet'}>{plan.status}</Tag>
        ) : (
          <Loader size="sm" />
        )
      }
    >
      {plan && <Facts items={[...listPlanFacts(plan), ...listMoments(plan)]} />}
      {plan && <Decision plan={plan} />}
      <Section title="Changes">
        <ListTable
          name="PlanActionList"
          path={`${path}/actions`}
          columns={ACTIONS}
          label="Changes of the plan"
          none="This plan has no changes."
        />
      </Section>
    </Page>
  );
}

function toLead({ status, reason }: PlanOf): string {
  if (reason === null) return 'Nothing kept it from being done at once.';
  return status === 'held' ? `Waits for you: ${reason}.` : reason;
}

function listMoments(plan: PlanOf): Fact[] {
  const { status, createdAt, decidedAt, endedAt } = plan;
  const decision = status === 'discarded' ? 'discarded' : 'approved';
  return [
    { title: 'made', text: createdAt },
    ...(decidedAt ? [{ title: decision, text: `${decidedAt} by ${toDecider(plan)}` }] : []),
    ...(endedAt && status === 'applied' ? [{ title: 'applied', text: endedAt }] : []),
  ];
}

function Decision({ plan: { id, hash, counts, status, done } }: { readonly plan: PlanOf }) {
  const navigate = useNavigate();
  if (status === 'held') {
    return (
      <Acts>
        <Act
          act={acts.PLAN_APPROVE}
          given={{ id, hash }}
          label="Approve"
          isMain
          confirm={`${toCounts(counts.kinds)}. Harm: ${toHarm(counts.harm)}. You approve the plan with the hash ${hash.slice(0, 12)}: if it is another one by now, nothing is done.`}
        />
        <Act act={acts.PLAN_DISCARD} given={{ id }} label="Discard" />
      </Acts>
    );
  }
  if (status !== 'applied' || done === 0) return null;
  return (
    <Acts>
      <Act
        act={acts.PLAN_UNDO}
        given={{ id }}
        label="Undo"
        confirm="What it did and nobody has written since is put back as it was."
        onDone={({ id: made }) => void navigate({ to: '/plans/$id', params: { id: made } })}
      />
    </Acts>
  );
}
