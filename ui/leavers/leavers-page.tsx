import { getRouteApi, Link } from '@tanstack/react-router';
import { useList } from '../api/queries.ts';
import type { Ops } from '../api/types.ts';
import { type Column, DataTable } from '../parts/data-table.tsx';
import { type Filter, Filters } from '../parts/filters.tsx';
import { ExactMoment, Moment } from '../parts/moment.tsx';
import { Page } from '../parts/page.tsx';
import { Tag, type Tone } from '../parts/tag.tsx';
import { Words } from '../parts/words.tsx';

type Leaver = Ops<'Leaver'>;

const route = getRouteApi('/leavers');
const FILTERS: readonly Filter<'since' | 'status'>[] = [
  { name: 'since', label: 'Accepted since', isSince: true },
  {
    name: 'status',
    label: 'Status',
    choices: [
      { value: '', label: 'Every status' },
      { value: 'waits', label: 'Waits' },
      { value: 'out', label: 'Out' },
      { value: 'back', label: 'Back' },
    ],
  },
];
const TONES: Readonly<Record<Leaver['status'], Tone>> = {
  waits: 'waiting',
  out: 'good',
  back: 'quiet',
};
const LOG_WORDS: Readonly<Record<Leaver['logged']['state'], string>> = {
  logged: 'has an entry',
  waits: 'not read yet',
  silent: 'has no entry',
  unreadable: 'cannot be read',
};

const columns: readonly Column<Leaver>[] = [
  {
    title: 'Who',
    cell: ({ person }) => (
      <Link to="/users/$id" params={{ id: person.id }}>
        {person.name ?? person.id}
      </Link>
    ),
  },
  {
    title: 'Status',
    cell: ({ status, problem, nextAttemptAt, planId }) => (
      <>
        <Tag tone={TONES[status]} text={status} />
        {planId && (
          <div className="detail">
            <Link to="/plans/$id" params={{ id: planId }}>
              held by a plan
            </Link>
          </div>
        )}
        {problem && (
          <div className="detail">
            <Words text={problem.words} />
            {nextAttemptAt && '; next attempt '}
            {nextAttemptAt && <Moment at={nextAttemptAt} />}
          </div>
        )}
      </>
    ),
  },
  { title: 'Steps', cell: (leaver) => <Steps leaver={leaver} /> },
  {
    title: 'Remains',
    isWide: true,
    grows: true,
    cell: ({ remains }) => remains && <Words text={toRemains(remains)} />,
  },
];

/** Each step with its time, and what did it. */
function Steps({ leaver }: { readonly leaver: Leaver }) {
  const { asked, acceptedAt, sent, seenAt, logged } = leaver;
  return (
    <>
      {asked && (
        <div>
          Asked <ExactMoment at={asked.at} />
          <div className="detail">
            by {asked.credential}, request {asked.requestId}
          </div>
        </div>
      )}
      <div>
        Accepted <ExactMoment at={acceptedAt} />
      </div>
      {sent && (
        <div>
          Sent <ExactMoment at={sent.at} />
          <span className="detail"> {sent.operation}</span>
        </div>
      )}
      {seenAt && (
        <div>
          Seen <ExactMoment at={seenAt} />
        </div>
      )}
      <div>
        Audit log {logged.at === null ? LOG_WORDS[logged.state] : <ExactMoment at={logged.at} />}
        {logged.ours === false && (
          <span className="detail">
            {logged.who?.operator ? ' by an operator, through the bridge' : ' by somebody else'}
          </span>
        )}
      </div>
    </>
  );
}

/** Tells in words what remains. */
function toRemains({ owner, groups }: NonNullable<Leaver['remains']>): string {
  const names = groups.map(({ id, name }) => name ?? id);
  return [...(owner ? ['role of an owner'] : []), ...names].join(', ');
}

/** Page of the leavers: each step with its time, and what remains. */
export function LeaversPage() {
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const list = useList('LeaverList', '/leavers', { query: search, topics: ['leavers'] });
  return (
    <Page
      title="Leavers"
      lead="Who lost access, what proves it, and what remains."
      actions={
        <Filters
          {...{ search, filters: FILTERS }}
          onSearch={(next) => void navigate({ search: next, replace: true })}
        />
      }
    >
      <DataTable
        label="Leavers"
        columns={columns}
        list={list}
        toKey={({ person }) => person.id}
        empty={`Nobody lost access in that time${search.status === undefined ? '' : ' with this filter'}.`}
      />
    </Page>
  );
}
