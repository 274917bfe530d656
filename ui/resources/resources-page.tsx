import { getRouteApi } from '@tanstack/react-router';
import { useList } from '../api/queries.ts';
import type { Ops } from '../api/types.ts';
import { type Column, DataTable } from '../parts/data-table.tsx';
import { type Filter, Filters } from '../parts/filters.tsx';
import { Moment } from '../parts/moment.tsx';
import { Page } from '../parts/page.tsx';
import { SubjectLink } from '../parts/subject-link.tsx';
import { ResourceState } from './resource-state.tsx';

const userRoute = getRouteApi('/users');
const groupRoute = getRouteApi('/groups');
const TOPICS = ['resources', 'work'] as const;
const FILTERS: readonly Filter<'q' | 'state' | 'managed'>[] = [
  { name: 'q', label: 'Search', placeholder: 'Name, address or id' },
  {
    ...{ name: 'state', label: 'State' },
    choices: [
      { value: '', label: 'Every state' },
      { value: 'due', label: 'Something is to be done' },
      { value: 'stuck', label: 'Refused by the service' },
      { value: 'drifted', label: 'Changed in the service' },
      { value: 'disputed', label: 'Disputed names' },
      { value: 'deleted', label: 'Deleted' },
    ],
  },
  {
    ...{ name: 'managed', label: 'Managed' },
    choices: [
      { value: '', label: 'Managed or not' },
      { value: 'true', label: 'Managed' },
      { value: 'false', label: 'Unmanaged' },
    ],
  },
];

const STATE_COLUMNS: readonly Column<Ops<'User'> | Ops<'Group'>>[] = [
  { title: 'State', cell: (item) => <ResourceState item={item} /> },
  { title: 'Seen', isWide: true, cell: ({ seenAt }) => <Moment at={seenAt} /> },
  { title: 'Changed', isWide: true, cell: ({ modifiedAt }) => <Moment at={modifiedAt} /> },
];
const USER_COLUMNS: readonly Column<Ops<'User'>>[] = [
  {
    ...{ title: 'User', grows: true },
    cell: ({ id, name }) => <SubjectLink {...{ id, name }} />,
  },
  { title: 'Active', cell: (user) => <Active user={user} /> },
  ...STATE_COLUMNS,
];
const GROUP_COLUMNS: readonly Column<Ops<'Group'>>[] = [
  {
    ...{ title: 'Group', grows: true },
    cell: ({ id, name }) => <SubjectLink {...{ id, name }} type="group" />,
  },
  ...STATE_COLUMNS,
];

/** Users, with one box that finds them. */
export function UsersPage() {
  const search = userRoute.useSearch();
  const navigate = userRoute.useNavigate();
  const list = useList('UserList', '/users', { query: toListQuery(search), topics: TOPICS });
  return (
    <Page
      title="Users"
      lead="Accounts of the service and users of the providers, managed or only observed."
      actions={
        <Filters
          {...{ search, filters: FILTERS }}
          onSearch={(next) => void navigate({ search: next, replace: true })}
        />
      }
    >
      <DataTable
        {...{ label: 'Users', columns: USER_COLUMNS, list }}
        toKey={({ id }) => id}
        empty="No user is like that."
      />
    </Page>
  );
}

/** Groups, with one box that finds them. */
export function GroupsPage() {
  const search = groupRoute.useSearch();
  const navigate = groupRoute.useNavigate();
  const list = useList('GroupList', '/groups', { query: toListQuery(search), topics: TOPICS });
  return (
    <Page
      title="Groups"
      lead="Groups of the service and of the providers, managed or only observed."
      actions={
        <Filters
          {...{ search, filters: FILTERS }}
          onSearch={(next) => void navigate({ search: next, replace: true })}
        />
      }
    >
      <DataTable
        {...{ label: 'Groups', columns: GROUP_COLUMNS, list }}
        toKey={({ id }) => id}
        empty="No group is like that."
      />
    </Page>
  );
}

/** Turns the filters of the address into those of the request. */
function toListQuery({ state, ...others }: { readonly state?: string }): Record<string, string> {
  return { ...others, ...(state && { [state]: 'true' }) };
}

function Active({ user: { active } }: { readonly user: Ops<'User'> }) {
  const { desired, observed } = active;
  const word = (value: boolean | null) => (value === null ? 'unknown' : value ? 'yes' : 'no');
  if (desired === null || desired === observed) return <>{word(observed)}</>;
  return (
    <>
      {word(observed)} → {word(desired)}
    </>
  );
}
