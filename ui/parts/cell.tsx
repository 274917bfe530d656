import { Link } from '@tanstack/react-router';
import { Fragment, type ReactNode } from 'react';
import type { Fact } from '../../src/ops/lists/details.ts';
import { type Column, type Link as Target, type Tone, toCell } from '../../src/ops/lists/list.ts';
import { toTitle } from '../../src/ops/lists/words.ts';

/** A value of a list in the words of the console. */
export function Cell<Item>({
  column,
  item,
}: {
  readonly column: Column<Item>;
  readonly item: Item;
}) {
  const { text: value, tone } = toCell(column, item);
  const text = column.words?.(item) ?? value;
  const target = column.link?.(item);
  if (text === '') return null;
  if (target) return <PageLink to={target} text={text} />;
  if (column.filter !== undefined) {
    return (
      <Link to="." search={{ [column.filter]: text }}>
        {text}
      </Link>
    );
  }
  if (column.kind === 'time') return <ExactMoment at={text} />;
  if (column.kind === 'ago') return <Moment at={text} />;
  if (tone !== undefined && column.isLong !== true) return <Tag tone={tone}>{text}</Tag>;
  return <Words text={text} />;
}

const PAGES = { user: '/users/$id', group: '/groups/$id', plan: '/plans/$id' } as const;

/** A user, a group or a plan as a link to its page; an address is broken behind its `@` first. */
export function PageLink({
  to: { type, id },
  text,
}: {
  readonly to: Target;
  readonly text: string;
}) {
  const at = text.indexOf('@') + 1 || text.length;
  return (
    <Link to={PAGES[type]} params={{ id }}>
      {text.slice(0, at)}
      <wbr />
      {text.slice(at)}
    </Link>
  );
}

/** Facts as names and values. */
export function Facts({ items }: { readonly items: readonly Fact[] }) {
  return (
    <dl className="facts">
      {items.map(({ title, text, link }) => (
        <div key={title}>
          <dt>{toTitle(title)}</dt>
          <dd>{link ? <PageLink to={link} text={text} /> : <Words text={text} />}</dd>
        </div>
      ))}
    </dl>
  );
}

const time = new Intl.DateTimeFormat(undefined, {
  hour: '2-digit',
  minute: '2-digit',
  hourCycle: 'h23',
});
const dateTime = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'medium' });
const relative = new Intl.RelativeTimeFormat('en', { numeric: 'auto', style: 'long' });

/** Units from the longest on, in milliseconds. */
const UNITS = [
  ['day', 86_400_000],
  ['hour', 3_600_000],
  ['minute', 60_000],
] as const;

/** A moment as somebody would say it, as of the last read of its page; the exact one is its title. */
export function Moment({ at }: { readonly at: string }) {
  return (
    <time dateTime={at} title={dateTime.format(new Date(at))}>
      {toRelative(Date.parse(at) - Date.now())}
    </time>
  );
}

/** A moment to the second. */
function ExactMoment({ at }: { readonly at: string }) {
  return (
    <time dateTime={at} className="exact">
      {toKept(dateTime.format(new Date(at)))}
    </time>
  );
}

/** A moment that is broken between its date and its time alone. */
function toKept(moment: string): string {
  return moment.replaceAll(/(?<!,) /g, '\u00a0');
}

/** Time of day. */
export function toTime(at: string): string {
  return time.format(new Date(at));
}

/** Distance of a moment from now, in words. */
function toRelative(ms: number): string {
  const [unit, length] = UNITS.find((each) => Math.abs(ms) >= each[1]) ?? [undefined, 0];
  if (unit === undefined) return ms > 5_000 ? 'in a few seconds' : 'just now';
  return relative.format(Math.round(ms / length), unit);
}

/** A word for a state. The word says it; the colour only helps. */
export function Tag({ tone, children }: { readonly tone: Tone; readonly children: ReactNode }) {
  return (
    <span className="tag" data-tone={tone}>
      {children}
    </span>
  );
}

const toTheMinute = new Intl.DateTimeFormat(undefined, {
  dateStyle: 'medium',
  timeStyle: 'short',
});
/** Commands and addresses between backticks, and moments as ISO 8601. */
const PARTS = /(`[^`]+`|\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z)/;

/** A sentence of the bridge, with its commands as code and its moments as the reader writes them. */
export function Words({ text }: { readonly text: string }) {
  return text.split(PARTS).map((part, place) => {
    const key = `${place} ${part}`;
    if (part.startsWith('`')) return <code key={key}>{part.slice(1, -1)}</code>;
    if (place % 2 === 1) return <time key={key}>{toKept(toTheMinute.format(new Date(part)))}</time>;
    return <Fragment key={key}>{part}</Fragment>;
  });
}
