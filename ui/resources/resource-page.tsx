import { Loader } from '@mantine/core';
import { getRouteApi, Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useRead } from '../api/queries.ts';
import type { Ops } from '../api/types.ts';
import { Fault } from '../parts/fault.tsx';
import { Moment } from '../parts/moment.tsx';
import { type Fact, Facts, Page, Section } from '../parts/page.tsx';
import { Tag } from '../parts/tag.tsx';
import { FieldTable, LinkTable, MemberTable } from './cells.tsx';
import { ResourceActs } from './resource-acts.tsx';
import { ResourceTimeline } from './resource-timeline.tsx';

const userRoute = getRouteApi('/users/$id');
const groupRoute = getRouteApi('/groups/$id');

/** One user: each field with wanted and seen, the groups, and what happened. */
export function UserPage() {
  const { id } = userRoute.useParams();
  return <Resource key={id} type="users" id={id} />;
}

/** One group: each field with wanted and seen, its members and admins, and what happened. */
export function GroupPage() {
  const { id } = groupRoute.useParams();
  return <Resource key={id} type="groups" id={id} />;
}

function Resource({ type, id }: { readonly type: 'users' | 'groups'; readonly id: string }) {
  const path = `/${type}/${encodeURIComponent(id)}/explain`;
  const explained = useRead('Explanation', path, { topics: ['resources', 'work', 'drifts'] });
  if (explained.error) return <Fault error={explained.error} />;
  if (!explained.data) return <Loader />;
  const it = explained.data;
  return (
    <Page title={it.name} lead={<Standing it={it} />}>
      <Facts items={toFacts(it)} />
      {it.problem && (
        <Section title="The last attempt failed">
          <div>
            {it.problem.words} <span className="detail">{it.problem.code}</span>
          </div>
        </Section>
      )}
      <Section
        title="Fields"
        lead="What was asked for, what the service was last seen to hold, and who asked."
      >
        <FieldTable fields={it.fields} />
      </Section>
      <Links it={it} />
      <Differences id={it.id} />
      <Section title="Act">
        <ResourceActs it={it} />
      </Section>
      <ResourceTimeline type={type} id={it.id} />
    </Page>
  );
}

/** Differences that are not over, also those as a member. */
function Differences({ id }: { readonly id: string }) {
  const path = `/drifts?status=active&resource=${encodeURIComponent(id)}&limit=100`;
  const { data } = useRead('DriftList', path, { topics: ['drifts'] });
  const count = data?.items.length ?? 0;
  if (count === 0) return null;
  const text =
    count === 1 ? 'One difference' : `${count}${data?.nextCursor ? '+' : ''} differences`;
  return (
    <Link to="/drifts" search={{ resource: id, status: 'active' }}>
      {text} in the service that nobody asked for
    </Link>
  );
}

function Standing({ it }: { readonly it: Ops<'Explanation'> }) {
  const managed = { created: 'Made by the bridge', adopted: 'Taken over', no: 'Only observed' };
  return (
    <>
      {it.type === 'user' ? 'User' : 'Group'}. {managed[it.managed]}.{' '}
      {it.deleted && <Tag tone="quiet" text="deleted" />}
    </>
  );
}

function toFacts(it: Ops<'Explanation'>): Fact[] {
  const members: Fact[] = it.members ? [['Members', toMemberCount(it.members)]] : [];
  return [
    ['Id', <code key="id">{it.id}</code>, 'long'],
    ['Id in the service', it.upstream ?? 'none seen', it.type === 'group' ? 'long' : undefined],
    ['Its requests', Object.entries(it.handling ?? {}).join(' ')],
    [
      'Last seen',
      it.seen === null ? (
        'never'
      ) : (
        <span key="seen">
          <Moment at={it.seen.at} /> by {it.seen.by}
        </span>
      ),
    ],
    ['Next attempt', toNextAttempt(it)],
    ['Version', String(it.version)],
    ...members,
  ];
}

/** Tells no moment of somebody who waits for a seat: the next attempt comes when one may be free. */
function toNextAttempt({ dueAt, problem }: Ops<'Explanation'>): ReactNode {
  if (dueAt !== null && problem?.code === 'no-seat') return 'when a seat may be free';
  return <Moment at={dueAt} none="nothing is to be done" />;
}

function toMemberCount({ desired, observed }: { desired: number; observed: number }): string {
  return `${desired.toLocaleString('en')} wanted, ${observed.toLocaleString('en')} seen`;
}

function Links({ it }: { readonly it: Ops<'Explanation'> }) {
  const more = it.more > 0 ? `${it.more} more are not listed here.` : undefined;
  return (
    <>
      {it.groups && (
        <Section title="Groups" lead={more}>
          <LinkTable links={it.groups} type="groups" word="member" />
        </Section>
      )}
      {it.admins && it.admins.length > 0 && (
        <Section title="Admins" lead={more}>
          <LinkTable links={it.admins} type="users" word="admin" />
        </Section>
      )}
      {it.members && (
        <Section title="Members">
          <MemberTable id={it.id} />
        </Section>
      )}
    </>
  );
}
