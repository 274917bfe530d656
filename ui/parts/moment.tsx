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
export function ExactMoment({ at }: { readonly at: string }) {
  return (
    <time dateTime={at} className="exact">
      {dateTime.format(new Date(at))}
    </time>
  );
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
