import { getRouteApi } from '@tanstack/react-router';
import { useList } from '../api/queries.ts';
import type { Ops } from '../api/types.ts';
import { type Column, DataTable } from '../parts/data-table.tsx';
import { type Filter, Filters } from '../parts/filters.tsx';
import { ExactMoment } from '../parts/moment.tsx';
import { Page } from '../parts/page.tsx';
import { Tag, type Tone } from '../parts/tag.tsx';
import { toText } from '../parts/value.tsx';
import { Words } from '../parts/words.tsx';

type Act = Ops<'Act'>;

const route = getRouteApi('/acts');
const FILTERS: readonly Filter<'operator' | 'outcome' | 'target'>[] = [
  { name: 'operator', label: 'Operator' },
  {
    ...{ name: 'outcome', label: 'Outcome' },
    choices: [
      { value: '', label: 'Every outcome' },
      { value: 'done', label: 'Done' },
      { value: 'refused', label: 'Refused' },
      { value: 'failed', label: 'Failed' },
    ],
  },
];
const TONES: Readonly<Record<Act['outcome'], Tone>> = {
  done: 'good',
  refused: 'waiting',
  failed: 'bad',
};

const columns: readonly Column<Act>[] = [
  { title: 'When', cell: ({ at }) => <ExactMoment at={at} /> },
  {
    title: 'Who',
    cell: ({ operator, credential, address }) => (
      <>
        {operator}
        <div className="detail">{[credential, address].filter(Boolean).join(', ')}</div>
      </>
    ),
  },
  {
    title: 'What',
    cell: ({ act, target }) => (
      <>
        {act}
        {target && <div className="detail">{target}</div>}
      </>
    ),
  },
  {
    title: 'Before → after',
    isWide: true,
    grows: true,
    cell: ({ before, after }) => after && <Words text={toChange(before, after)} />,
  },
  { title: 'Outcome', cell: ({ outcome }) => <Tag tone={TONES[outcome]} text={outcome} /> },
];

/** A change in words; what is empty says nothing. */
function toChange(before: Act['before'], after: NonNullable<Act['after']>): string {
  const toState = (state: object) =>
    Object.entries(state)
      .filter(([, value]) => value !== null)
      .map(([name, value]) => `${name}: ${toText(value)}`)
      .join(', ');
  return before === null ? toState(after) : `${toState(before)} → ${toState(after)}`;
}

/** Page of the acts of operators: from where, with the states before and after. */
export function ActsPage() {
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const list = useList('ActList', '/acts', { query: search, topics: ['acts'] });
  return (
    <Page
      title="Acts"
      lead="What operators did, here and by commands, with what it changed."
      actions={
        <Filters
          {...{ search, filters: FILTERS }}
          onSearch={(next) => void navigate({ search: next, replace: true })}
        />
      }
    >
      <DataTable
        label="Acts"
        columns={columns}
        list={list}
        toKey={({ id }) => id}
        empty="No operator did anything of this kind."
      />
    </Page>
  );
}
