import { Alert, Select } from '@mantine/core';
import { getRouteApi, Link } from '@tanstack/react-router';
import { useList, useRead } from '../api/queries.ts';
import type { Ops } from '../api/types.ts';
import { type Column, DataTable } from '../parts/data-table.tsx';
import { Moment } from '../parts/moment.tsx';
import { Page } from '../parts/page.tsx';
import { StateTag } from '../parts/tag.tsx';
import { toCounts, toDecider, toList, toMade, toReason, toSource } from './words.ts';

type Summary = Ops<'PlanSummary'>;

const route = getRouteApi('/plans');
const STATUSES = [
  { value: '', label: 'All' },
  { value: 'making', label: 'Making: the service is read first' },
  { value: 'held', label: 'Held: waits for you' },
  { value: 'approved', label: 'Approved: under way' },
  { value: 'applied', label: 'Applied' },
  { value: 'discarded', label: 'Discarded' },
];

const columns: readonly Column<Summary>[] = [
  {
    title: 'Plan',
    grows: true,
    cell: ({ id, counts, reason }) => (
      <>
        <Link to="/plans/$id" params={{ id }}>
          {toCounts(counts.kinds)}
        </Link>
        {reason && <div className="detail">{toReason(reason)}</div>}
      </>
    ),
  },
  { title: 'Status', cell: ({ status }) => <StateTag state={status} /> },
  { title: 'From', isWide: true, cell: ({ source }) => toSource(source) },
  { title: 'Made', cell: ({ createdAt }) => <Moment at={createdAt} /> },
  {
    title: 'Decided by',
    isWide: true,
    cell: toDecider,
  },
];

/** Plans of repairs, those that wait marked. */
export function PlansPage() {
  const { status = '' } = route.useSearch();
  const navigate = route.useNavigate();
  const list = useList('PlanList', '/plans', { query: { status }, topics: ['plans'] });
  return (
    <Page
      title="Plans"
      lead="What the bridge would change, or has changed, to make the service hold again what was asked for."
      actions={
        <Select
          aria-label="Status"
          data={STATUSES}
          value={status}
          onChange={(value) => void navigate({ search: value ? { status: value } : {} })}
        />
      }
    >
      <Observing />
      <DataTable
        label="Plans"
        columns={columns}
        list={list}
        toKey={({ id }) => id}
        empty={
          status === ''
            ? 'No plans. One is made when a difference in the service is to be repaired, and waits here when it would do much harm.'
            : 'No plan fits this filter.'
        }
      />
    </Page>
  );
}

/** What was asked for while the bridge observes, and of which no plan is made yet. */
function Observing() {
  const { data } = useRead('FirstRun', '/plans/first-run?limit=1', { topics: ['work', 'plans'] });
  if (data?.phase !== 'observing') return null;
  return (
    <Alert variant="outline" title="The bridge observes and changes nothing in the service">
      Live, it would {toList({ ...toMade(data.counts ?? {}), ...data.kinds }, 'change nothing')}.{' '}
      <Link to="/plans/$id" params={{ id: 'first-run' }}>
        Show each
      </Link>
    </Alert>
  );
}
