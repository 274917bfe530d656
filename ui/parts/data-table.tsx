import { Button, Checkbox, Group, Loader } from '@mantine/core';
import { useVirtualizer } from '@tanstack/react-virtual';
import { type ReactNode, useEffect, useRef } from 'react';
import type { Column } from '../../src/ops/lists/list.ts';
import { isLive, isPassing, type LongList } from '../api/queries.ts';
import { listShown, type TableColumn, toKey as toItemKey, toTableColumn } from './cell.tsx';
import { Empty, Fault } from './page.tsx';

/** Expected height of a row in pixels; each is measured when it is shown. */
const ROW_HEIGHT = 41;
/** Rows beyond those in sight that are kept ready. */
const OVERSCAN = 12;
/** Rows before the end at which more is read. */
const AHEAD = 60;

/** Rows that a person has chosen. */
export interface Choice<Row> {
  /** Their keys. */
  readonly chosen: ReadonlySet<string>;
  readonly setChosen: (chosen: ReadonlySet<string>) => void;
  /** Name of the box beside a row; undefined: it cannot be chosen. */
  readonly findName: (row: Row) => string | undefined;
}

interface RowsOptions<Row> {
  readonly label: string;
  readonly columns: readonly TableColumn<Row>[];
  readonly list: LongList<unknown>;
  readonly rows: readonly Row[];
  readonly toKey: (row: Row) => string;
  readonly choice?: Choice<Row>;
  /** Content of a row that fills the line; undefined: the row has cells. */
  readonly toHeading?: (row: Row) => ReactNode;
}

/** A table of which only the rows in sight are made, and of which more is read as it is needed. */
export function DataTable<Row>({
  empty,
  ...options
}: RowsOptions<Row> & { readonly empty: ReactNode }) {
  const { list, rows } = options;
  // What was read before stays in sight while the bridge does not answer.
  if (list.error && !(list.data && isPassing(list.error))) return <Fault error={list.error} />;
  if (list.isPending) return <Loader size="sm" />;
  if (rows.length === 0) return <Empty>{empty}</Empty>;
  return <Rows {...options} />;
}

/** A table of few rows. */
export function PlainTable<Item>({
  label,
  columns,
  items,
}: {
  readonly label: string;
  readonly columns: readonly Column<Item>[];
  readonly items: readonly Item[];
}) {
  const shown = listShown(columns).map(toTableColumn);
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: whoever has no mouse scrolls it by its focus.
    <section className="rows" aria-label={label} tabIndex={0}>
      <table>
        <Heads columns={shown} />
        <tbody>
          {items.map((item) => (
            <tr key={toItemKey(columns, item)}>
              <Cells columns={shown} row={item} />
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

function Rows<Row>(options: RowsOptions<Row>) {
  const { label, list, rows: items, toKey, toHeading, choice } = options;
  const chooser = choice ? [toChooser(choice, items, toKey)] : [];
  const columns = [...chooser, ...options.columns];
  const scroller = useRef<HTMLDivElement>(null);
  const { hasNextPage: hasMore, isFetchingNextPage, fetchNextPage, isPlaceholderData } = list;
  const virtual = useVirtualizer({
    count: items.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => ROW_HEIGHT,
    overscan: OVERSCAN,
    getItemKey: (index) => {
      const item = items[index];
      return item === undefined ? index : toKey(item);
    },
  });
  const shown = virtual.getVirtualItems();
  const last = shown.at(-1)?.index ?? 0;
  useEffect(() => {
    if (hasMore && !isFetchingNextPage && last >= items.length - AHEAD) void fetchNextPage();
  }, [hasMore, isFetchingNextPage, last, items.length, fetchNextPage]);
  return (
    <>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: whoever has no mouse scrolls it by its focus. */}
      <section className="rows" ref={scroller} aria-label={label} tabIndex={0}>
        <table
          aria-rowcount={hasMore ? -1 : items.length + 1}
          aria-busy={isPlaceholderData}
          inert={isPlaceholderData}
        >
          <Heads columns={columns} />
          <tbody>
            <Spacer height={shown[0]?.start ?? 0} />
            {shown.map(({ index, key }) => (
              <tr
                key={key}
                data-index={index}
                aria-rowindex={index + 2}
                ref={virtual.measureElement}
              >
                <Cells {...{ columns, row: items[index], ...(toHeading && { toHeading }) }} />
              </tr>
            ))}
            <Spacer height={virtual.getTotalSize() - (shown.at(-1)?.end ?? 0)} />
          </tbody>
        </table>
      </section>
      <Foot list={list} />
    </>
  );
}

function Heads<Row>({ columns }: { readonly columns: readonly TableColumn<Row>[] }) {
  return (
    <thead>
      <tr>
        {columns.map((column, place) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: a table keeps its columns.
          <th key={place} className={toClass(column)} scope="col">
            {column.title}
          </th>
        ))}
      </tr>
    </thead>
  );
}

function Cells<Row>({
  columns,
  row,
  toHeading,
}: {
  readonly columns: readonly TableColumn<Row>[];
  readonly row: Row | undefined;
  readonly toHeading?: (row: Row) => ReactNode;
}) {
  if (row === undefined) return null;
  const heading = toHeading?.(row);
  if (heading !== undefined) return <td colSpan={columns.length}>{heading}</td>;
  return columns.map((column, place) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: a table keeps its columns.
    <td key={place} className={toClass(column)}>
      {column.cell(row)}
    </td>
  ));
}

/** Space of the rows that are not made. */
function Spacer({ height }: { readonly height: number }) {
  if (height <= 0) return null;
  return (
    <tr>
      <td className="space" style={{ height }} />
    </tr>
  );
}

function toChooser<Row>(
  { chosen, setChosen, findName }: Choice<Row>,
  items: readonly Row[],
  toKey: (row: Row) => string,
): TableColumn<Row> {
  const keys = items.filter((row) => findName(row) !== undefined).map(toKey);
  const isAll = keys.length > 0 && keys.every((key) => chosen.has(key));
  return {
    title: (
      <Checkbox
        size="xs"
        aria-label="Choose all that are read"
        checked={isAll}
        indeterminate={chosen.size > 0 && !isAll}
        onChange={() => setChosen(new Set(isAll ? [] : keys))}
      />
    ),
    cell(row) {
      const name = findName(row);
      const key = new Set([toKey(row)]);
      return (
        name !== undefined && (
          <Checkbox
            size="xs"
            aria-label={`Choose ${name}`}
            checked={key.isSubsetOf(chosen)}
            onChange={() => setChosen(key.symmetricDifference(chosen))}
          />
        )
      );
    },
  };
}

function Foot({ list }: { readonly list: LongList<unknown> }) {
  const { data = [], hasNextPage, isFetchingNextPage, fetchNextPage, refetch } = list;
  return (
    <Group gap="sm" fz="xs" c="dimmed">
      {data.length.toLocaleString('en')} {hasNextPage ? 'read so far' : 'in all'}
      {hasNextPage && (
        <Button
          variant="default"
          size="compact-xs"
          loading={isFetchingNextPage}
          onClick={() => void fetchNextPage()}
        >
          Read more
        </Button>
      )}
      {!isLive(data.length) && (
        <>
          So long a list is not read again by itself.
          <Button variant="default" size="compact-xs" onClick={() => void refetch()}>
            Read again
          </Button>
        </>
      )}
    </Group>
  );
}

function toClass<Row>({ isWide, grows }: TableColumn<Row>): string {
  return `${isWide ? 'wide' : ''} ${grows ? 'grows' : ''}`;
}
