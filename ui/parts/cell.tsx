import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { Column, Link as Target } from '../../src/ops/lists/list.ts';
import { toTitle } from '../../src/ops/lists/words.ts';
import { ExactMoment, Moment } from './moment.tsx';
import { Tag } from './tag.tsx';
import { Words } from './words.tsx';

/** A column: its heading and its cells. */
export interface TableColumn<Row> {
  readonly title: ReactNode;
  readonly cell: (row: Row) => ReactNode;
  /** Left out on a phone. */
  readonly isWide?: boolean;
  /** Takes the space that is left. */
  readonly grows?: boolean;
}

/** The columns that the console shows. */
export function listShown<Item>(columns: readonly Column<Item>[]): readonly Column<Item>[] {
  return columns.filter(({ place, kind }) => place !== 'csv' && kind !== 'id');
}

/** A column of a list as a column of a table. */
export function toTableColumn<Item>(column: Column<Item>): TableColumn<Item> {
  return {
    title: toTitle(column.name),
    isWide: column.place === 'minor',
    grows: column.isLong === true,
    cell: (item) => <Cell column={column} item={item} />,
  };
}

/** An entry without an id is what it says. */
export function toKey<Item>(columns: readonly Column<Item>[], item: Item): string {
  const ids = columns.filter(({ name }) => name === 'id');
  return (ids.length > 0 ? ids : columns).map((column) => column.value(item)).join(' ');
}

/** A value of a list in the words of the console. */
export function Cell<Item>({
  column,
  item,
}: {
  readonly column: Column<Item>;
  readonly item: Item;
}) {
  const text = String(column.words?.(item) ?? column.value(item) ?? '');
  const target = column.link?.(item);
  const tone = column.tone?.(item);
  if (text === '') return null;
  if (target) return <PageLink to={target} text={text} />;
  if (column.filter !== undefined) {
    return (
      <Link to="." search={{ [column.filter]: text }}>
        {text}
      </Link>
    );
  }
  if (column.kind === 'time') return <ExactMoment at={text} />;
  if (column.kind === 'ago') return <Moment at={text} />;
  if (tone !== undefined && column.isLong !== true) return <Tag tone={tone} text={text} />;
  return <Words text={text} />;
}

const PAGES = { user: '/users/$id', group: '/groups/$id', plan: '/plans/$id' } as const;

/** A user, a group or a plan as a link to its page. */
export function PageLink({
  to: { type, id },
  text,
}: {
  readonly to: Target;
  readonly text: string;
}) {
  return (
    <Link to={PAGES[type]} params={{ id }}>
      {text}
    </Link>
  );
}
