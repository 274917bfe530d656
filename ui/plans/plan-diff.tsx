import { useMemo } from 'react';
import { toChange, toHeld, toVerb } from '../../src/ops/lists/words.ts';
import { type LongList, useList, useRead } from '../api/queries.ts';
import type { Ops } from '../api/types.ts';
import { type Column, DataTable } from '../parts/data-table.tsx';
import { SubjectLink } from '../parts/subject-link.tsx';
import { StateTag, Tag } from '../parts/tag.tsx';
import { Value } from '../parts/value.tsx';

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

const columns: readonly Column<Row>[] = [
  {
    title: 'Of',
    grows: true,
    cell: (row) => <Subject action={row.action} />,
  },
  {
    title: 'Seen',
    isWide: true,
    cell: (row) => <Value value={toHeld(row.action.kind, row.action.observed)} />,
  },
  {
    title: 'Wanted',
    isWide: true,
    cell: (row) => <Value value={toHeld(row.action.kind, row.action.desired)} />,
  },
  { title: 'Will do', isWide: true, cell: (row) => toVerb(row.action.kind) },
  { title: 'State', cell: (row) => <State action={row.action} /> },
];

/** All changes of a plan, those of one group and one kind together. */
export function PlanDiff({ id }: { readonly id: string }) {
  const actions = useList('PlanActionList', `/plans/${encodeURIComponent(id)}/actions`, {
    topics: ['plans', 'work'],
  });
  const parts = useRead('PlanPartList', `/plans/${encodeURIComponent(id)}/parts?limit=${PARTS}`, {
    topics: ['plans', 'work'],
  });
  const counted = parts.data?.items;
  const list = useMemo(() => toRows(actions, counted ?? []), [actions, counted]);
  return (
    <DataTable
      label="Changes of the plan"
      columns={columns}
      list={list}
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
      {resource.type === 'group' && <SubjectLink {...resource} />}{' '}
      <span className="quiet">
        {count === undefined ? toVerb(kind) : toChange(kind, count)}
        {who && `, by ${who.by}`}
      </span>
    </strong>
  );
}

function Subject({ action }: { readonly action: Action }) {
  const { resource, member, reason } = action;
  const subject = member === null ? resource : { ...member, type: 'user' as const };
  return (
    <div className="inner">
      <SubjectLink {...subject} />
      <div className="detail">{reason}</div>
    </div>
  );
}

function State({ action: { status, harm } }: { readonly action: Action }) {
  return (
    <>
      <StateTag state={status} /> {harm !== null && <Tag tone="bad" text="takes away" />}
    </>
  );
}

/** Key that the changes below one heading have in common. */
function toKey(group: string | null, kind: string, by: string | null): string {
  return JSON.stringify([group, kind, by]);
}

function toRows(actions: LongList<Action>, parts: Ops<'PlanPartList'>['items']): LongList<Row> {
  const counts = new Map(
    parts.map(({ group, kind, by, count }) => [toKey(group, kind, by), count]),
  );
  const groups = Map.groupBy(actions.items, ({ kind, resource, who }) =>
    toKey(resource.type === 'group' ? resource.id : null, kind, who?.by ?? null),
  );
  const items = [...groups].flatMap(([key, changes]): Row[] => {
    const [action] = changes;
    if (action === undefined) return [];
    return [
      { kind: 'heading', key, action, count: actions.hasMore ? counts.get(key) : changes.length },
      ...changes.map((each, place) => ({
        kind: 'change' as const,
        key: `${key} ${place}`,
        action: each,
      })),
    ];
  });
  return { ...actions, items, count: actions.items.length };
}
