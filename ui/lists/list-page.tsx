import { Button, Group, Loader } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import { type Column, type List, NOTHING, toCommandLine, toCsv } from '../../src/ops/lists/list.ts';
import { toTitle } from '../../src/ops/lists/words.ts';
import {
  type ItemOf,
  type ListName,
  parsePage,
  type Query,
  readAll,
  useIsOperator,
  useRead,
} from '../api/queries.ts';
import { Refusal } from '../parts/dialog.tsx';
import { CommandLine, Empty, Fault, Page } from '../parts/page.tsx';
import { findId, Table } from '../parts/table.tsx';
import { Filters, type Search, toLabel, toMeaning } from './filters.tsx';

const PAGE = '200';

/** A list whose answer has this schema. */
type Row<Name extends ListName> = List<ItemOf<Name>> & { readonly answers: { 200: Name } };

/** What can be done with entries that a person chooses. */
export interface Choosing<Item> {
  /** Name of the box beside an entry; undefined: it cannot be chosen. */
  readonly findName: (item: Item) => string | undefined;
  /** What stands above the table while some are chosen. */
  readonly show: (chosen: readonly Item[], onDone: () => void) => ReactNode;
}

interface TableOptions<Name extends ListName> {
  readonly name: Name;
  readonly path: string;
  readonly columns: readonly Column<ItemOf<Name>>[];
  readonly label: string;
  readonly none: string;
  readonly query?: Query;
  /** What a person can do with each entry. */
  readonly acts?: (item: ItemOf<Name>) => ReactNode;
  readonly choosing?: Choosing<ItemOf<Name>> | undefined;
}

/** What a list tells of its table. */
export function toTable<Name extends ListName>(list: Row<Name>) {
  const { answers, path, columns } = list;
  // Its last word is the name of the list.
  const label = toTitle(path.replace(/^.*\//, '').replace('-', ' '));
  return { name: answers[200], path, columns, label, none: NOTHING };
}

/** Makes a page of one list: search, filters, the table, the file and the command. */
export function listPage<Name extends ListName>(
  list: Row<Name>,
  {
    choosing,
    head,
  }: { readonly choosing?: Choosing<ItemOf<Name>>; readonly head?: ReactNode } = {},
): () => ReactNode {
  const table = toTable(list);
  return function ListPage() {
    const search: Search = useSearch({ strict: false });
    const navigate = useNavigate();
    const asked = Object.entries({ ...list.defaults, ...search });
    // All is what is answered without a filter.
    const query = Object.fromEntries(asked.filter(([, value]) => value !== 'all'));
    const boxes = Object.keys(search).filter((name) => typeof list.filters[name] === 'string');
    const helps = boxes.map((name) => `${toLabel(name)}: ${toMeaning(list, name)}`);
    const command = toCommand(list, search);
    const onSearch = (next: Search) => void navigate({ to: '.', search: next, replace: true });
    return (
      <Page
        title={table.label}
        lead={toTitle(list.summary.replace(/^List /, ''))}
        actions={<Filters list={list} search={search} onSearch={onSearch} />}
      >
        {head}
        <ListTable
          {...table}
          query={query}
          choosing={choosing}
          none={[NOTHING, ...helps].join(' ')}
        />
        <Download list={list} query={query} />
        {command && <CommandLine text={command} />}
      </Page>
    );
  };
}

/** Options of the command line that are not called as their filter is. */
const OPTIONS: Readonly<Record<string, string>> = { q: 'search', resource: 'of', target: 'of' };
const FLAGS: Readonly<Record<string, string>> = {
  'order=oldest': 'oldest',
  'managed=false': 'unmanaged',
};

/** The command that lists the same; undefined: there is none for all states at once, or for a part of the settings. */
function toCommand<Item>({ command, defaults }: List<Item>, search: Search): string | undefined {
  const asked = Object.entries({ ...search, order: search.order === 'oldest' ? 'oldest' : '' });
  const some = asked.filter(([name, value]) => value !== '' && value !== defaults?.[name]);
  const isPart = command === 'settings' && some.length > 0;
  if (isPart || some.some(([, value]) => value === 'all')) return undefined;
  const given = some.map(([name, value]) => {
    const flag = FLAGS[`${name}=${value}`] ?? (value === 'true' ? name : undefined);
    return flag === undefined ? [OPTIONS[name] ?? name, value] : [flag, true];
  });
  return toCommandLine({ command }, Object.fromEntries(given));
}

/** A list, page by page. */
export function ListTable<Name extends ListName>(options: TableOptions<Name>) {
  const { name, path, columns, label, none, query = {}, acts, choosing } = options;
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set());
  const [cursors, setCursors] = usePlace(JSON.stringify(query));
  const isOperator = useIsOperator();
  const read = useRead(name, path, { query: { limit: PAGE, ...query, cursor: cursors.at(-1) } });
  if (read.error) return <Fault error={read.error} />;
  if (read.data === undefined) return <Loader size="sm" />;
  const { items, nextCursor } = parsePage<ItemOf<Name>>(read.data);
  const some = items.filter((item) => chosen.has(findId(columns, item) ?? ''));
  if (items.length === 0 && cursors.length === 0) return <Empty>{none}</Empty>;
  return (
    <>
      {some.length > 0 && choosing?.show(some, () => setChosen(new Set()))}
      <Table
        label={label}
        columns={columns}
        items={items}
        acts={acts}
        isOld={read.isOld}
        choice={isOperator && choosing ? { ...choosing, chosen, setChosen } : undefined}
      />
      <Group gap="sm" fz="xs" c="dimmed">
        {cursors.length === 0 && nextCursor === null
          ? `${items.length} in all`
          : `Page ${cursors.length + 1}`}
        {cursors.length > 0 && (
          <Turn label="Previous page" onClick={() => setCursors(cursors.slice(0, -1))} />
        )}
        {nextCursor !== null && (
          <Turn label="Next page" onClick={() => setCursors([...cursors, nextCursor])} />
        )}
      </Group>
    </>
  );
}

/** The cursors of the pages up to the one that is shown; other filters begin at the first page. */
function usePlace(asked: string) {
  const [place, setPlace] = useState<{ asked: string; cursors: readonly string[] }>({
    asked,
    cursors: [],
  });
  const cursors = place.asked === asked ? place.cursors : [];
  return [cursors, (next: readonly string[]) => setPlace({ asked, cursors: next })] as const;
}

function Turn({ label, onClick }: { readonly label: string; readonly onClick: () => void }) {
  return (
    <Button variant="default" size="compact-xs" onClick={onClick}>
      {label}
    </Button>
  );
}

/** Saves all entries of the list as CSV. */
function Download<Name extends ListName>({
  list: { path, answers, columns },
  query,
}: {
  readonly list: Row<Name>;
  readonly query: Query;
}) {
  const { mutate, isPending, error } = useMutation({
    mutationFn: async () =>
      save(`${path.slice(1)}.csv`, toCsv(await readAll(answers[200], path, query), columns)),
  });
  return (
    <>
      <div>
        <Button variant="default" loading={isPending} onClick={() => mutate()}>
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
  link.download = name;
  link.click();
  URL.revokeObjectURL(link.href);
}
