import { Text } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { toTimeText } from '../../src/ops/lists/words.ts';
import { useRead } from '../api/queries.ts';
import type { Ops } from '../api/types.ts';
import { Facts } from '../parts/facts.tsx';
import { Fault } from '../parts/fault.tsx';
import { Empty, Section } from '../parts/page.tsx';
import { Charts } from './charts.tsx';

/** Samples are a minute apart. */
const EVERY_MS = 60_000;

/** The last day in numbers: how fast leavers are out, and charts. */
export function LastDay() {
  const samples = useRead('Samples', '/samples', { everyMs: EVERY_MS });
  if (samples.error) return <Fault error={samples.error} />;
  if (!samples.data) return null;
  return (
    <>
      <Section
        title="A leaver's way out"
        lead="From the provider's request until the service holds it, in the last 24 hours."
      >
        <Leavers leavers={samples.data.leavers} />
        <Text size="sm">
          <Link to="/users" search={{ state: 'due' }}>
            Users with open work
          </Link>
        </Text>
      </Section>
      <Section title="The last 24 hours">
        {samples.data.items.length === 0 ? (
          <Empty>Nothing yet. The bridge takes a sample each minute and keeps two days.</Empty>
        ) : (
          <Charts samples={samples.data} />
        )}
      </Section>
    </>
  );
}

function Leavers({ leavers }: { readonly leavers: Ops<'Samples'>['leavers'] }) {
  if (leavers === null) return <Empty>Nobody has left in that time.</Empty>;
  return (
    <Facts
      items={[
        { title: 'leavers', text: leavers.count.toLocaleString('en') },
        { title: 'half of them within', text: toTimeText(leavers.p50Ms) },
        { title: '95 of 100 within', text: toTimeText(leavers.p95Ms) },
        { title: 'the slowest', text: toTimeText(leavers.slowestMs) },
      ]}
    />
  );
}
