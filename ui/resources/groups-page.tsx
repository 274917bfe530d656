import { getRouteApi, Link } from '@tanstack/react-router';
import { useList } from '../api/queries.ts';
import type { Ops } from '../api/types.ts';
import { type Column, DataTable } from '../parts/data-table.tsx';
import { Moment } from '../parts/moment.tsx';
import { Page } from '../parts/page.tsx';
import { ResourceFilters, toListQuery } from './resource-filters.tsx';
import { ResourceState } from './resource-state.tsx';

const route = getRouteApi('/groups');

const columns: readonly Column<Ops<'Group'>>[] = [
  {
    title: 'Group',
    grows: true,
    cell: ({ id, name }) => (
      <Link to="/groups/$id" params={{ id }}>
        {name}
      </Link>
    ),
  },
  { title: 'State', cell: (group) => <ResourceState item={group} /> },
  { title: 'Seen', isWide: true, cell: ({ seenAt }) => <Moment at={seenAt} /> },
  { title: 'Changed', isWide: true, cell: ({ modifiedAt }) => <Moment at={modifiedAt} /> },
];

/** Groups, with one box that finds them. */
export function GroupsPage() {
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const list = useList('GroupList', '/groups', {
    query: toListQuery(search),
    topics: ['resources', 'work'],
  });
  return (
    <Page
      title="Groups"
      lead="Groups of the service and of the providers, managed or only observed."
      actions={
        <ResourceFilters
          search={search}
          placeholder="Name or id"
          onSearch={(next) => void navigate({ search: next, replace: true })}
        />
      }
    >
      <DataTable
        label="Groups"
        columns={columns}
        list={list}
        toKey={({ id }) => id}
        empty="No group is like that."
      />
    </Page>
  );
}
