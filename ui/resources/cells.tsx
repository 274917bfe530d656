import { Link } from '@tanstack/react-router';
import type { Ops } from '../api/types.ts';
import { Empty } from '../parts/page.tsx';
import { StateTag } from '../parts/tag.tsx';
import { Value } from '../parts/value.tsx';

type Field = Ops<'Explanation'>['fields'][number];
type LinkOf = NonNullable<Ops<'Explanation'>['groups']>[number];

/** Fields with what is wanted, what was seen, and where it comes from. */
export function FieldTable({ fields }: { readonly fields: readonly Field[] }) {
  return (
    <div className="frame">
      <table className="plain">
        <thead>
          <tr>
            <th scope="col">Field</th>
            <th scope="col">Wanted</th>
            <th scope="col">Seen</th>
            <th scope="col">From</th>
            <th scope="col">State</th>
          </tr>
        </thead>
        <tbody>
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
        </tbody>
      </table>
    </div>
  );
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
  const held = (value: boolean | null) => {
    if (value === null) return 'unknown';
    return value ? word : `no ${word}`;
  };
  return (
    <div className="frame">
      <table className="plain">
        <thead>
          <tr>
            <th scope="col">{type === 'groups' ? 'Group' : 'User'}</th>
            <th scope="col">Wanted</th>
            <th scope="col">Seen</th>
            <th scope="col">From</th>
            <th scope="col">State</th>
          </tr>
        </thead>
        <tbody>
          {links.map(({ id, name, desired, observed, from, standing }) => (
            <tr key={id}>
              <td>
                <Link to={type === 'groups' ? '/groups/$id' : '/users/$id'} params={{ id }}>
                  {name}
                </Link>
              </td>
              <td>{desired === null ? <span className="quiet">–</span> : held(desired)}</td>
              <td>{held(observed)}</td>
              <td>{from}</td>
              <td>
                <StateTag state={standing} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
