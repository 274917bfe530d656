import { useList } from '../api/queries.ts';
import type { Ops } from '../api/types.ts';
import { type Column, DataTable } from '../parts/data-table.tsx';
import { Moment } from '../parts/moment.tsx';
import { RowAct } from './row-act.tsx';

const columns: readonly Column<Ops<'Session'>>[] = [
  { title: 'Who', grows: true, cell: ({ name }) => name },
  { title: 'As', cell: (session) => session.for },
  { title: 'Since', isWide: true, cell: ({ createdAt }) => <Moment at={createdAt} /> },
  { title: 'Last used', isWide: true, cell: ({ lastUsedAt }) => <Moment at={lastUsedAt} /> },
  { title: 'Ends', cell: ({ expiresAt }) => <Moment at={expiresAt} /> },
  {
    title: <span className="hidden">Act</span>,
    cell: ({ id, name }) => (
      <RowAct
        schema="SessionEnded"
        label="End"
        subject={`the session of ${name}`}
        path={`/sessions/${id}/revoke`}
        command={`scim-bridge session revoke ${id}`}
        meaning="Whoever uses it is signed out at once."
      />
    ),
  },
];

/** Operators and readers who are signed in. */
export function SessionList() {
  const list = useList('SessionList', '/sessions', {
    topics: ['access'],
  });
  return (
    <DataTable
      label="Sessions"
      columns={columns}
      list={list}
      toKey={({ id }) => id}
      empty="Nobody."
    />
  );
}
