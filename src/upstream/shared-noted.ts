import type { SharedNews } from './shared-news.ts';

/** News that a process has not sent to the shared state yet. Moments are by its own clock. */
export interface Noted {
  /** Results of places, whose name is `untilMs`; undefined: unused. */
  readonly places: readonly { readonly untilMs: number; readonly sentAtMs: number | undefined }[];
  readonly probe: 'answered' | 'unsent' | undefined;
  /** End of the pause that the service asked for. */
  readonly pausedUntilMs: number | undefined;
}

/** No news. */
export const nothingNoted: Noted = { places: [], probe: undefined, pausedUntilMs: undefined };

/** True when there is nothing to tell. */
export function isNothing({ places, probe, pausedUntilMs }: Noted): boolean {
  return places.length === 0 && probe === undefined && pausedUntilMs === undefined;
}

/** Joins both; of two pauses the longer counts, of two probes the later. */
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

/** Converts to the form that is sent at `nowMs`: times relative to it. */
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
