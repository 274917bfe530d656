import { Button } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { type ReactNode, useMemo, useState } from 'react';
import { type List, toCsv } from '../../src/ops/lists/list.ts';
import { toTitle } from '../../src/ops/lists/words.ts';
import { type ItemOf, type ListName, readAll, useIsOperator, useList } from '../api/queries.ts';
import { Refusal } from '../parts/act.tsx';
import { listShown, toKey, toTableColumn } from '../parts/cell.tsx';
import { DataTable } from '../parts/data-table.tsx';
import { CommandLine, Page } from '../parts/page.tsx';
import { type Filter, Filters, type Search } from './filters.tsx';

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
  readonly list: Row<Name>;
  readonly query?: Search;
  /** True if no filter was chosen. */
  readonly isWhole?: boolean;
  /** What a person can do with each entry. */
  readonly acts?: (item: ItemOf<Name>) => ReactNode;
  readonly choosing?: Choosing<ItemOf<Name>>;
}

interface PageOptions<Name extends ListName> extends TableOptions<Name> {
  readonly search?: readonly Filter[];
  /** What stands above the table. */
  readonly head?: () => ReactNode;
}

/** Makes a page of one list: search, filters, the table, the file and the command. */
export function listPage<Name extends ListName>(options: PageOptions<Name>): () => ReactNode {
  const { list, search: boxes = [], head: Head } = options;
  const filters = boxes.map((box) => withChoices(box, list.filters[box.name]));
  return function ListPage() {
    const search: Search = useSearch({ strict: false });
    const navigate = useNavigate();
    const query = toQuery(list, search);
    const onSearch = (next: Search) => void navigate({ to: '.', search: next, replace: true });
    return (
      <Page
        title={toName(list.path)}
        lead={toTitle(list.summary.replace(/^List /, ''))}
        actions={<Filters {...{ search, filters, onSearch }} />}
      >
        {Head && <Head />}
        <ListTable {...options} query={query} isWhole={Object.keys(search).length === 0} />
        <Download list={list} query={query} />
        <CommandLine text={`scim-bridge ${list.command.name}`} />
      </Page>
    );
  };
}

/** The table of a list. */
export function ListTable<Name extends ListName>(options: TableOptions<Name>) {
  const { list: row, query = {}, isWhole = true, acts, choosing } = options;
  const { path, answers, columns, command } = row;
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set());
  const isOperator = useIsOperator();
  const list = useList(answers[200], path, query);
  const shown = useMemo(() => {
    const act = { title: <span className="hidden">Act</span>, cell: acts ?? (() => null) };
    return [...listShown(columns).map(toTableColumn), ...(acts === undefined ? [] : [act])];
  }, [columns, acts]);
  const keyOf = (item: ItemOf<Name>) => toKey(columns, item);
  const rows = list.data ?? [];
  const some = rows.filter((item) => chosen.has(keyOf(item)));
  return (
    <>
      {some.length > 0 && choosing?.show(some, () => setChosen(new Set()))}
      <DataTable
        label={toName(path)}
        columns={shown}
        {...{ list, rows }}
        toKey={keyOf}
        empty={(isWhole ? undefined : command.none[1]) ?? command.none[0]}
        {...(isOperator && choosing && { choice: { ...choosing, chosen, setChosen } })}
      />
    </>
  );
}

/** The name of a page, after its list. */
function toName(path: string): string {
  return toTitle(path.replace(/^.*\//, '').replace('-', ' '));
}

/** A choice is one of the words of the filter, or none. */
function withChoices(box: Filter, words: List<unknown>['filters'][string] = 'text'): Filter {
  if (box.choices !== undefined || typeof words === 'string') return box;
  return { ...box, choices: Object.fromEntries(words.map((word) => [word, toTitle(word)])) };
}

/** Filters of the request, those that hold by default among them; a state is a filter that is on or off. */
function toQuery(
  { command: { defaults } }: Pick<List<unknown>, 'command'>,
  { state, ...others }: Search,
): Search {
  const asked = { ...defaults, ...others, ...(state && { [state]: 'true' }) };
  return Object.fromEntries(Object.entries(asked).filter(([, value]) => value !== 'all'));
}

/** Saves all entries of the list as CSV. */
function Download<Name extends ListName>({
  list: { path, answers, columns },
  query,
}: {
  readonly list: Row<Name>;
  readonly query: Search;
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
