import type { OpsClient } from '../app/ops-client.ts';
import { toTimeText } from '../ops/lists/words.ts';
import type { CliContext } from './context.ts';

/** Time after which it is worth telling how far something has come, in milliseconds. */
const QUIET_MS = 2_000;
/** Time after which the same is told again, so that a person sees that it goes on, in milliseconds. */
const AGAIN_MS = 1_000;

/** Tells a person at a terminal how far something has come that takes longer than two seconds. */
export interface Progress {
  /** Shows how far it has come. `done` of `total`, where these are known. */
  readonly tell: (words: string, part?: { readonly done: number; readonly total: number }) => void;
  readonly end: () => void;
}

interface ProgressOptions {
  /** Told until there are other words. */
  readonly words?: string;
  readonly now?: () => number;
}

/** Creates the progress of something that begins now and has to end; the estimate is that of an even pace. */
export function createProgress(
  { showProgress }: Pick<CliContext, 'showProgress'>,
  { words: first = '', now = Date.now }: ProgressOptions = {},
): Progress {
  const beganAt = now();
  let [isShown, toText] = [false, (_elapsedMs: number) => first];
  const show = () => {
    const elapsedMs = now() - beganAt;
    const text = toText(elapsedMs);
    if (elapsedMs < QUIET_MS || text === '') return;
    isShown = true;
    showProgress?.(`${text} · ${toTimeText(elapsedMs)}`);
  };
  const again = showProgress && setInterval(show, AGAIN_MS).unref();
  return {
    tell(words, part) {
      toText = (elapsedMs) => `${words}${toPartText(part, elapsedMs)}`;
      show();
    },
    end() {
      clearInterval(again);
      if (isShown) showProgress?.(undefined);
      isShown = false;
    },
  };
}

/** Client whose requests tell a person at a terminal that they are waited for. */
export function withProgress(
  { ask, send, sendFile, ...client }: OpsClient,
  context: Pick<CliContext, 'showProgress'>,
): OpsClient {
  const wait = <T>(answer: Promise<T>): Promise<T> => {
    const progress = createProgress(context, { words: 'Waiting for the bridge' });
    return answer.finally(progress.end);
  };
  return {
    ...client,
    ask: (...args) => wait(ask(...args)),
    send: (...args) => wait(send(...args)),
    sendFile: (...args) => wait(sendFile(...args)),
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
