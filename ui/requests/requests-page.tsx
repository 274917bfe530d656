import { Group, Select, TextInput } from '@mantine/core';
import { getRouteApi, Link } from '@tanstack/react-router';
import { useList } from '../api/queries.ts';
import type { Ops } from '../api/types.ts';
import { type Column, DataTable } from '../parts/data-table.tsx';
import { ExactMoment } from '../parts/moment.tsx';
import { Page } from '../parts/page.tsx';
import { Tag, type Tone } from '../parts/tag.tsx';

type Request = Ops<'Request'>;

const route = getRouteApi('/requests');
const STATUSES = [
  { value: '', label: 'All answers' },
  { value: '2xx', label: 'Accepted' },
  { value: '4xx', label: 'Refused (4xx)' },
  { value: '5xx', label: 'Failed (5xx)' },
  { value: '409', label: 'Conflicts (409)' },
];

const TYPES = [
  { value: '', label: 'Users and groups' },
  { value: 'user', label: 'Users' },
  { value: 'group', label: 'Groups' },
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
  const { status = '', type = '', resource = '', credential = '' } = route.useSearch();
  const navigate = route.useNavigate();
  const list = useList('RequestList', '/requests', {
    query: { status, type, resource, credential },
    topics: ['requests'],
  });
  const show = (change: Partial<Record<'status' | 'type' | 'resource' | 'credential', string>>) => {
    const given = Object.entries({ status, type, resource, credential, ...change }).filter(
      ([, value]) => value !== '',
    );
    void navigate({ search: Object.fromEntries(given), replace: true });
  };
  return (
    <Page
      title="Requests"
      lead="What providers wrote, what of it was repaired or not taken, and what they were refused; without values."
      actions={
        <Group gap="xs">
          <TextInput
            type="search"
            aria-label="Id of a user or group"
            placeholder="Id of a user or group"
            w={260}
            value={resource}
            onChange={({ currentTarget }) => show({ resource: currentTarget.value.trim() })}
          />
          <TextInput
            type="search"
            aria-label="Id of a credential"
            placeholder="Id of a credential"
            w={200}
            value={credential}
            onChange={({ currentTarget }) => show({ credential: currentTarget.value.trim() })}
          />
          <Select
            aria-label="Users and groups"
            data={TYPES}
            value={type}
            onChange={(value) => show({ type: value ?? '' })}
          />
          <Select
            aria-label="Answer"
            data={STATUSES}
            value={status}
            onChange={(value) => show({ status: value ?? '' })}
          />
        </Group>
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
