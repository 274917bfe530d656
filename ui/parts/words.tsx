import { Fragment } from 'react';

const dateTime = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'short' });
/** Commands and addresses between backticks, and moments as ISO 8601. */
const PARTS = /(`[^`]+`|\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z)/;

/** A sentence of the bridge, with its commands as code and its moments as the reader writes them. */
export function Words({ text }: { readonly text: string }) {
  return text.split(PARTS).map((part, place) => {
    const key = `${place} ${part}`;
    if (part.startsWith('`')) return <code key={key}>{part.slice(1, -1)}</code>;
    if (place % 2 === 1) return <time key={key}>{dateTime.format(new Date(part))}</time>;
    return <Fragment key={key}>{part}</Fragment>;
  });
}
