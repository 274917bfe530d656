import { useList } from '../api/queries.ts';
import type { Ops } from '../api/types.ts';
import { type Column, DataTable } from '../parts/data-table.tsx';
import { SubjectLink } from '../parts/subject-link.tsx';
import { StateTag } from '../parts/tag.tsx';
import { toHeld, Wanted } from './cells.tsx';

const columns: readonly Column<Ops<'Member'>>[] = [
  {
    title: 'User',
    grows: true,
    cell: ({ id, name }) => <SubjectLink {...{ id, name }} />,
  },
  { title: 'Wanted', cell: ({ desired }) => <Wanted desired={desired} word="member" /> },
  { title: 'Seen', cell: ({ observed }) => toHeld(observed, 'member') },
  { title: 'State', cell: ({ standing }) => <StateTag state={standing} /> },
];

/** Members of a group, as many as there are, of which the rows in sight are made. */
export function MemberTable({ id }: { readonly id: string }) {
  const list = useList('MemberList', `/groups/${encodeURIComponent(id)}/members`, {
    topics: ['resources', 'work', 'drifts'],
  });
  return (
    <DataTable
      label="Members"
      columns={columns}
      list={list}
      toKey={({ id: userId }) => userId}
      empty="Nobody is in this group, and nobody is wanted in it."
    />
  );
}
