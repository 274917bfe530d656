import { Loader } from '@mantine/core';
import { getRouteApi, Link } from '@tanstack/react-router';
import { listResourceFacts } from '../../src/ops/lists/details.ts';
import { FIELDS, toLinkColumns } from '../../src/ops/lists/resources.ts';
import { toTitle } from '../../src/ops/lists/words.ts';
import { useList, useRead } from '../api/queries.ts';
import type { Ops } from '../api/types.ts';
import { Facts, Tag, toTableColumn } from '../parts/cell.tsx';
import { DataTable, PlainTable } from '../parts/data-table.tsx';
import { Empty, Fault, Page, Section } from '../parts/page.tsx';
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
  const explained = useRead('Explanation', path);
  if (explained.error) return <Fault error={explained.error} />;
  if (!explained.data) return <Loader />;
  const it = explained.data;
  return (
    <Page title={it.name} lead={<Standing it={it} />}>
      <Facts items={listResourceFacts(it)} />
      {it.problem && (
        <Section title="The last attempt failed">
          <div>
            {it.problem.words} <span className="quiet">{it.problem.code}</span>
          </div>
        </Section>
      )}
      <Section
        title="Fields"
        lead="What was asked for, what the service was last seen to hold, and who asked."
      >
        <PlainTable label="Fields" columns={FIELDS} items={it.fields} />
      </Section>
      <Links title="Groups" type="group" links={it.groups} more={it.more} />
      <Links title="Admins" type="user" links={it.admins} more={it.more} />
      {it.members && (
        <Section title="Members">
          <MemberTable id={it.id} />
        </Section>
      )}
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
  const { data } = useRead('DriftList', path);
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

function Standing({ it: { type, deleted } }: { readonly it: Ops<'Explanation'> }) {
  return (
    <>
      {toTitle(type)} {deleted && <Tag tone="quiet" text="deleted" />}
    </>
  );
}

/** Memberships or admin rights, each with what is wanted and what was seen. */
function Links({
  title,
  type,
  links,
  more,
}: {
  readonly title: string;
  readonly type: 'user' | 'group';
  readonly links: readonly Ops<'Member'>[] | undefined;
  readonly more: number;
}) {
  if (links === undefined) return null;
  return (
    <Section title={title} {...(more > 0 && { lead: `${more} more are not listed here.` })}>
      {links.length === 0 && <Empty>None.</Empty>}
      {links.length > 0 && <PlainTable label={title} columns={toLinkColumns(type)} items={links} />}
    </Section>
  );
}

const MEMBER_COLUMNS = toLinkColumns('user').map(toTableColumn);

/** Members of a group, as many as there are, of which the rows in sight are made. */
function MemberTable({ id }: { readonly id: string }) {
  const list = useList('MemberList', `/groups/${encodeURIComponent(id)}/members`);
  return (
    <DataTable
      label="Members"
      columns={MEMBER_COLUMNS}
      list={list}
      rows={list.data ?? []}
      toKey={({ id: userId }) => userId}
      empty="Nobody is in this group, and nobody is wanted in it."
    />
  );
}
