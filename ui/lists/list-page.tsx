import { Button } from '@mantine/core';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { type ReactNode, useMemo, useState } from 'react';
import { type List, toCsv } from '../../src/ops/lists/list.ts';
import { toTitle } from '../../src/ops/lists/words.ts';
import { type ItemOf, type ListName, readAll, useIsOperator, useList } from '../api/queries.ts';
import type { LiveTopic } from '../api/types.ts';
import { DecideDrifts, type Decision, type Drift } from '../drifts/decide-drifts.tsx';
import { Refusal } from '../parts/act.tsx';
import { listShown, toKey, toTableColumn } from '../parts/cell.tsx';
import { CommandLine } from '../parts/command.tsx';
import { type Choice, DataTable } from '../parts/data-table.tsx';
import { type Filter, Filters } from '../parts/filters.tsx';
import { Page } from '../parts/page.tsx';

/** A list whose answer has this schema. */
type Row<Name extends ListName> = List<ItemOf<Name>> & { readonly answers: { 200: Name } };

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
  return () => (
    <ListFrame {...options}>
      {(query, isWhole) => <ListTable {...options} {...{ query, isWhole }} />}
    </ListFrame>
  );
}

/** Makes a page of drifts, of which some can be chosen and decided. */
export function driftPage<Name extends 'DriftList' | 'UnmanagedList'>({
  decisions,
  ...options
}: PageOptions<Name> & { readonly decisions: readonly Decision[] }): () => ReactNode {
  return () => (
    <ListFrame {...options}>
      {(query, isWhole) => <DriftTable {...options} {...{ query, isWhole, decisions }} />}
    </ListFrame>
  );
}

function ListFrame<Name extends ListName>({
  list,
  title,
  lead,
  search: boxes = [],
  head: Head,
  children,
}: PageOptions<Name> & { readonly children: (query: Search, isWhole: boolean) => ReactNode }) {
  const search: Search = useSearch({ strict: false });
  const navigate = useNavigate();
  const query = toQuery(list, search);
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
      {children(query, Object.keys(search).length === 0)}
      <Download {...{ list, title, query }} />
      <CommandLine text={`scim-bridge ${list.command.name}`} />
    </Page>
  );
}

interface Queried {
  readonly query?: Search;
  readonly isWhole?: boolean;
}

/** The table of a list. @param acts what a person can do with each entry */
export function ListTable<Name extends ListName>({
  list: { path, answers, columns, command },
  title,
  topics,
  query = {},
  isWhole = true,
  acts,
}: TableOptions<Name> & Queried & { readonly acts?: (item: ItemOf<Name>) => ReactNode }) {
  const shown = useMemo(() => {
    const act = { title: <span className="hidden">Act</span>, cell: acts ?? (() => null) };
    return [...listShown(columns).map(toTableColumn), ...(acts === undefined ? [] : [act])];
  }, [columns, acts]);
  return (
    <DataTable
      label={title}
      columns={shown}
      list={useList(answers[200], path, { query, topics })}
      toKey={(item) => toKey(columns, item)}
      empty={(isWhole ? undefined : command.none[1]) ?? command.none[0]}
    />
  );
}

function DriftTable<Name extends 'DriftList' | 'UnmanagedList'>({
  list: { path, answers, columns, command },
  title,
  topics,
  query = {},
  isWhole = true,
  decisions,
}: TableOptions<Name> & Queried & { readonly decisions: readonly Decision[] }) {
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set());
  const list = useList(answers[200], path, { query, topics });
  const isOperator = useIsOperator();
  const shown = useMemo(() => listShown(columns).map(toTableColumn), [columns]);
  const choice: Choice<ItemOf<Name>> = {
    ...{ chosen, setChosen },
    findName: (drift) => toChoiceName(drift),
  };
  const decided = list.items.filter(({ id }) => chosen.has(id));
  return (
    <>
      {decided.length > 0 && (
        <DecideDrifts {...{ decisions }} drifts={decided} onDone={() => setChosen(new Set())} />
      )}
      <DataTable
        {...{ label: title, list, columns: shown, ...(isOperator && { choice }) }}
        toKey={({ id }) => id}
        empty={(isWhole ? undefined : command.none[1]) ?? command.none[0]}
      />
    </>
  );
}

/** The name of a drift beside its box; undefined: it is never decided with others. */
function toChoiceName({ resource, kind, privileged }: Drift): string | undefined {
  return privileged ? undefined : `${resource.name ?? resource.id}, ${kind}`;
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
