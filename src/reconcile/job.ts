import type { Loop, Turn } from '../domain/clock.ts';
import { createLoop } from '../domain/clock.ts';
import { BridgeError } from '../domain/values.ts';
import type { Lead } from '../store/leader.ts';
import { holdLead } from '../store/leader.ts';
import type { Store, Topic } from '../store/store.ts';
import type { Events } from '../telemetry/events.ts';
import type { ReconcileDeps } from './deps.ts';

/** Work that the leader repeats. */
interface Job extends Pick<Parameters<typeof createLoop>[0], 'restMs' | 'firstMs'> {
  readonly type: string;
  readonly id: string;
  /** News at which a turn begins at once. */
  readonly topic?: Topic;
}

/** Dependencies of a job. */
export interface JobDeps extends Pick<ReconcileDeps, 'store' | 'clock'> {
  readonly events: Pick<Events, 'failed'>;
}

/** Creates a job of the leader; nothing runs before its start. A failed turn is reported, unless the lead has ended. */
export function createJob(
  { store, clock, events }: JobDeps,
  { type, id, restMs, firstMs, topic }: Job,
  turn: Turn,
): Loop {
  const onFailure = (error: unknown) => isNotLeading(error) || events.failed({ type, id, error });
  const listen = topic && ((tell: () => void) => store.bell.listen(topic, tell));
  return createLoop({ clock, onFailure, restMs, firstMs, listen }, turn);
}

/** The store of the leader: its transactions fail once another process leads. A file has one process. */
export function toLeadersStore(store: Store, lead: Lead): Store {
  if (store.engine === 'sqlite') return store;
  return {
    ...store,
    write: (work) =>
      store.write(async (tx) => {
        if (await holdLead(tx, lead)) return work(tx);
        throw new BridgeError('not-leading', 'another process leads by now');
      }),
  };
}

/** True for the end of a lead: what was begun under it is the next leader's. */
export function isNotLeading(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if (error instanceof BridgeError && error.code === 'not-leading') return true;
  return isNotLeading(error.cause);
}
