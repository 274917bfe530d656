import { useMemo } from 'react';
import { ACTIONS } from '../../src/ops/lists/plans.ts';
import { toChange, toVerb } from '../../src/ops/lists/words.ts';
import { useList, useRead } from '../api/queries.ts';
import type { Ops } from '../api/types.ts';
import { Cell, listShown, PageLink, type TableColumn, toTableColumn } from '../parts/cell.tsx';
import { DataTable } from '../parts/data-table.tsx';

type Action = Ops<'PlanAction'>;

/** Headings whose numbers are read; a larger plan tells no numbers at those with the fewest changes. */
const PARTS = 1_000;

/** A row of the diff: the heading of a group of changes, or one change. */
type Row =
  | {
      readonly kind: 'heading';
      readonly key: string;
      readonly action: Action;
      /** Changes of the plan below this heading; undefined: not known yet. */
      readonly count: number | undefined;
    }
  | { readonly kind: 'change'; readonly key: string; readonly action: Action };

const columns: readonly TableColumn<Row>[] = listShown(ACTIONS).map((column) => ({
  ...toTableColumn(column),
  cell: ({ action }) => <Cell column={column} item={action} />,
}));

/** All changes of a plan, those of one group and one kind together. */
export function PlanDiff({ id }: { readonly id: string }) {
  const actions = useList('PlanActionList', `/plans/${encodeURIComponent(id)}/actions`);
  const parts = useRead('PlanPartList', `/plans/${encodeURIComponent(id)}/parts?limit=${PARTS}`);
  const counted = parts.data?.items;
  const { data: read, hasNextPage } = actions;
  const rows = useMemo(
    () => toRows(read ?? [], hasNextPage, counted ?? []),
    [read, hasNextPage, counted],
  );
  return (
    <DataTable
      label="Changes of the plan"
      columns={columns}
      list={actions}
      rows={rows}
      toKey={({ key }) => key}
      toHeading={(row) => (row.kind === 'heading' ? <Heading row={row} /> : undefined)}
      empty="This plan has no changes."
    />
  );
}

function Heading({ row }: { readonly row: Extract<Row, { kind: 'heading' }> }) {
  const { action, count } = row;
  const { resource, kind, who } = action;
  return (
    <strong>
      {resource.type === 'group' && <PageLink to={resource} text={resource.name ?? resource.id} />}{' '}
      <span className="quiet">
        {count === undefined ? toVerb(kind) : toChange(kind, count)}
        {who && `, by ${who.by}`}
      </span>
    </strong>
  );
}

/** Key that the changes below one heading have in common. */
function toKey(group: string | null, kind: string, by: string | null): string {
  return JSON.stringify([group, kind, by]);
}

function toRows(
  actions: readonly Action[],
  hasMore: boolean,
  parts: Ops<'PlanPartList'>['items'],
): Row[] {
  const counts = new Map(
    parts.map(({ group, kind, by, count }) => [toKey(group, kind, by), count]),
  );
  const groups = Map.groupBy(actions, ({ kind, resource, who }) =>
    toKey(resource.type === 'group' ? resource.id : null, kind, who?.by ?? null),
  );
  return [...groups].flatMap(([key, changes]): Row[] => {
    const [action] = changes;
    if (action === undefined) return [];
    return [
      { kind: 'heading', key, action, count: hasMore ? counts.get(key) : changes.length },
      ...changes.map((each, place) => ({
        kind: 'change' as const,
        key: `${key} ${place}`,
        action: each,
      })),
    ];
  });
}
