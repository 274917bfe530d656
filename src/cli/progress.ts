import type { CliContext } from './context.ts';

/** Time after which it is worth telling how far something has come, in milliseconds. */
const QUIET_MS = 2_000;

/** Tells a person at a terminal how far something has come that takes longer than two seconds. */
export interface Progress {
  /** Shows how far it has come. `done` of `total`, where these are known. */
  tell(words: string, part?: { readonly done: number; readonly total: number }): void;
  end(): void;
}

/** Creates the progress of something that begins now; the estimate is that of an even pace. */
export function createProgress(
  { showProgress }: Pick<CliContext, 'showProgress'>,
  now: () => number = Date.now,
): Progress {
  const beganAt = now();
  let isShown = false;
  return {
    tell(words, part) {
      const elapsedMs = now() - beganAt;
      if (elapsedMs < QUIET_MS || showProgress === undefined) return;
      isShown = true;
      showProgress(`${words}${toPartText(part, elapsedMs)} · ${toTimeText(elapsedMs)}`);
    },
    end() {
      if (isShown) showProgress?.(undefined);
    },
  };
}

function toPartText(
  part: { readonly done: number; readonly total: number } | undefined,
  elapsedMs: number,
): string {
  if (part === undefined || part.total === 0) return '';
  const { done, total } = part;
  const share = Math.min(1, done / total);
  if (share === 0) return ` · 0 %`;
  const leftMs = (elapsedMs * (1 - share)) / share;
  return ` · ${Math.floor(share * 100)} %, about ${toTimeText(leftMs)} left`;
}

/** A span of time as people read it: `42 s`, `3 min 5 s`. */
export function toTimeText(ms: number): string {
  const seconds = Math.round(ms / 1_000);
  if (seconds < 60) return `${seconds} s`;
  const minutes = Math.floor(seconds / 60);
  return minutes < 60
    ? `${minutes} min ${seconds % 60} s`
    : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}
