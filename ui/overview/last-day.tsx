import { Paper, SimpleGrid, Text } from '@mantine/core';
import { toCount } from '../../src/domain/values.ts';
import { toTimeText } from '../../src/ops/lists/words.ts';
import { useRead, useStatus } from '../api/queries.ts';
import type { Ops } from '../api/types.ts';
import { Facts, toTime } from '../parts/cell.tsx';
import { Empty, Fault, Section } from '../parts/page.tsx';

const EVERY_MS = 60_000;

/** The last day in numbers: how fast leavers are out, and charts. */
export function LastDay() {
  const { error, data } = useRead('Samples', '/samples', { everyMs: EVERY_MS });
  if (error) return <Fault error={error} />;
  if (!data) return null;
  return (
    <>
      <Section
        title="A leaver's way out"
        lead="From the provider's request until the service holds it, in the last 24 hours."
      >
        <Leavers leavers={data.leavers} />
      </Section>
      <Section title="The last 24 hours">
        {data.items.length === 0 && (
          <Empty>Nothing yet. The bridge takes a sample every five minutes.</Empty>
        )}
        {data.items.length > 0 && (
          <SimpleGrid cols={{ base: 1, sm: 2, lg: 3 }} spacing="md">
            {CHARTS.map((chart) => (
              <OneChart key={chart[0]} chart={chart} samples={data} />
            ))}
          </SimpleGrid>
        )}
      </Section>
    </>
  );
}

function Leavers({ leavers }: { readonly leavers: Ops<'Samples'>['leavers'] }) {
  const waiting = useStatus().data?.leavers?.count ?? 0;
  if (leavers === null) {
    const who = toCount(waiting, 'who left is', 'who left are');
    const late = `Nobody got out in that time: ${who} not out yet.`;
    return <Empty>{waiting === 0 ? 'Nobody has left in that time.' : late}</Empty>;
  }
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

/** Numbers over time, each with its title and colour. */
const CHARTS = [
  ['calls', 'Calls a minute', 'indigo'],
  ['due', 'Not in the service yet', 'teal'],
  ['drifts', 'Differences that wait', 'orange'],
  ['stuck', 'Refused by the service', 'red'],
  ['refused', 'Refused requests a minute', 'grape'],
] as const;
/** Height of a plot in its own units, which are one wide for each sample. */
const HEIGHT = 100;

/** The steps of a number, and in words the last one and the most. */
function OneChart({
  chart: [key, title, color],
  samples,
}: {
  readonly chart: (typeof CHARTS)[number];
  readonly samples: Samples;
}) {
  const { items, callsMax } = samples;
  const limit = key === 'calls' && callsMax !== null && ` of ${callsMax} allowed`;
  const most = Math.max(...items.map((item) => item[key]));
  const [first, last] = [items[0], items.at(-1)];
  return (
    <Paper component="figure" withBorder p="sm" m={0} className="chart">
      <Text component="figcaption" size="sm" fw={500}>
        {title}: {last?.[key].toLocaleString('en')}
        <span className="quiet">
          {limit}, the most {most.toLocaleString('en')}
        </span>
      </Text>
      <svg
        aria-hidden="true"
        viewBox={`0 0 ${toPlace(samples, last) + 1} ${HEIGHT}`}
        preserveAspectRatio="none"
        color={`var(--mantine-color-${color}-6)`}
      >
        <path
          d={items
            .map((item) => toBar(toPlace(samples, item), item[key] / Math.max(1, most)))
            .join('')}
        />
      </svg>
      <div className="plot" aria-hidden="true">
        <span>{first && toTime(first.at)}</span>
        <span>{last && toTime(last.at)}</span>
      </div>
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
