import { Checkbox } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { toHeld, toKind, toText } from '../../src/ops/lists/words.ts';
import type { Ops } from '../api/types.ts';
import type { Column } from '../parts/data-table.tsx';
import { Moment } from '../parts/moment.tsx';
import { SubjectLink } from '../parts/subject-link.tsx';
import { StateTag, Tag } from '../parts/tag.tsx';

/** A drift; of what is unmanaged with the reason why it is not taken over with others. */
export type Drift = Ops<'Drift'> & Partial<Pick<Ops<'Unmanaged'>, 'privileged'>>;

/** True for a drift that may be chosen with others. */
export function isOffered({ privileged }: Drift): boolean {
  return !privileged;
}

/** Drifts that an operator has chosen. */
export interface Choice {
  readonly items: readonly Drift[];
  readonly chosen: ReadonlySet<string>;
  readonly setChosen: (chosen: ReadonlySet<string>) => void;
}

/** Columns of drifts; with a choice the first one chooses. */
export function toColumns(isOldest: boolean, choice: Choice | undefined): readonly Column<Drift>[] {
  return [
    ...(choice === undefined ? [] : [toChooser(choice)]),
    { title: 'Of', grows: true, cell: (drift) => <Subject drift={drift} /> },
    { title: 'What', cell: ({ kind }) => toKind(kind) },
    {
      title: 'Wanted → seen',
      isWide: true,
      grows: true,
      cell: (drift) => <Change drift={drift} />,
    },
    {
      ...{ title: 'By', isWide: true },
      cell: ({ who, detector }) => <Author who={who} detector={detector} />,
    },
    {
      title: (
        <Link
          to="."
          search={({ order, ...others }) => (order ? others : { ...others, order: 'oldest' })}
        >
          Seen {isOldest ? '↑' : '↓'}
        </Link>
      ),
      sorted: isOldest ? 'ascending' : 'descending',
      cell: ({ firstSeen }) => <Moment at={firstSeen} />,
    },
    { title: 'Status', cell: (drift) => <Status drift={drift} /> },
  ];
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
    cell: (drift) =>
      isOffered(drift) && (
        <Checkbox
          size="xs"
          aria-label={`Choose ${drift.resource.name ?? drift.resource.id}, ${toKind(drift.kind)}`}
          checked={chosen.has(drift.id)}
          onChange={() => turn(drift.id)}
        />
      ),
  };
}

function Subject({ drift: { resource, member, note, privileged } }: { readonly drift: Drift }) {
  return (
    <>
      <SubjectLink {...resource} />
      {member && (
        <>
          {': '}
          <SubjectLink {...member} />
        </>
      )}
      {privileged && <div className="detail">{privileged}</div>}
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

function Status({ drift: { status, planId, privileged } }: { readonly drift: Drift }) {
  return (
    <>
      {privileged ? <Tag tone="quiet" text="protected" /> : <StateTag state={status} />}{' '}
      {planId && (
        <Link to="/plans/$id" params={{ id: planId }}>
          plan
        </Link>
      )}
    </>
  );
}
