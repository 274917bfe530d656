import { Loader, Progress, Stack, Text, Title } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useEffect } from 'react';
import { useRead } from '../api/queries.ts';
import type { Ops } from '../api/types.ts';
import { Fault } from '../parts/fault.tsx';
import { Moment } from '../parts/moment.tsx';
import { Section } from '../parts/page.tsx';
import { Words } from '../parts/words.tsx';
import { LastDay } from './last-day.tsx';
import { OverviewActs } from './overview-acts.tsx';
import { OverviewFacts } from './overview-facts.tsx';
import { Troubles } from './troubles.tsx';
import { type Concern, toVerdict } from './verdict.ts';

/** Interval of reads of the state, which holds estimates, in milliseconds. */
const EVERY_MS = 5_000;

/** Answers whether the bridge may be left alone. */
export function OverviewPage() {
  const status = useRead('Status', '/status', {
    topics: ['work', 'plans', 'drifts', 'access'],
    everyMs: EVERY_MS,
  });
  const held = useRead('PlanList', '/plans?status=held&limit=100', { topics: ['plans'] });
  useEffect(() => {
    document.title = 'Overview · scim-bridge';
  }, []);
  const error = status.error ?? held.error;
  if (error) return <Fault error={error} />;
  if (!status.data || !held.data) return <Loader aria-label="Loading" />;
  return <Overview status={status.data} heldPlans={held.data.items.length} />;
}

function Overview({
  status,
  heldPlans,
}: {
  readonly status: Ops<'Status'>;
  readonly heldPlans: number;
}) {
  const { tone, line, concerns } = toVerdict(status, heldPlans);
  return (
    <Stack gap="lg">
      <div className="verdict" data-tone={tone}>
        <Text size="sm" c="dimmed">
          May I leave it alone?
        </Text>
        <Title order={1}>{line}</Title>
      </div>
      {concerns.length > 0 && <Concerns concerns={concerns} />}
      <OverviewFacts status={status} />
      {status.release && <Release release={status.release} />}
      <Troubles status={status} />
      <LastDay />
      <OverviewActs status={status} />
    </Stack>
  );
}

function Concerns({ concerns }: { readonly concerns: readonly Concern[] }) {
  return (
    <ul className="reasons" aria-label="What needs you">
      {concerns.map(({ title, remedy, to }) => (
        <li key={title}>
          <strong>
            <Words text={title} />
          </strong>
          <p>
            <Words text={remedy} /> {to && <Link to={to}>Show</Link>}
          </p>
        </li>
      ))}
    </ul>
  );
}

function Release({ release }: { readonly release: NonNullable<Ops<'Status'>['release']> }) {
  const { done, total, stuck, endsAt, startedAt } = release;
  return (
    <Section title="The approved plan">
      <Progress
        value={total === 0 ? 100 : (done / total) * 100}
        aria-label={`${done} of ${total} done`}
      />
      <Text size="sm">
        {done.toLocaleString('en')} of {total.toLocaleString('en')} users and groups are done
        {stuck > 0 && `, ${stuck} are refused`}; begun <Moment at={startedAt} />
        {endsAt !== null && ', done '}
        {endsAt !== null && <Moment at={endsAt} />}.
      </Text>
    </Section>
  );
}
