import { useEffect, useState } from 'react';

const TICK_MS = 10_000;
const time = new Intl.DateTimeFormat(undefined, {
  ...{ hour: '2-digit', minute: '2-digit', hourCycle: 'h23' },
});
const dateTime = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'medium' });
const relative = new Intl.RelativeTimeFormat('en', { numeric: 'auto', style: 'long' });

/** Units from the longest on, in milliseconds. */
const UNITS = [
  ['day', 86_400_000],
  ['hour', 3_600_000],
  ['minute', 60_000],
] as const;

/** A moment as somebody would say it; the exact one is its title. */
export function Moment({
  at,
  none = 'never',
}: {
  readonly at: string | null;
  readonly none?: string;
}) {
  const now = useNow();
  if (at === null) return <span className="quiet">{none}</span>;
  return (
    <time dateTime={at} title={dateTime.format(new Date(at))}>
      {toRelative(Date.parse(at) - now)}
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

function useNow(): number {
  const [now, setNow] = useState(Date.now);
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), TICK_MS);
    return () => clearInterval(timer);
  }, []);
  return now;
}
