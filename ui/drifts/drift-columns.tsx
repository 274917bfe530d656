import { Checkbox } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import type { Ops } from '../api/types.ts';
import type { Column } from '../parts/data-table.tsx';
import { Moment } from '../parts/moment.tsx';
import { StateTag } from '../parts/tag.tsx';
import { toText } from '../parts/value.tsx';
import { toHeld, toKind } from '../plans/words.ts';

type Drift = Ops<'Drift'>;

/** Drifts that an operator has chosen. */
export interface Choice {
  readonly items: readonly Drift[];
  readonly chosen: ReadonlySet<string>;
  readonly setChosen: (chosen: ReadonlySet<string>) => void;
}

const COLUMNS: readonly Column<Drift>[] = [
  { title: 'Of', grows: true, cell: (drift) => <Subject drift={drift} /> },
  { title: 'What', cell: ({ kind }) => toKind(kind) },
  { title: 'Wanted → seen', isWide: true, cell: (drift) => <Change drift={drift} /> },
  {
    title: 'By',
    isWide: true,
    cell: ({ who, detector }) => <Author who={who} detector={detector} />,
  },
  { title: 'Seen', cell: ({ firstSeen }) => <Moment at={firstSeen} /> },
  { title: 'Status', cell: (drift) => <Status drift={drift} /> },
];

/** Columns of drifts; with a choice the first one chooses. */
export function toColumns(choice: Choice | undefined): readonly Column<Drift>[] {
  return choice === undefined ? COLUMNS : [toChooser(choice), ...COLUMNS];
}

function toChooser({ items, chosen, setChosen }: Choice): Column<Drift> {
  const isAll = items.length > 0 && items.every(({ id }) => chosen.has(id));
  const turn = (id: string) => {
    const next = new Set(chosen);
    if (!next.delete(id)) next.add(id);
    setChosen(next);
  };
  return {
    title: (
      <Checkbox
        size="xs"
        aria-label="Choose all that are read"
        checked={isAll}
        indeterminate={chosen.size > 0 && !isAll}
        onChange={() => setChosen(new Set(isAll ? [] : items.map(({ id }) => id)))}
      />
    ),
    cell: ({ id, resource, kind }) => (
      <Checkbox
        size="xs"
        aria-label={`Choose ${resource.name ?? resource.id}, ${toKind(kind)}`}
        checked={chosen.has(id)}
        onChange={() => turn(id)}
      />
    ),
  };
}

function Subject({ drift: { resource, member, note } }: { readonly drift: Drift }) {
  return (
    <>
      <Link
        to={resource.type === 'user' ? '/users/$id' : '/groups/$id'}
        params={{ id: resource.id }}
      >
        {resource.name ?? resource.id}
      </Link>
      {member && (
        <>
          {': '}
          <Link to="/users/$id" params={{ id: member.id }}>
            {member.name ?? member.id}
          </Link>
        </>
      )}
      {note && (
        <div className="detail">
          {note.text}
          {note.by && `, says ${note.by}`}
        </div>
      )}
    </>
  );
}

function Change({ drift: { kind, desired, observed } }: { readonly drift: Drift }) {
  return (
    <>
      {toText(toHeld(kind, desired))} → {toText(toHeld(kind, observed))}
    </>
  );
}

const DETECTORS: Readonly<Record<string, string>> = {
  audit: 'audit log',
  sweep: 'found by a sweep',
  discovery: 'met by a write',
  operator: 'found by a look',
};

function Author({ who, detector }: Pick<Drift, 'who' | 'detector'>) {
  if (who === null) return <span className="quiet">{DETECTORS[detector] ?? detector}</span>;
  if (who.operator) return <span>an operator, through the bridge</span>;
  return (
    <span title={who.address ?? undefined}>{who.username ?? `account ${who.id ?? 'unknown'}`}</span>
  );
}

function Status({ drift: { status, planId } }: { readonly drift: Drift }) {
  return (
    <>
      <StateTag state={status} />{' '}
      {planId && (
        <Link to="/plans/$id" params={{ id: planId }}>
          plan
        </Link>
      )}
    </>
  );
}
