import { getRouteApi, Link } from '@tanstack/react-router';
import { useList } from '../api/queries.ts';
import type { Ops } from '../api/types.ts';
import { type Column, DataTable } from '../parts/data-table.tsx';
import { type Filter, Filters } from '../parts/filters.tsx';
import { ExactMoment } from '../parts/moment.tsx';
import { Page } from '../parts/page.tsx';
import { Tag, type Tone } from '../parts/tag.tsx';

type Request = Ops<'Request'>;

const route = getRouteApi('/requests');
const FILTERS: readonly Filter<'resource' | 'credential' | 'type' | 'status'>[] = [
  { name: 'resource', label: 'Id of a user or group' },
  { name: 'credential', label: 'Id of a credential' },
  {
    ...{ name: 'type', label: 'Users and groups' },
    choices: [
      { value: '', label: 'Users and groups' },
      { value: 'user', label: 'Users' },
      { value: 'group', label: 'Groups' },
    ],
  },
  {
    ...{ name: 'status', label: 'Answer' },
    choices: [
      { value: '', label: 'All answers' },
      { value: '2xx', label: 'Accepted' },
      { value: '4xx', label: 'Refused (4xx)' },
      { value: '5xx', label: 'Failed (5xx)' },
      { value: '409', label: 'Conflicts (409)' },
    ],
  },
];

const columns: readonly Column<Request>[] = [
  { title: 'When', cell: ({ at }) => <ExactMoment at={at} /> },
  {
    title: 'Request',
    grows: true,
    cell: ({ method, route: pattern, written, scimType, refusal }) => (
      <>
        <code>
          {method} {pattern}
        </code>
        <div className="detail">{toWritten(written)}</div>
        <Notes written={written} />
        {(refusal ?? scimType) && (
          <div>
            Refused: {refusal} {scimType && <span className="detail">{scimType}</span>}
          </div>
        )}
      </>
    ),
  },
  {
    title: 'Of',
    isWide: true,
    cell: ({ resource }) => resource && <Subject resource={resource} />,
  },
  { title: 'Answer', cell: ({ status }) => <Tag tone={toTone(status)} text={String(status)} /> },
  {
    title: 'Took',
    isWide: true,
    cell: ({ durationMs }) => <span className="number">{Math.round(durationMs)} ms</span>,
  },
  {
    title: 'From',
    isWide: true,
    cell: ({ credential, client }) => (
      <Link to="/requests" search={{ credential }} title={client ?? undefined}>
        {credential}
      </Link>
    ),
  },
];

/** Page of the providers' requests, live, with those that were refused. */
export function RequestsPage() {
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const list = useList('RequestList', '/requests', { query: search, topics: ['requests'] });
  return (
    <Page
      title="Requests"
      lead="Requests from providers and our answers. Values are not stored."
      actions={
        <Filters
          {...{ search, filters: FILTERS }}
          onSearch={(next) => void navigate({ search: next, replace: true })}
        />
      }
    >
      <DataTable
        label="Requests"
        columns={columns}
        list={list}
        toKey={({ requestId, at, route: pattern, resource: of }) =>
          `${requestId} ${at} ${pattern} ${of?.id}`
        }
        empty="No such request was kept."
      />
    </Page>
  );
}

function Subject({
  resource: { type, id },
}: {
  readonly resource: NonNullable<Request['resource']>;
}) {
  return (
    <Link to={type === 'user' ? '/users/$id' : '/groups/$id'} params={{ id }}>
      {type} {id.slice(0, 8)}
    </Link>
  );
}

function toWritten(written: Request['written']): string {
  return written
    .filter(({ op }) => !isNote(op))
    .map(({ op, path, values }) => `${op} ${path}${toTimes(values)}`)
    .join(', ');
}

/** Fates of parts that were not taken as they were sent. */
const NOTES = { drop: 'Not taken', repair: 'Repaired', refuse: 'Refused' } as const;

function isNote(op: Request['written'][number]['op']): op is keyof typeof NOTES {
  return op in NOTES;
}

/** Repairs, omissions and refusals of a request, with their reasons. */
function Notes({ written }: { readonly written: Request['written'] }) {
  return written.map(
    ({ op, path, values, words }) =>
      isNote(op) && (
        <div key={`${op} ${path}`} className="detail">
          <Tag tone={op === 'repair' ? 'info' : 'waiting'} text={NOTES[op]} /> {words ?? path}
          {toTimes(values)}
        </div>
      ),
  );
}

function toTimes(values: number): string {
  return values > 1 ? ` (${values})` : '';
}

function toTone(status: number): Tone {
  if (status >= 500) return 'bad';
  return status >= 400 ? 'waiting' : 'good';
}
