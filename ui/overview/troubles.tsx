import { Link } from '@tanstack/react-router';
import type { Ops } from '../api/types.ts';
import { Frame } from '../parts/frame.tsx';
import { Moment } from '../parts/moment.tsx';
import { Section } from '../parts/page.tsx';
import { SubjectLink } from '../parts/subject-link.tsx';

type Trouble = Ops<'Status'>['stuck'][number];

/** Entries of each list that are shown; the rest is a click away. */
const SHOWN = 10;

/** Users and groups that do not come through, with the words of the service. */
export function Troubles({ status }: { readonly status: Ops<'Status'> }) {
  return (
    <>
      {status.leavers && <Leavers leavers={status.leavers} />}
      {status.stuck.length > 0 && (
        <Section
          title="Refused by the service"
          lead="Acknowledged to the provider, then refused. It is tried again slowly."
        >
          <TroubleTable label="Refused" items={status.stuck} />
        </Section>
      )}
      {status.failing.length > 0 && (
        <Section
          title="Tried again and again"
          lead="Attempts that fail for now, with the last reason."
        >
          <TroubleTable label="Tried in vain" items={status.failing} />
        </Section>
      )}
    </>
  );
}

const HOLDS = {
  'observe-mode': 'the bridge only observes',
  'writes-paused': 'changes are paused',
} as const;

/** Each leaver who was not seen to be out. */
function Leavers({ leavers }: { readonly leavers: NonNullable<Ops<'Status'>['leavers']> }) {
  const { count, first } = leavers;
  return (
    <Section
      title="Left, and not out yet"
      lead={`Deactivated or deleted by the provider, and not seen to be out since: ${count.toLocaleString('en')}.`}
    >
      <Frame label="Leavers" columns={['Who', 'Kept in by', 'Since']}>
        {first.map(({ id, name, since, heldBy, plan }) => (
          <tr key={id}>
            <td>
              <SubjectLink {...{ id, name }} />
            </td>
            <td>
              {plan !== null && (
                <Link to="/plans/$id" params={{ id: plan }}>
                  a plan that waits for you
                </Link>
              )}
              {plan === null &&
                (heldBy === null || heldBy === 'plan' ? 'the service' : HOLDS[heldBy])}
            </td>
            <td>
              <Moment at={since} />
            </td>
          </tr>
        ))}
      </Frame>
      {count > first.length && (
        <Link to="/users" search={{ state: 'due' }}>
          All of whom something is to be done
        </Link>
      )}
    </Section>
  );
}

function TroubleTable({
  label,
  items,
}: {
  readonly label: string;
  readonly items: readonly Trouble[];
}) {
  return (
    <Frame label={label} columns={['Of', 'Words of the service', 'Since', 'Next attempt']}>
      {items.slice(0, SHOWN).map(({ type, id, name, problem, since, nextAttemptAt }) => (
        <tr key={`${id} ${problem.code} ${since} ${problem.words}`}>
          <td>
            <SubjectLink {...{ type, id, name }} />
          </td>
          <td>
            {problem.words} <span className="detail">{problem.code}</span>
          </td>
          <td>
            <Moment at={since} />
          </td>
          <td>
            <Moment at={nextAttemptAt} none="with its next write" />
          </td>
        </tr>
      ))}
    </Frame>
  );
}
