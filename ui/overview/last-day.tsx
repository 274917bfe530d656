import { Text } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { lazy, Suspense } from 'react';
import { useRead } from '../api/queries.ts';
import type { Ops } from '../api/types.ts';
import { toLength } from '../parts/count.ts';
import { Fault } from '../parts/fault.tsx';
import { Empty, Facts, Section } from '../parts/page.tsx';

/** Samples are a minute apart. */
const EVERY_MS = 60_000;
const Charts = lazy(async () => ({ default: (await import('./charts.tsx')).Charts }));

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
            Users of whom something is to be done now
          </Link>
        </Text>
      </Section>
      <Section title="The last 24 hours">
        {samples.data.items.length === 0 ? (
          <Empty>Nothing yet. The bridge takes a sample each minute and keeps two days.</Empty>
        ) : (
          <Suspense fallback={null}>
            <Charts samples={samples.data} />
          </Suspense>
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
        ['Leavers', leavers.count.toLocaleString('en')],
        ['Half of them within', toLength(leavers.p50Ms)],
        ['95 of 100 within', toLength(leavers.p95Ms)],
        ['The slowest', toLength(leavers.slowestMs)],
      ]}
    />
  );
}
