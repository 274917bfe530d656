import { useSyncExternalStore } from 'react';

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
  useTicks();
  if (at === null) return <span className="quiet">{none}</span>;
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

const ticks: { count: number; timer: ReturnType<typeof setInterval> | undefined } = {
  count: 0,
  timer: undefined,
};
const listeners = new Set<() => void>();

/** Has a moment told anew now and then, by one timer for all: a long table shows a hundred. */
function useTicks(): void {
  useSyncExternalStore(subscribe, () => ticks.count);
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  ticks.timer ??= setInterval(tick, TICK_MS);
  return () => {
    listeners.delete(listener);
    if (listeners.size > 0) return;
    clearInterval(ticks.timer);
    ticks.timer = undefined;
  };
}

function tick(): void {
  ticks.count += 1;
  for (const listener of listeners) listener();
}
