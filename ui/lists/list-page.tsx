import { Button } from '@mantine/core';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { type ReactNode, useMemo, useState } from 'react';
import { toCsv } from '../../src/ops/lists/csv.ts';
import type { Column, List } from '../../src/ops/lists/list.ts';
import { type ItemOf, type ListName, readAll, useList } from '../api/queries.ts';
import type { LiveTopic } from '../api/types.ts';
import { Refusal } from '../parts/act.tsx';
import { CommandLine } from '../parts/command.tsx';
import { DataTable, type Column as TableColumn } from '../parts/data-table.tsx';
import { type Filter, Filters } from '../parts/filters.tsx';
import { ExactMoment, Moment } from '../parts/moment.tsx';
import { Page } from '../parts/page.tsx';
import { SubjectLink } from '../parts/subject-link.tsx';
import { Tag } from '../parts/tag.tsx';
import { Words } from '../parts/words.tsx';

/** A list whose answer has this schema. */
export type Row<Name extends ListName> = List<ItemOf<Name>> & { readonly answers: { 200: Name } };

/** Filters of an address; what is empty is left out. */
type Search = Readonly<Record<string, string>>;

/** Box with which a page filters a list. */
export interface SearchBox {
  /** A filter, or `state` for one of several that are on or off. */
  readonly filter: string;
  readonly label: string;
  /** The words of the filter when left out. */
  readonly choices?: Readonly<Record<string, string>>;
  readonly placeholder?: string;
  /** The box is for a date since then. */
  readonly isSince?: true;
}

interface TableOptions<Name extends ListName> {
  readonly list: Row<Name>;
  readonly title: string;
  /** Parts of the store whose changes lead to another read. */
  readonly topics: readonly LiveTopic[];
}

interface PageOptions<Name extends ListName> extends TableOptions<Name> {
  readonly lead: string;
  readonly search?: readonly SearchBox[];
  /** What stands above the table. */
  readonly head?: () => ReactNode;
}

/** Makes a page of one list: search, filters, the table, the file and the command. */
export function listPage<Name extends ListName>(options: PageOptions<Name>): () => ReactNode {
  return () => <ListPage {...options} />;
}

function ListPage<Name extends ListName>({
  list,
  title,
  lead,
  topics,
  search: boxes = [],
  head: Head,
}: PageOptions<Name>) {
  const search: Search = useSearch({ strict: false });
  const navigate = useNavigate();
  const query = toQuery(search);
  const isWhole = Object.keys(query).length === 0;
  return (
    <Page
      title={title}
      lead={lead}
      actions={
        <Filters
          {...{ search, filters: boxes.map((box) => toFilter(box, list.filters[box.filter])) }}
          onSearch={(next) => void navigate({ to: '.', search: next, replace: true })}
        />
      }
    >
      {Head && <Head />}
      <ListTable {...{ list, title, topics, query, isWhole }} />
      <Download {...{ list, title, query }} />
      <CommandLine text={`scim-bridge ${list.command.name}`} />
    </Page>
  );
}

/** The table of a list. @param acts what a person can do with each entry */
export function ListTable<Name extends ListName>({
  list,
  title,
  topics,
  query = {},
  isWhole = true,
  acts,
}: TableOptions<Name> & {
  readonly query?: Search;
  readonly isWhole?: boolean;
  readonly acts?: (item: ItemOf<Name>) => ReactNode;
}) {
  const { path, answers, columns, command } = list;
  const shown = useMemo(() => {
    const own = columns.filter(({ place, kind }) => place !== 'csv' && kind !== 'id');
    const act = { title: <span className="hidden">Act</span>, cell: acts ?? (() => null) };
    return [...own.map(toTableColumn), ...(acts === undefined ? [] : [act])];
  }, [columns, acts]);
  const [none, noneFits = none] = command.none;
  return (
    <DataTable
      label={title}
      columns={shown}
      list={useList(answers[200], path, { query, topics })}
      toKey={(item) => toKey(columns, item)}
      empty={isWhole ? none : noneFits}
    />
  );
}

/** An entry without an id is what it says. */
function toKey<Item>(columns: readonly Column<Item>[], item: Item): string {
  const ids = columns.filter(({ name }) => name === 'id');
  return (ids.length > 0 ? ids : columns).map((column) => column.value(item)).join(' ');
}

function toTableColumn<Item>(column: Column<Item>): TableColumn<Item> {
  return {
    title: toTitle(column.name),
    isWide: column.place === 'minor',
    grows: column.isLong === true,
    cell: (item) => <Cell column={column} item={item} />,
  };
}

function Cell<Item>({ column, item }: { readonly column: Column<Item>; readonly item: Item }) {
  const text = String(column.value(item) ?? '');
  const link = column.link?.(item);
  const tone = column.tone?.(item);
  if (text === '') return null;
  if (link?.type === 'plan') {
    return (
      <Link to="/plans/$id" params={{ id: link.id }}>
        {text}
      </Link>
    );
  }
  if (link) return <SubjectLink type={link.type} id={link.id} name={text} />;
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

function toTitle(name: string): string {
  return `${name.charAt(0).toUpperCase()}${name.slice(1)}`;
}

/** A choice is one of the words of the filter, or none. */
function toFilter(
  box: SearchBox,
  words: List<unknown>['filters'][string] = 'text',
): Filter<string> {
  const { filter: name, label, choices, placeholder, isSince } = box;
  const given = choices ?? (typeof words === 'string' ? undefined : toChoices(words));
  return {
    ...{ name, label },
    ...(given && { choices: Object.entries({ '': label, ...given }).map(toOption) }),
    ...(placeholder && { placeholder }),
    ...(isSince && { isSince }),
  };
}

function toChoices(words: readonly string[]): Record<string, string> {
  return Object.fromEntries(words.map((word) => [word, toTitle(word)]));
}

function toOption([value, label]: [value: string, label: string]) {
  return { value, label };
}

/** Filters of the request; a state is a filter that is on or off. */
function toQuery({ state, ...others }: Search): Search {
  return { ...others, ...(state && { [state]: 'true' }) };
}

/** Saves all entries of the list as CSV. */
function Download<Name extends ListName>({
  list: { path, answers, columns },
  title,
  query,
}: Pick<TableOptions<Name>, 'list' | 'title'> & { readonly query: Search }) {
  const [isReading, setReading] = useState(false);
  const [error, setError] = useState<Error>();
  const download = async () => {
    setReading(true);
    setError(undefined);
    try {
      save(`${title}.csv`, toCsv(await readAll(answers[200], path, query), columns));
    } catch (thrown) {
      setError(thrown instanceof Error ? thrown : new Error(String(thrown)));
    }
    setReading(false);
  };
  return (
    <>
      <div>
        <Button variant="default" loading={isReading} onClick={() => void download()}>
          Download CSV
        </Button>
      </div>
      {error && <Refusal error={error} />}
    </>
  );
}

function save(name: string, text: string): void {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(new Blob([text], { type: 'text/csv' }));
  link.download = name.toLowerCase();
  link.click();
  URL.revokeObjectURL(link.href);
}
