import type { Timeline, TimelineItem } from '../schemas/resources.ts';

const TITLES: Readonly<Record<TimelineItem['source'], string>> = {
  provider: 'provider',
  operator: 'operator',
  bridge: 'bridge',
  audit: 'audit log',
  outage: 'outage',
  seen: 'seen',
  drift: 'drift',
};

/** A line of time as an operator reads it in a terminal. */
export function toTimelineText({
  type,
  name,
  id,
  managed,
  deleted,
  items,
  more,
}: Timeline): string {
  const state = managed === 'no' ? 'only observed' : `managed, ${managed}`;
  const lines = [
    `${type} ${name}${deleted ? ' (deleted)' : ''}`,
    `id ${id}, ${state}`,
    '',
    ...(more ? ['earlier: ask for more with --limit'] : []),
    ...items.map(toLine),
  ];
  return `${lines.join('\n')}\n`;
}

function toLine({ at, source, text, others }: TimelineItem): string {
  const names = others.map(({ id, name }) => name ?? id).join(', ');
  return `${at}  ${TITLES[source].padEnd(9)}  ${text}${names === '' ? '' : ` [${names}]`}`;
}
