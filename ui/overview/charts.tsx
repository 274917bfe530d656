import '@mantine/charts/styles.css';
import { AreaChart } from '@mantine/charts';
import { Paper, SimpleGrid, Text } from '@mantine/core';
import type { Ops } from '../api/types.ts';
import { Frame } from '../parts/frame.tsx';
import { toTime } from '../parts/moment.tsx';

type Samples = Ops<'Samples'>;
type Item = Samples['items'][number];

/** A chart: one number over time. */
interface Chart {
  readonly key: 'calls' | 'due' | 'drifts' | 'stuck' | 'refused';
  readonly title: string;
  readonly color: string;
}

const CHARTS: readonly Chart[] = [
  { key: 'calls', title: 'Calls a minute', color: 'indigo.6' },
  { key: 'due', title: 'Not in the service yet', color: 'teal.6' },
  { key: 'drifts', title: 'Differences that wait', color: 'orange.6' },
  { key: 'stuck', title: 'Refused by the service', color: 'red.6' },
  { key: 'refused', title: 'Refused requests a minute', color: 'grape.6' },
];
/** Rows of a table: as many as somebody reads. */
const ROWS = 24;

/** Charts of the last day, each with its table. */
export function Charts({ samples }: { readonly samples: Samples }) {
  return (
    <SimpleGrid cols={{ base: 1, sm: 2, lg: 3 }} spacing="md">
      {CHARTS.map((chart) => (
        <OneChart key={chart.key} chart={chart} samples={samples} />
      ))}
    </SimpleGrid>
  );
}

function OneChart({ chart, samples }: { readonly chart: Chart; readonly samples: Samples }) {
  const { key, title, color } = chart;
  const data = [...withGaps(samples)].map(({ at, item }) => ({
    ...{ time: toTime(at), [title]: item?.[key] ?? null },
  }));
  const limit = key === 'calls' ? samples.callsMax : null;
  const last = samples.items.at(-1)?.[key] ?? 0;
  return (
    <Paper component="figure" withBorder p="sm" m={0} className="chart">
      <Text component="figcaption" size="sm" fw={500}>
        {title}: <span className="number">{last.toLocaleString('en')}</span>
        {limit !== null && <span className="detail"> of at most {limit.toLocaleString('en')}</span>}
      </Text>
      <div aria-hidden="true">
        <AreaChart
          h={130}
          data={data}
          dataKey="time"
          series={[{ name: title, color }]}
          curveType="stepAfter"
          connectNulls={false}
          withDots={false}
          // The table below says the same to whoever does not see it.
          areaChartProps={{ accessibilityLayer: false }}
          strokeWidth={1.5}
          gridAxis="x"
          tickLine="none"
          areaProps={{ isAnimationActive: false }}
          yAxisProps={{ width: 44, allowDecimals: false, tickCount: 3 }}
          xAxisProps={{ minTickGap: 48, interval: 'equidistantPreserveStart' }}
          {...(limit === null ? {} : { referenceLines: [{ y: limit, color: 'red.6' }] })}
        />
      </div>
      <Numbers chart={chart} samples={samples} />
    </Paper>
  );
}

/** Samples with an empty place wherever no process led: what was not seen is not drawn. */
function* withGaps({ items, everyMs }: Samples): Generator<{ at: string; item?: Item }> {
  let expected: number | undefined;
  for (const item of items) {
    const at = Date.parse(item.at);
    for (let gap = expected ?? at; gap < at - everyMs / 2; gap += everyMs) {
      yield { at: new Date(gap).toISOString() };
    }
    yield { at: item.at, item };
    expected = at + everyMs;
  }
}

function Numbers({
  chart: { key, title },
  samples,
}: {
  readonly chart: Chart;
  readonly samples: Samples;
}) {
  return (
    <details>
      <summary>As a table</summary>
      <Frame label={title} columns={['From', 'At most']}>
        {toRows(samples.items, key).map(({ at, value }) => (
          <tr key={at}>
            <th scope="row">{toTime(at)}</th>
            <td className="number">{value.toLocaleString('en')}</td>
          </tr>
        ))}
      </Frame>
    </details>
  );
}

/** The most of each span of a day, the newest first. */
function toRows(items: readonly Item[], key: Chart['key']): { at: string; value: number }[] {
  const size = Math.max(1, Math.ceil(items.length / ROWS));
  const rows: { at: string; value: number }[] = [];
  for (let first = 0; first < items.length; first += size) {
    const span = items.slice(first, first + size);
    rows.push({ at: span[0]?.at ?? '', value: Math.max(...span.map((item) => item[key])) });
  }
  return rows.toReversed();
}
