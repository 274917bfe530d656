import { Loader } from '@mantine/core';
import { Link, useParams } from '@tanstack/react-router';
import { acts } from '../../src/ops/lists/acts.ts';
import { listResourceFacts } from '../../src/ops/lists/details.ts';
import type { Column } from '../../src/ops/lists/list.ts';
import { FIELDS, toLinkColumns } from '../../src/ops/lists/tables.ts';
import { toTitle } from '../../src/ops/lists/words.ts';
import { useRead } from '../api/queries.ts';
import type { Ops } from '../api/types.ts';
import { ListTable } from '../lists/list-page.tsx';
import { Act, Acts } from '../parts/act.tsx';
import { Facts, Tag } from '../parts/cell.tsx';
import { CommandLine, Empty, Fault, Page, Section } from '../parts/page.tsx';
import { Table } from '../parts/table.tsx';

/** One user or group: each field with wanted and seen, the groups, or the members and admins, and what happened. */
export function ResourcePage({ type }: { readonly type: 'user' | 'group' }) {
  const { id = '' } = useParams({ strict: false });
  return <Resource key={id} path={`/${type}s/${encodeURIComponent(id)}`} />;
}

function Resource({ path }: { readonly path: string }) {
  const { error, data: it } = useRead('Explanation', `${path}/explain`);
  if (error) return <Fault error={error} />;
  if (!it) return <Loader />;
  return (
    <Page
      title={it.name}
      lead={
        <>
          {toTitle(it.type)} {it.deleted && <Tag tone="quiet">deleted</Tag>}
        </>
      }
    >
      <Facts items={listResourceFacts(it)} />
      <Section
        title="Fields"
        lead="What was asked for, what the service was last seen to hold, and who asked."
      >
        <Table label="Fields" columns={FIELDS} items={it.fields} />
      </Section>
      <Links title="Groups" type="group" links={it.groups} more={it.more} />
      <Links title="Admins" type="user" links={it.admins} more={it.more} />
      {it.members && (
        <Section title="Members">
          <ListTable
            name="MemberList"
            path={`${path}/members`}
            columns={MEMBERS}
            label="Members"
            none="Nobody is in this group, and nobody is wanted in it."
          />
        </Section>
      )}
      <Link to="/drifts" search={{ resource: it.id, status: 'active' }}>
        Differences in the service that nobody asked for
      </Link>
      <Section title="Act">
        <ResourceActs it={it} />
      </Section>
      <Timeline path={path} />
    </Page>
  );
}

const MEMBERS = toLinkColumns('user');

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
      {links.length > 0 && <Table label={title} columns={toLinkColumns(type)} items={links} />}
    </Section>
  );
}

/** Acts of an operator about one user or group. */
function ResourceActs({ it: { type, id, name, managed, deleted } }: { it: Ops<'Explanation'> }) {
  const of = { type, id };
  return (
    <Acts>
      <Act act={acts.LOOK} of={of} label="Look now" isMain />
      <Act act={acts.RETRY} given={{ name: id }} label="Retry" />
      {managed === 'no' && !deleted && (
        <Act
          act={acts.ADOPT}
          of={of}
          label="Take over"
          confirm={`The bridge takes ${name} over as the service holds it. A provider may then change and deactivate it.`}
        />
      )}
    </Acts>
  );
}

type Happening = Ops<'Timeline'>['items'][number];

const TONES = {
  provider: 'info',
  operator: 'info',
  audit: 'waiting',
  drift: 'waiting',
  outage: 'bad',
} as const;

const HAPPENINGS: readonly Column<Happening>[] = [
  { name: 'at', kind: 'time' },
  { name: 'source', tones: TONES },
  { name: 'what', isLong: true, value: toSentence },
];

/** A place in a group, an account or a group is there or not; with the names of others that it is about. */
function toSentence({ text, others }: Happening): string {
  const sentence = text
    .replaceAll('{"present":true}', 'one')
    .replaceAll('{"present":false}', 'none');
  return [sentence, ...others.map(({ id, name }) => name ?? id)].join(' · ');
}

/** What providers, operators, the bridge and others did, the newest first. */
function Timeline({ path }: { readonly path: string }) {
  const { error, data } = useRead('Timeline', `${path}/timeline?limit=200`);
  return (
    <Section title="Why it is so" lead="What happened to it, the newest first.">
      {error && <Fault error={error} />}
      {data && (
        <>
          <Table label="What happened" columns={HAPPENINGS} items={data.items.toReversed()} />
          <CommandLine text={`scim-bridge why ${data.id}`} />
        </>
      )}
    </Section>
  );
}
