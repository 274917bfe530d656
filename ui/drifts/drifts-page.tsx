import { Text } from '@mantine/core';
import { getRouteApi, Link } from '@tanstack/react-router';
import { type ReactNode, useMemo, useState } from 'react';
import { type LongList, STATUS_TOPICS, useIsOperator, useList, useRead } from '../api/queries.ts';
import { DataTable } from '../parts/data-table.tsx';
import { type Filter, Filters } from '../parts/filters.tsx';
import { Page } from '../parts/page.tsx';
import { DecideDrifts, type Decision } from './decide-drifts.tsx';
import { type Drift, isOffered, toColumns } from './drift-columns.tsx';
import { listKinds } from './words.ts';

const driftRoute = getRouteApi('/drifts');
const unmanagedRoute = getRouteApi('/unmanaged');
const LABELS: Readonly<Record<string, string>> = {
  '': 'Wait for a decision',
  active: 'All that are not over',
};
const [FILTERS, UNMANAGED_FILTERS] = [
  toFilters(true, ['contested', 'open', 'repairing', 'ignored', 'repaired', 'accepted', 'gone']),
  toFilters(false, ['open', 'ignored', 'accepted', 'gone']),
];

type FilterName = 'q' | 'status' | 'kind' | 'resource' | 'order';
/** Filters, as they are in the address; `resource` is the id of a user or group. */
type Search = { readonly [Name in FilterName]?: string };

function toFilters(isManaged: boolean, statuses: readonly string[]): Filter<FilterName>[] {
  const choices = ['', ...statuses, 'active', 'all'].map((value) => {
    return { value, label: LABELS[value] ?? `${value.charAt(0).toUpperCase()}${value.slice(1)}` };
  });
  return [
    { name: 'q', label: 'Search', placeholder: 'Name, address or id' },
    { name: 'status', label: 'Status', choices },
    { name: 'kind', label: 'Kind', choices: listKinds(isManaged) },
  ];
}

function toOptions({ status = '', ...others }: Search) {
  const query = { ...others, status: status === 'all' ? '' : status || 'undecided' };
  return { query, topics: ['drifts'] } as const;
}

/** What others changed of managed users and groups, with the decisions about it. */
export function DriftsPage() {
  const search = driftRoute.useSearch();
  const navigate = driftRoute.useNavigate();
  return (
    <DriftList
      title="Drifts"
      lead="What others changed in the service. No provider and no rule asked for it."
      list={useList('DriftList', '/drifts', toOptions(search))}
      decisions={['repair', 'accept', 'ignore']}
      {...{ search, filters: FILTERS, empty: 'No difference' }}
      onSearch={(next) => void navigate({ search: next, replace: true })}
    >
      {search.status === undefined && <Held />}
    </DriftList>
  );
}

/** Accounts and groups that the bridge only observes, to be taken over. */
export function UnmanagedPage() {
  const search = unmanagedRoute.useSearch();
  const navigate = unmanagedRoute.useNavigate();
  return (
    <DriftList
      title="Unmanaged"
      lead="Accounts and groups in the service that no provider asked for. The bridge does not change them."
      list={useList('UnmanagedList', '/unmanaged', toOptions(search))}
      decisions={['adopt', 'ignore']}
      {...{ search, filters: UNMANAGED_FILTERS, empty: 'No account and no group' }}
      onSearch={(next) => void navigate({ search: next, replace: true })}
    />
  );
}

interface DriftListOptions {
  readonly search: Search;
  readonly filters: readonly Filter<FilterName>[];
  readonly onSearch: (search: Search) => void;
  readonly title: string;
  readonly lead: string;
  readonly list: LongList<Drift>;
  readonly decisions: readonly Decision[];
  /** Subject of the sentence for an empty list. */
  readonly empty: string;
  readonly children?: ReactNode;
}

function DriftList({ title, lead, list, decisions, empty, children, ...rest }: DriftListOptions) {
  const { order, ...filters } = rest.search;
  const isOperator = useIsOperator();
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set());
  const columns = useMemo(() => {
    const items = list.items.filter(isOffered);
    return toColumns(order === 'oldest', isOperator ? { chosen, setChosen, items } : undefined);
  }, [isOperator, chosen, list.items, order]);
  const decided = list.items.filter(({ id }) => chosen.has(id));
  const onDone = () => setChosen(new Set());
  const isWhole = Object.keys(filters).length === 0;
  return (
    <Page title={title} lead={lead} actions={<Filters {...rest} />}>
      {children}
      {filters.resource && (
        <Link to="." search={{}}>
          Of one user or group: show all
        </Link>
      )}
      {decided.length > 0 && <DecideDrifts {...{ decisions, onDone }} drifts={decided} />}
      <DataTable
        {...{ label: title, columns, list }}
        toKey={({ id }) => id}
        empty={`${empty} ${isWhole ? 'waits for a decision' : 'fits these filters'}.`}
      />
    </Page>
  );
}

/** Says which of those that wait are repaired by a plan that waits itself. */
function Held() {
  const status = useRead('Status', '/status', { topics: STATUS_TOPICS });
  const held = (status.data?.drifts ?? []).reduce((sum, drift) => sum + drift.held, 0);
  if (held === 0) return null;
  return (
    <Text size="sm">
      {held === 1 ? 'One of them is' : `${held.toLocaleString('en')} of them are`} in a plan that
      waits for you:{' '}
      <Link to="/plans" search={{ status: 'held' }}>
        decide there
      </Link>
      .
    </Text>
  );
}
