import { Button, Group, Select, Text } from '@mantine/core';
import { getRouteApi, Link } from '@tanstack/react-router';
import { useMemo, useState } from 'react';
import { STATUS_TOPICS, useIsOperator, useList, useRead } from '../api/queries.ts';
import type { Ops } from '../api/types.ts';
import { DataTable } from '../parts/data-table.tsx';
import { Page } from '../parts/page.tsx';
import { toKind } from '../plans/words.ts';
import { DecideDrifts } from './decide-drifts.tsx';
import { toColumns } from './drift-columns.tsx';

type Drift = Ops<'Drift'>;

const route = getRouteApi('/drifts');
const STATUSES = [
  { value: '', label: 'Wait for a decision' },
  ...['contested', 'open', 'repairing', 'ignored', 'repaired', 'accepted', 'gone'].map((value) => ({
    ...{ value, label: `${value.charAt(0).toUpperCase()}${value.slice(1)}` },
  })),
  { value: 'active', label: 'All that are not over' },
  { value: 'all', label: 'All' },
];
const KINDS = [
  ...['user.deactivated', 'user.activated', 'user.renamed', 'user.access', 'user.missing'],
  ...['member.added', 'member.removed', 'admin.added', 'admin.removed', 'group.renamed'],
  ...['group.permissions', 'group.missing', 'user.unmanaged', 'group.unmanaged'],
  ...['entity.removed', 'entity.changed', 'entity.added'],
];
const KIND_CHOICES = [
  { value: '', label: 'Every kind' },
  ...KINDS.map((value) => ({ value, label: toKind(value) })),
];

/** Differences that nobody asked for, with the decisions about them. */
export function DriftsPage() {
  const { status = '', kind = '', resource = '' } = route.useSearch();
  const query = { kind, resource, status: status === 'all' ? '' : status || 'undecided' };
  const list = useList('DriftList', '/drifts', { query, topics: ['drifts'] });
  const isOperator = useIsOperator();
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set());
  const columns = useMemo(
    () => toColumns(isOperator ? { chosen, setChosen, items: list.items } : undefined),
    [isOperator, chosen, list.items],
  );
  const decided = list.items.filter(({ id }: Drift) => chosen.has(id));
  return (
    <Page
      title="Drifts"
      lead="Differences in the service that no provider and no rule asked for."
      actions={<Filters status={status} kind={kind} resource={resource} />}
    >
      {status === '' && <Held />}
      {decided.length > 0 && <DecideDrifts drifts={decided} onDone={() => setChosen(new Set())} />}
      <DataTable
        label="Drifts"
        columns={columns}
        list={list}
        toKey={({ id }) => id}
        empty={
          status + kind + resource === ''
            ? 'No difference waits for a decision.'
            : 'No difference fits these filters.'
        }
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
      {held.toLocaleString('en')} of them {held === 1 ? 'is' : 'are'} repaired by a plan that waits
      for you:{' '}
      <Link to="/plans" search={{ status: 'held' }}>
        {held === 1 ? 'decide about it' : 'decide about them'} there
      </Link>
      .
    </Text>
  );
}

interface Search {
  readonly status: string;
  readonly kind: string;
  /** Id of a user or group. */
  readonly resource: string;
}

function Filters({ status, kind, resource }: Search) {
  const navigate = route.useNavigate();
  const show = (change: Partial<Search>) => {
    const next = { status, kind, resource, ...change };
    const given = Object.entries(next).filter(([, value]) => value !== '');
    void navigate({ search: Object.fromEntries(given), replace: true });
  };
  return (
    <Group gap="xs">
      {resource !== '' && (
        <Button variant="default" size="sm" onClick={() => show({ resource: '' })}>
          Of one user or group: show all
        </Button>
      )}
      <Select
        aria-label="Status"
        data={STATUSES}
        value={status}
        onChange={(value) => show({ status: value ?? '' })}
      />
      <Select
        aria-label="Kind"
        data={KIND_CHOICES}
        value={kind}
        onChange={(value) => show({ kind: value ?? '' })}
      />
    </Group>
  );
}
