import { Link } from '@tanstack/react-router';
import type { Tone } from '../../src/ops/lists/list.ts';
import { useRead } from '../api/queries.ts';
import type { Ops } from '../api/types.ts';
import { ExactMoment, Tag } from '../parts/cell.tsx';
import { CommandLine, Empty, Fault, Section } from '../parts/page.tsx';

type Item = Ops<'Timeline'>['items'][number];

const TONES: Readonly<Record<Item['source'], Tone>> = {
  provider: 'info',
  operator: 'info',
  bridge: 'quiet',
  audit: 'waiting',
  outage: 'bad',
  seen: 'quiet',
  drift: 'waiting',
};

/** One line of time: what providers, operators, the bridge and others did, the newest first. */
export function ResourceTimeline({
  type,
  id,
}: {
  readonly type: 'users' | 'groups';
  readonly id: string;
}) {
  const path = `/${type}/${encodeURIComponent(id)}/timeline?limit=200`;
  const past = useRead('Timeline', path);
  return (
    <Section title="Why it is so" lead="What happened to it, the newest first.">
      {past.error && <Fault error={past.error} />}
      {past.data && (
        <Line past={past.data} other={type === 'users' ? '/groups/$id' : '/users/$id'} />
      )}
      {past.data && <CommandLine text={`scim-bridge why ${past.data.id}`} />}
    </Section>
  );
}

interface LineOptions {
  readonly past: Ops<'Timeline'>;
  readonly other: '/groups/$id' | '/users/$id';
}

function Line({ past, other }: LineOptions) {
  if (past.items.length === 0) return <Empty>Nothing is known of its past.</Empty>;
  return (
    <ol className="timeline">
      {past.items.toReversed().map((item) => (
        <li key={toKey(item)}>
          <ExactMoment at={item.at} />
          <span>
            <Tag tone={TONES[item.source]} text={item.source} />
          </span>
          <span>
            {toSentence(item.text)} <Others item={item} other={other} />
          </span>
        </li>
      ))}
      {past.more && <li className="quiet">There is more before.</li>}
    </ol>
  );
}

/** A place in a group, an account or a group is there or not. */
function toSentence(text: string): string {
  return text.replaceAll('{"present":true}', 'one').replaceAll('{"present":false}', 'none');
}

function toKey({ at, source, text, others }: Item): string {
  return [at, source, text, ...others.map(({ id }) => id)].join(' ');
}

/** Others that the text speaks of, to go there. */
function Others({ item, other }: { readonly item: Item; readonly other: LineOptions['other'] }) {
  return item.others.map(({ id, name }) => (
    <span key={id}>
      <Link to={other} params={{ id }}>
        {name ?? id}
      </Link>{' '}
    </span>
  ));
}
