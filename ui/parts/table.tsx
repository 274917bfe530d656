import { Checkbox } from '@mantine/core';
import type { ReactNode } from 'react';
import { type Column, toCellText } from '../../src/ops/lists/list.ts';
import { toTitle } from '../../src/ops/lists/words.ts';
import { Cell } from './cell.tsx';

/** Rows that a person has chosen, by their keys. */
interface Choice<Item> {
  readonly chosen: ReadonlySet<string>;
  readonly setChosen: (chosen: ReadonlySet<string>) => void;
  /** Name of the box beside a row; undefined: it cannot be chosen. */
  readonly findName: (item: Item) => string | undefined;
}

interface TableOptions<Item> {
  readonly label: string;
  readonly columns: readonly Column<Item>[];
  readonly items: readonly Item[];
  /** What a person can do with each row. */
  readonly acts?: ((item: Item) => ReactNode) | undefined;
  readonly choice?: Choice<Item> | undefined;
  /** The rows are of other filters, and nothing can be done with them. */
  readonly isOld?: boolean;
}

/** A table of the columns that the console shows. */
export function Table<Item>(options: TableOptions<Item>) {
  const { label, columns, items, acts, choice, isOld = false } = options;
  const shown = columns.filter(({ place, kind }) => place !== 'csv' && kind !== 'id');
  const rows = items.map((item, place) => {
    const id = findId(columns, item) ?? String(place);
    return { item, id, name: choice?.findName(item) };
  });
  const all = rows.filter(({ name }) => name !== undefined).map(({ id }) => id);
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: whoever has no mouse scrolls it by its focus.
    <section className="rows" aria-label={label} tabIndex={0}>
      <table aria-busy={isOld} inert={isOld}>
        <thead>
          <tr>
            {choice && (
              <th scope="col">
                <Choose {...choice} name="all that are shown" ids={all} />
              </th>
            )}
            {shown.map(({ name }) => (
              <th key={name} scope="col">
                {toTitle(name)}
              </th>
            ))}
            {acts && (
              <th scope="col">
                <span className="hidden">Act</span>
              </th>
            )}
          </tr>
        </thead>
        <tbody>
          {rows.map(({ item, id, name }) => (
            <tr key={id}>
              {choice && <td>{name && <Choose {...choice} name={name} ids={[id]} />}</td>}
              {shown.map((column) => (
                <td
                  key={column.name}
                  className={`${column.kind ?? ''} ${column.isLong ? 'grows' : ''}`}
                  data-name={toTitle(column.name)}
                >
                  <div className="value">
                    <Cell column={column} item={item} />
                  </div>
                </td>
              ))}
              {acts && <td>{acts(item)}</td>}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

/** The id of a row, which is also its key. */
export function findId<Item>(columns: readonly Column<Item>[], item: Item): string | undefined {
  const column = columns.find(({ name }) => name === 'id');
  return column && toCellText(column, item);
}

/** The box of one row, or of all. */
function Choose({
  chosen,
  setChosen,
  name,
  ids,
}: Pick<Choice<never>, 'chosen' | 'setChosen'> & {
  readonly name: string;
  readonly ids: readonly string[];
}) {
  const own = new Set(ids);
  const isAll = own.size > 0 && own.isSubsetOf(chosen);
  return (
    <Checkbox
      size="xs"
      aria-label={`Choose ${name}`}
      checked={isAll}
      indeterminate={!isAll && !own.isDisjointFrom(chosen)}
      onChange={() => setChosen(isAll ? chosen.difference(own) : chosen.union(own))}
    />
  );
}
