import { Link } from '@tanstack/react-router';
import { useList } from '../api/queries.ts';
import type { Ops } from '../api/types.ts';
import { type Column, DataTable } from '../parts/data-table.tsx';
import { Page } from '../parts/page.tsx';
import { Tag, type Tone } from '../parts/tag.tsx';
import { Value } from '../parts/value.tsx';
import { toChange, toHeld } from './words.ts';

type Item = Ops<'FirstRun'>['items'][number];

const TONES: Readonly<Record<Item['outcome'], Tone>> = {
  adopt: 'info',
  linked: 'quiet',
  create: 'info',
  inactive: 'quiet',
  remove: 'bad',
  disputed: 'waiting',
  privileged: 'waiting',
};

const columns: readonly Column<Item>[] = [
  {
    title: 'Of',
    grows: true,
    cell: ({ type, id, name, reason, changes }) => (
      <>
        {id === null ? (
          name
        ) : (
          <Link to={type === 'user' ? '/users/$id' : '/groups/$id'} params={{ id }}>
            {name}
          </Link>
        )}
        {reason !== null && <div className="detail">{reason}</div>}
        {changes.map(toLine)}
      </>
    ),
  },
  { title: 'Is', cell: ({ outcome }) => <Tag tone={TONES[outcome]} text={outcome} /> },
];

function toLine({ kind, count, desired, observed }: Item['changes'][number]) {
  return (
    <div key={kind}>
      {toChange(kind, count)}
      {desired !== null && (
        <span className="detail">
          {' '}
          <Value value={toHeld(kind, observed)} /> → <Value value={toHeld(kind, desired)} />
        </span>
      )}
    </div>
  );
}

/** Everybody and everything that was asked for before the bridge is live, with each change. */
export function FirstRunPage() {
  const list = useList('FirstRun', '/plans/first-run', { topics: ['work', 'plans', 'resources'] });
  return (
    <Page
      title="The first run"
      lead="Who matches whom in the service, and each change that was asked for and is not made. MODE=live and a restart make it a plan to approve."
    >
      <DataTable
        label="The first run"
        columns={columns}
        list={list}
        toKey={({ type, id, name }) => `${type} ${id} ${name}`}
        empty="Nothing was asked for."
      />
    </Page>
  );
}
