import { Paper, SimpleGrid, Text } from '@mantine/core';
import type { Column } from '../../src/ops/lists/list.ts';
import type { Ops } from '../api/types.ts';
import { toTime } from '../parts/moment.tsx';
import { PlainTable } from '../parts/plain-table.tsx';

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
  const { key, title } = chart;
  const places = [...withGaps(samples)];
  const limit = key === 'calls' ? samples.callsMax : null;
  const last = samples.items.at(-1)?.[key] ?? 0;
  return (
    <Paper component="figure" withBorder p="sm" m={0} className="chart">
      <Text component="figcaption" size="sm" fw={500}>
        {title}: <span className="number">{last.toLocaleString('en')}</span>
        {limit !== null && <span className="detail"> of at most {limit.toLocaleString('en')}</span>}
      </Text>
      <Plot chart={chart} places={places} />
      <Numbers chart={chart} samples={samples} />
    </Paper>
  );
}

/** A minute of the plot; without an item where no process led. */
interface Place {
  readonly at: string;
  readonly item?: Item;
}

/** Samples with an empty place wherever no process led: what was not seen is not drawn. */
function* withGaps({ items, everyMs }: Samples): Generator<Place> {
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

/** Paths of steps one wide, and of the area below them; undefined interrupts both. */
function drawSteps(heights: readonly (number | undefined)[]): { area: string; steps: string } {
  let area = '';
  let steps = '';
  for (const [x, y] of heights.entries()) {
    if (y === undefined) continue;
    area += `M${x} ${HEIGHT}V${y}h1V${HEIGHT}`;
    steps += `${heights[x - 1] === undefined ? `M${x} ` : 'V'}${y}h1`;
  }
  return { area, steps };
}

/** Height of a plot in its own units, which are one wide for each sample. */
const HEIGHT = 100;

/** The steps of a number. The table below says the same to whoever does not see it. */
function Plot({
  chart: { key, color },
  places,
}: {
  readonly chart: Chart;
  readonly places: readonly Place[];
}) {
  const top = toTop(Math.max(...places.map(({ item }) => item?.[key] ?? 0)));
  const toY = (value: number) => HEIGHT * (1 - value / top);
  const { area, steps } = drawSteps(places.map(({ item }) => item && toY(item[key])));
  return (
    <div className="plot" aria-hidden="true">
      <div className="values">
        <span>{top.toLocaleString('en')}</span>
        <span>{top > 1 && (top / 2).toLocaleString('en')}</span>
        <span>0</span>
      </div>
      <svg
        aria-hidden="true"
        viewBox={`0 0 ${places.length} ${HEIGHT}`}
        preserveAspectRatio="none"
        color={`var(--mantine-color-${color}-6)`}
      >
        <path
          className="grid"
          d={[0, 0.5, 1].map((part) => toLine(part * HEIGHT, places)).join('')}
        />
        <path className="area" d={area} />
        <path className="steps" d={steps} />
      </svg>
      <div className="times">
        {listTimes(places).map((at) => (
          <span key={at}>{toTime(at)}</span>
        ))}
      </div>
    </div>
  );
}

/** Moments below a plot: four, or as many as a short one has. */
function listTimes(places: readonly Place[]): string[] {
  const marked = [0, 1 / 3, 2 / 3, 1].map((part) => Math.round(part * (places.length - 1)));
  return [...new Set(marked)].flatMap((place) => places[place]?.at ?? []);
}

function toLine(y: number, { length }: readonly Place[]): string {
  return `M0 ${y}h${length}`;
}

/** The least of 1, 2, 4, 6, 8, 10, 20, 40, … that no value exceeds. */
function toTop(most: number): number {
  const ten = 10 ** Math.floor(Math.log10(Math.max(1, most)));
  return ([1, 2, 4, 6, 8].find((step) => step * ten >= most) ?? 10) * ten;
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
      <PlainTable label={title} columns={COLUMNS} items={toRows(samples.items, key)} />
    </details>
  );
}

const COLUMNS: readonly Column<{ at: string; value: number }>[] = [
  { name: 'from', value: ({ at }) => toTime(at) },
  { name: 'at most', value: ({ value }) => value },
];

/** The most of each span of a day, the newest first. */
function toRows(items: readonly Item[], key: Chart['key']): { at: string; value: number }[] {
  const size = Math.max(1, Math.ceil(items.length / TABLE_ROWS_MAX));
  const rows: { at: string; value: number }[] = [];
  for (let first = 0; first < items.length; first += size) {
    const span = items.slice(first, first + size);
    rows.push({ at: span[0]?.at ?? '', value: Math.max(...span.map((item) => item[key])) });
  }
  return rows.toReversed();
}
