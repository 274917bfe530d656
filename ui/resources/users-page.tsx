import { getRouteApi, Link } from '@tanstack/react-router';
import { useList } from '../api/queries.ts';
import type { Ops } from '../api/types.ts';
import { type Column, DataTable } from '../parts/data-table.tsx';
import { Moment } from '../parts/moment.tsx';
import { Page } from '../parts/page.tsx';
import { ResourceFilters, toListQuery } from './resource-filters.tsx';
import { ResourceState } from './resource-state.tsx';

type User = Ops<'User'>;

const route = getRouteApi('/users');

const columns: readonly Column<User>[] = [
  {
    title: 'User',
    grows: true,
    cell: ({ id, name }) => (
      <Link to="/users/$id" params={{ id }}>
        {name}
      </Link>
    ),
  },
  { title: 'Active', cell: (user) => <Active user={user} /> },
  { title: 'State', cell: (user) => <ResourceState item={user} /> },
  { title: 'Seen', isWide: true, cell: ({ seenAt }) => <Moment at={seenAt} /> },
  { title: 'Changed', isWide: true, cell: ({ modifiedAt }) => <Moment at={modifiedAt} /> },
];

/** Users, with one box that finds them. */
export function UsersPage() {
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const list = useList('UserList', '/users', {
    query: toListQuery(search),
    topics: ['resources', 'work'],
  });
  return (
    <Page
      title="Users"
      lead="Accounts of the service and users of the providers, managed or only observed."
      actions={
        <ResourceFilters
          search={search}
          placeholder="Name, address or id"
          onSearch={(next) => void navigate({ search: next, replace: true })}
        />
      }
    >
      <DataTable
        label="Users"
        columns={columns}
        list={list}
        toKey={({ id }) => id}
        empty="No user is like that."
      />
    </Page>
  );
}

function Active({ user: { active } }: { readonly user: User }) {
  const { desired, observed } = active;
  const word = (value: boolean | null) => (value === null ? 'unknown' : value ? 'yes' : 'no');
  if (desired === null || desired === observed) return <>{word(observed)}</>;
  return (
    <>
      {word(observed)} → {word(desired)}
    </>
  );
}
