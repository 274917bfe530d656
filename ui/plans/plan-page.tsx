import { Loader } from '@mantine/core';
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router';
import { toCounts, toDecider, toHarm, toReason, toSource } from '../../src/ops/lists/words.ts';
import { useRead } from '../api/queries.ts';
import type { Ops } from '../api/types.ts';
import { FirstRunPage } from '../lists/pages.tsx';
import { Act, Acts } from '../parts/act.tsx';
import { Fault } from '../parts/fault.tsx';
import { ExactMoment } from '../parts/moment.tsx';
import { type Fact, Facts, Page, Section } from '../parts/page.tsx';
import { StateTag } from '../parts/tag.tsx';
import { PlanDiff } from './plan-diff.tsx';

type PlanOf = Ops<'Plan'>;

const route = getRouteApi('/plans/$id');

/** One plan: what it does to whom, and the decision about it. */
export function PlanPage() {
  const { id } = route.useParams();
  return id === 'first-run' ? <FirstRunPage /> : <MadePlan id={id} />;
}

function MadePlan({ id }: { readonly id: string }) {
  const plan = useRead('Plan', `/plans/${encodeURIComponent(id)}`, { topics: ['plans', 'work'] });
  if (plan.error) return <Fault error={plan.error} />;
  return <OnePlan key={id} id={id} plan={plan.data} />;
}

/** A large plan is summed up for a while; its changes can be read meanwhile. */
function OnePlan({ id, plan }: { readonly id: string; readonly plan: PlanOf | undefined }) {
  return (
    <Page
      title={plan === undefined ? 'Plan' : toCounts(plan.counts.kinds)}
      lead={plan && toLead(plan.status, plan.reason)}
      actions={plan ? <StateTag state={plan.status} /> : <Loader size="sm" />}
    >
      {plan && <Facts items={toFacts(plan)} />}
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

function toFacts(plan: PlanOf): Fact[] {
  const { counts, status, source } = plan;
  return [
    ['Changes', counts.total.toLocaleString('en')],
    ...(OWN.includes(source) ? [] : [['By whom', toAuthors(plan.summary)] as const]),
    ...(status === 'held' ? [] : [['What became of them', toProgress(plan)] as const]),
    ['Harm', toHarm(counts.harm)],
    ...(plan.seats?.needs ? [['Seats', toSeats(plan.seats)] as const] : []),
    ['From', toSource(plan.source)],
    ['Hash', <code key="hash">{plan.hash.slice(0, 12)}</code>],
    ...(plan.undoes === null
      ? []
      : [['Undoes', <PlanLink key="undoes" id={plan.undoes} />] as const]),
  ];
}

/** Why the plan waits, or why nothing of it is done. */
function toLead(status: PlanOf['status'], reason: PlanOf['reason']): string {
  if (reason === null) return 'Nothing kept it from being done at once.';
  return status === 'held' ? `Waits for you. ${toReason(reason)}.` : toReason(reason);
}

/** Seats of the service that the plan needs, beside those that are free. */
function toSeats({ needs, frees, has }: NonNullable<PlanOf['seats']>): string {
  const freed = frees === 0 ? '' : `, frees ${frees.toLocaleString('en')}`;
  const free = has === null ? 'how many are free is not known' : `has ${has.toLocaleString('en')}`;
  return `needs ${needs.toLocaleString('en')}${freed}, ${free}`;
}

/** Tells how far the changes are. */
function toProgress({ done, dropped, waiting, counts: { total } }: PlanOf): string {
  const parts = [
    [done, 'done'],
    [dropped, 'dropped out'],
    [waiting, 'not begun'],
    [total - done - dropped - waiting, 'under way'],
  ] as const;
  const told = parts.filter(([count]) => count > 0);
  return (
    told.map(([count, word]) => `${count.toLocaleString('en')} ${word}`).join(', ') || 'nothing'
  );
}

/** Sources of plans that are about no change in the service. */
const OWN: readonly PlanOf['source'][] = ['handover', 'undo', 'first-run'];

/** Authors of the differences, or providers who asked, the most first. */
function toAuthors(summary: PlanOf['summary']): string {
  const counts = Map.groupBy(summary, ({ by }) => by ?? 'not known');
  return [...counts]
    .map(
      ([by, rows]) =>
        `${by}: ${rows.reduce((sum, { count }) => sum + count, 0).toLocaleString('en')}`,
    )
    .join(', ');
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

function PlanLink({ id }: { readonly id: string }) {
  return (
    <Link to="/plans/$id" params={{ id }}>
      {id}
    </Link>
  );
}

function Decision({ plan }: { readonly plan: PlanOf }) {
  if (plan.status === 'held') {
    return (
      <Acts>
        <Approve plan={plan} />
        <Act
          name="Plan"
          label="Discard"
          meaning={toDiscarding(plan.source)}
          command={`scim-bridge plan discard ${plan.id}`}
          path={`/plans/${plan.id}/discard`}
          confirm={toDiscarding(plan.source)}
        />
      </Acts>
    );
  }
  if (plan.status !== 'applied') return null;
  return (
    <Acts>
      <Undo plan={plan} />
    </Acts>
  );
}

function Approve({ plan }: { readonly plan: PlanOf }) {
  const { id, hash, counts } = plan;
  return (
    <Act
      name="Plan"
      label="Approve"
      isMain
      meaning="Does exactly what is listed here, as far as it still holds. It may shrink, it never grows."
      command={`scim-bridge plan approve ${id} ${hash}`}
      path={`/plans/${id}/approve`}
      body={{ hash }}
      confirm={
        <>
          {toCounts(counts.kinds)}. Harm: {toHarm(counts.harm)}. You approve the plan with the hash{' '}
          <code>{hash.slice(0, 12)}</code>: if it is another one by now, nothing is done.
        </>
      }
      told={() => 'Approved. Its changes go to the service now.'}
    />
  );
}

function Undo({ plan }: { readonly plan: PlanOf }) {
  const navigate = useNavigate();
  return (
    <Act
      name="Undoing"
      label="Undo"
      meaning="Makes a plan that takes back what this one did, as far as the provider has written nothing of it since."
      command={`scim-bridge plan undo ${plan.id}`}
      path={`/plans/${plan.id}/undo`}
      confirm={<Undoing id={plan.id} />}
      onDone={({ id }) => void navigate({ to: '/plans/$id', params: { id } })}
    />
  );
}

/** Preview of undoing the plan now. */
function Undoing({ id }: { readonly id: string }) {
  const preview = useRead('UndoPreview', `/plans/${encodeURIComponent(id)}/undoing`, {
    topics: ['plans', 'work'],
  });
  if (preview.error) return <Fault error={preview.error} />;
  if (!preview.data) return <Loader size="sm" />;
  const { counts, leftOut } = preview.data;
  return (
    <>
      {toCounts(counts.kinds)}. Harm: {toHarm(counts.harm)}.
      {leftOut > 0 &&
        ` ${leftOut.toLocaleString('en')} stay as they are: the provider has written them since, or they cannot be undone.`}
    </>
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
