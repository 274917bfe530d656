import type { SharedNews } from './shared-news.ts';

/** What a process has noted for the shared state and not told yet. Moments are by its own clock. */
export interface Noted {
  /** What became of places, whose name is `untilMs`; undefined: nobody used it. */
  readonly places: readonly { readonly untilMs: number; readonly sentAtMs: number | undefined }[];
  readonly probe: 'answered' | 'unsent' | undefined;
  /** Until when the service wants nobody to send. */
  readonly pausedUntilMs: number | undefined;
}

/** Nothing is to be told. */
export const nothingNoted: Noted = { places: [], probe: undefined, pausedUntilMs: undefined };

/** True when there is nothing to tell. */
export function isNothing({ places, probe, pausedUntilMs }: Noted): boolean {
  return places.length === 0 && probe === undefined && pausedUntilMs === undefined;
}

/** Both; of two pauses the longer, of two probes the later. */
export function addNoted(
  before: Noted,
  { places = [], probe, pausedUntilMs }: Partial<Noted>,
): Noted {
  return {
    places: [...before.places, ...places],
    probe: probe ?? before.probe,
    pausedUntilMs: max(before.pausedUntilMs, pausedUntilMs),
  };
}

function max(a: number | undefined, b: number | undefined): number | undefined {
  return a === undefined || b === undefined ? (a ?? b) : Math.max(a, b);
}

/** The same as it is told at `nowMs`: how long ago, and for how long. */
export function toNews({ places, probe, pausedUntilMs }: Noted, nowMs: number): SharedNews {
  return {
    places: places.map(({ untilMs, sentAtMs }) => ({
      untilMs,
      sentAgoMs: sentAtMs === undefined ? undefined : nowMs - sentAtMs,
    })),
    pauseMs: pausedUntilMs === undefined ? undefined : Math.max(0, pausedUntilMs - nowMs),
    probe,
  };
}
