import { Paper, SimpleGrid, Text } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import type { Column } from '../../src/ops/lists/list.ts';
import { toTimeText } from '../../src/ops/lists/words.ts';
import { useRead } from '../api/queries.ts';
import type { Ops } from '../api/types.ts';
import { Facts, toTime } from '../parts/cell.tsx';
import { PlainTable } from '../parts/data-table.tsx';
import { Empty, Fault, Section } from '../parts/page.tsx';

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

type Samples = Ops<'Samples'>;
type Item = Samples['items'][number];

/** A chart: one number over time. */
interface Chart {
  readonly key: 'calls' | 'due' | 'drifts' | 'stuck' | 'refused';
  readonly title: string;
  readonly color: string;
}

const CHARTS: readonly Chart[] = [
  { key: 'calls', title: 'Calls a minute', color: 'indigo' },
  { key: 'due', title: 'Not in the service yet', color: 'teal' },
  { key: 'drifts', title: 'Differences that wait', color: 'orange' },
  { key: 'stuck', title: 'Refused by the service', color: 'red' },
  { key: 'refused', title: 'Refused requests a minute', color: 'grape' },
];
const TABLE_ROWS_MAX = 24;
/** Height of a plot in its own units, which are one wide for each sample. */
const HEIGHT = 100;

/** Charts of the last day, each with its table. */
function Charts({ samples }: { readonly samples: Samples }) {
  return (
    <SimpleGrid cols={{ base: 1, sm: 2, lg: 3 }} spacing="md">
      {CHARTS.map((chart) => (
        <OneChart key={chart.key} chart={chart} samples={samples} />
      ))}
    </SimpleGrid>
  );
}

/** The steps of a number, and a table that says the same to whoever does not see them. */
function OneChart({ chart, samples }: { readonly chart: Chart; readonly samples: Samples }) {
  const { key, title, color } = chart;
  const { items, callsMax } = samples;
  const limit = key === 'calls' && callsMax !== null && ` of at most ${callsMax}`;
  const most = Math.max(1, ...items.map((item) => item[key]));
  const [first, last] = [items[0], items.at(-1)];
  return (
    <Paper component="figure" withBorder p="sm" m={0} className="chart">
      <Text component="figcaption" size="sm" fw={500}>
        {title}: {last?.[key].toLocaleString('en')}
        <span className="quiet">{limit}</span>
      </Text>
      <div className="plot" aria-hidden="true">
        {most.toLocaleString('en')}
      </div>
      <svg
        aria-hidden="true"
        viewBox={`0 0 ${toPlace(samples, last) + 1} ${HEIGHT}`}
        preserveAspectRatio="none"
        color={`var(--mantine-color-${color}-6)`}
      >
        <path d={items.map((item) => toBar(toPlace(samples, item), item[key] / most)).join('')} />
      </svg>
      <div className="plot" aria-hidden="true">
        <span>{first && toTime(first.at)}</span>
        <span>{last && toTime(last.at)}</span>
      </div>
      <details>
        <summary>As a table</summary>
        <PlainTable label={title} columns={COLUMNS} items={toRows(items, key)} />
      </details>
    </Paper>
  );
}

/** Samples since the first one: a place without an item is a minute in which no process led. */
function toPlace({ items, everyMs }: Samples, item: Item | undefined): number {
  const since = Date.parse(items[0]?.at ?? '');
  return item === undefined ? 0 : Math.round((Date.parse(item.at) - since) / everyMs);
}

function toBar(x: number, part: number): string {
  const y = HEIGHT * (1 - part);
  return `M${x} ${HEIGHT}V${y}h1V${HEIGHT}`;
}

const COLUMNS: readonly Column<{ at: string; value: number }>[] = [
  { name: 'from', value: ({ at }) => toTime(at) },
  { name: 'at most', value: ({ value }) => value },
];

/** The most of each span of a day, the newest first. */
function toRows(items: readonly Item[], key: Chart['key']): { at: string; value: number }[] {
  const size = Math.max(1, Math.ceil(items.length / TABLE_ROWS_MAX));
  const spans = Array.from({ length: Math.ceil(items.length / size) }, (_, place) =>
    items.slice(place * size, (place + 1) * size),
  );
  return spans.toReversed().map((span) => {
    return { at: span[0]?.at ?? '', value: Math.max(...span.map((item) => item[key])) };
  });
}
