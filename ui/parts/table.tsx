import { Checkbox } from '@mantine/core';
import type { ReactNode } from 'react';
import { type Column, toCellText } from '../../src/ops/lists/list.ts';
import { toTitle } from '../../src/ops/lists/words.ts';
import { Cell } from './cell.tsx';

/** Rows that a person has chosen. */
interface Choice<Item> {
  /** Their keys. */
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
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: whoever has no mouse scrolls it by its focus.
    <section className="rows" aria-label={label} tabIndex={0}>
      <table aria-busy={isOld} inert={isOld}>
        <thead>
          <tr>
            {choice && (
              <th scope="col">
                <ChooseAll choice={choice} columns={columns} items={items} />
              </th>
            )}
            {shown.map((column) => (
              <th key={column.name} className={toClass(column)} scope="col">
                {toTitle(column.name)}
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
          {items.map((item, place) => {
            const key = findId(columns, item) ?? String(place);
            return (
              <tr key={key}>
                {choice && (
                  <td>
                    <Choose choice={choice} item={item} id={key} />
                  </td>
                )}
                {shown.map((column) => (
                  <td key={column.name} className={toClass(column)}>
                    <Cell column={column} item={item} />
                  </td>
                ))}
                {acts && <td>{acts(item)}</td>}
              </tr>
            );
          })}
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

function Choose<Item>({
  choice: { chosen, setChosen, findName },
  item,
  id,
}: {
  readonly choice: Choice<Item>;
  readonly item: Item;
  readonly id: string;
}) {
  const name = findName(item);
  if (name === undefined) return null;
  return (
    <Checkbox
      size="xs"
      aria-label={`Choose ${name}`}
      checked={chosen.has(id)}
      onChange={() => setChosen(chosen.symmetricDifference(new Set([id])))}
    />
  );
}

function ChooseAll<Item>({
  choice: { chosen, setChosen, findName },
  columns,
  items,
}: Required<Pick<TableOptions<Item>, 'columns' | 'items'>> & { readonly choice: Choice<Item> }) {
  const some = items.filter((item) => findName(item) !== undefined);
  const all = new Set(some.flatMap((item) => findId(columns, item) ?? []));
  const isAll = all.size > 0 && all.isSubsetOf(chosen);
  return (
    <Checkbox
      size="xs"
      aria-label="Choose all that are shown"
      checked={isAll}
      indeterminate={chosen.size > 0 && !isAll}
      onChange={() => setChosen(isAll ? new Set() : all)}
    />
  );
}

function toClass<Item>({ place, isLong }: Column<Item>): string {
  return `${place === 'minor' ? 'wide' : ''} ${isLong ? 'grows' : ''}`;
}
