import type { Column } from '../../src/ops/lists/list.ts';
import { toTitle } from '../../src/ops/lists/words.ts';
import { Cell, listShown, toKey } from './cell.tsx';

/** A table of few rows, which scrolls by itself where the page is narrow. */
export function PlainTable<Item>({
  label,
  columns,
  items,
}: {
  readonly label: string;
  readonly columns: readonly Column<Item>[];
  readonly items: readonly Item[];
}) {
  const shown = listShown(columns);
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: whoever has no mouse scrolls it by its focus.
    <section className="frame" aria-label={label} tabIndex={0}>
      <table className="plain">
        <thead>
          <tr>
            {shown.map(({ name }) => (
              <th key={name} scope="col">
                {toTitle(name)}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {items.map((item) => (
            <tr key={toKey(columns, item)}>
              {shown.map((column) => (
                <td key={column.name}>
                  <Cell column={column} item={item} />
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}
