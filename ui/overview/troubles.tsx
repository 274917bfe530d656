import { Link } from '@tanstack/react-router';
import { toHold } from '../../src/ops/lists/details.ts';
import type { Column } from '../../src/ops/lists/list.ts';
import type { Ops } from '../api/types.ts';
import { PlainTable } from '../parts/data-table.tsx';
import { Section } from '../parts/page.tsx';

type Trouble = Ops<'Status'>['stuck'][number];
type Leavers = NonNullable<Ops<'Status'>['leavers']>;

/** Entries of each list that are shown; the rest is a click away. */
const SHOWN = 10;

const TROUBLES: readonly Column<Trouble>[] = [
  { name: 'of', value: ({ name }) => name, link: ({ type, id }) => ({ type, id }) },
  { name: 'words of the service', value: ({ problem }) => `${problem.words} (${problem.code})` },
  { name: 'since', kind: 'ago', value: ({ since }) => since },
  { name: 'next attempt', kind: 'ago', value: ({ nextAttemptAt }) => nextAttemptAt },
];

const LEAVERS: readonly Column<Leavers['first'][number]>[] = [
  { name: 'who', value: ({ name, id }) => name ?? id, link: ({ id }) => ({ type: 'user', id }) },
  {
    name: 'kept in',
    value: toHold,
    link: ({ plan: id }) => (id === null ? null : { type: 'plan', id }),
  },
  { name: 'since', kind: 'ago', value: ({ since }) => since },
];

/** Users and groups that do not come through, with the words of the service. */
export function Troubles({
  status: { leavers, stuck, failing },
}: {
  readonly status: Ops<'Status'>;
}) {
  return (
    <>
      {leavers && <LateLeavers leavers={leavers} />}
      {stuck.length > 0 && (
        <Section
          title="Refused by the service"
          lead="Acknowledged to the provider, then refused. It is tried again slowly."
        >
          <PlainTable label="Refused" columns={TROUBLES} items={stuck.slice(0, SHOWN)} />
        </Section>
      )}
      {failing.length > 0 && (
        <Section
          title="Tried again and again"
          lead="Attempts that fail for now, with the last reason."
        >
          <PlainTable label="Tried in vain" columns={TROUBLES} items={failing.slice(0, SHOWN)} />
        </Section>
      )}
    </>
  );
}

/** Each leaver who was not seen to be out. */
function LateLeavers({ leavers: { count, first } }: { readonly leavers: Leavers }) {
  return (
    <Section
      title="Left, and not out yet"
      lead={`Deactivated or deleted by the provider, and not seen to be out since: ${count.toLocaleString('en')}.`}
    >
      <PlainTable label="Leavers" columns={LEAVERS} items={first} />
      {count > first.length && (
        <Link to="/users" search={{ state: 'due' }}>
          All with open work
        </Link>
      )}
    </Section>
  );
}
