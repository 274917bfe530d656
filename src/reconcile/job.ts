import { createLoop, type Loop } from '../domain/loop.ts';
import type { Topic } from '../store/bell.ts';
import type { Events } from '../telemetry/events.ts';
import type { ReconcileDeps } from './deps.ts';
import { isNotLeading } from './lead.ts';

/** Work that the leader repeats. */
interface Job {
  /** Names of the job in the log, where a turn fails. */
  readonly type: string;
  readonly id: string;
  /** Rest after a failed turn, in milliseconds. */
  readonly restMs: number;
  /** Rest before the first turn, in milliseconds; absent: none. */
  readonly firstMs?: number;
  /** News at which a turn begins at once. */
  readonly topic?: Topic;
}

/** Dependencies of a job. */
export interface JobDeps extends Pick<ReconcileDeps, 'store' | 'clock'> {
  readonly events: Pick<Events, 'failed'>;
}

/**
 * Creates a job of the leader; nothing runs before its start. A failed turn is reported, unless the lead has ended.
 * @param turn as that of a loop (`createLoop`)
 */
export function createJob(
  { store, clock, events }: JobDeps,
  { type, id, restMs, firstMs, topic }: Job,
  turn: Parameters<typeof createLoop>[1],
): Loop {
  const onFailure = (error: unknown) => isNotLeading(error) || events.failed({ type, id, error });
  const loop = createLoop({ clock, onFailure, failedRestMs: restMs }, turn);
  let unlisten = () => {};
  return {
    tell: loop.tell,
    start(afterMs = firstMs) {
      if (topic !== undefined) unlisten = store.bell.listen(topic, loop.tell);
      loop.start(afterMs);
    },
    stop() {
      unlisten();
      return loop.stop();
    },
  };
}
