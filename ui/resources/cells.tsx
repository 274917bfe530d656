import type { Ops } from '../api/types.ts';
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

/** Wish about a link; empty where it is not for the bridge to say. */
export function Wanted({
  desired,
  word,
}: {
  readonly desired: boolean | null;
  readonly word: string;
}) {
  return desired === null ? <span className="quiet">–</span> : toHeld(desired, word);
}

/** Tells in words whether a link is there. */
export function toHeld(value: boolean | null, word: string): string {
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
          <td>
            <Wanted desired={desired} word={word} />
          </td>
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
