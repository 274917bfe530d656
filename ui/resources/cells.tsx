import { useList } from '../api/queries.ts';
import type { Ops } from '../api/types.ts';
import { type Column, DataTable } from '../parts/data-table.tsx';
import { Frame } from '../parts/frame.tsx';
import { Empty } from '../parts/page.tsx';
import { SubjectLink } from '../parts/subject-link.tsx';
import { StateTag } from '../parts/tag.tsx';
import { Value } from '../parts/value.tsx';

type Field = Ops<'Explanation'>['fields'][number];
type LinkOf = NonNullable<Ops<'Explanation'>['groups']>[number];

/** Fields with what is wanted, what was seen, and where it comes from. */
export function FieldTable({ fields }: { readonly fields: readonly Field[] }) {
  return (
    <Frame label="Fields" columns={['Field', 'Wanted', 'Seen', 'From', 'State']}>
      {fields.map(({ field, desired, observed, from, standing, note }) => (
        <tr key={field}>
          <th scope="row">{field}</th>
          <td>
            <Value value={desired} />
          </td>
          <td>
            <Value value={observed} />
          </td>
          <td>{from}</td>
          <td>
            <StateTag state={standing} />
            {note && <div className="detail">{note}</div>}
          </td>
        </tr>
      ))}
    </Frame>
  );
}

/** Tells in words whether a link is wanted; empty where it is not for the bridge to say. */
function toWanted(desired: boolean | null, word: string): string {
  return desired === null ? '–' : toHeld(desired, word);
}

function toHeld(value: boolean | null, word: string): string {
  if (value === null) return 'unknown';
  return value ? word : `no ${word}`;
}

/** Memberships or admin rights, each with what is wanted and what was seen. */
export function LinkTable({
  links,
  type,
  word,
}: {
  readonly links: readonly LinkOf[];
  readonly type: 'users' | 'groups';
  readonly word: string;
}) {
  if (links.length === 0) return <Empty>None.</Empty>;
  return (
    <Frame
      label={`${word}s`}
      columns={[type === 'groups' ? 'Group' : 'User', 'Wanted', 'Seen', 'From', 'State']}
    >
      {links.map(({ id, name, desired, observed, from, standing }) => (
        <tr key={id}>
          <td>
            <SubjectLink type={type === 'groups' ? 'group' : 'user'} {...{ id, name }} />
          </td>
          <td>{toWanted(desired, word)}</td>
          <td>{toHeld(observed, word)}</td>
          <td>{from}</td>
          <td>
            <StateTag state={standing} />
          </td>
        </tr>
      ))}
    </Frame>
  );
}

const MEMBER_COLUMNS: readonly Column<Ops<'Member'>>[] = [
  {
    title: 'User',
    grows: true,
    cell: ({ id, name }) => <SubjectLink {...{ id, name }} />,
  },
  { title: 'Wanted', cell: ({ desired }) => toWanted(desired, 'member') },
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
      columns={MEMBER_COLUMNS}
      list={list}
      toKey={({ id: userId }) => userId}
      empty="Nobody is in this group, and nobody is wanted in it."
    />
  );
}
