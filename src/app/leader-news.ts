import type { Queue } from '../reconcile/bounded-wait.ts';
import type { FirstReadState } from '../reconcile/read/first-read.ts';
import type { ReadProgress } from '../reconcile/read/reading.ts';
import type { Detection } from '../reconcile/repair/recovery-detect.ts';
import type { SectionStates } from '../reconcile/sections.ts';
import { parseStored } from '../store/engine/columns.ts';
import type { TransportHealth } from '../upstream/transport.ts';

/** Knowledge of the leader for every process: it is in the leader's row, and renewed with it. */
export interface LeaderNews {
  readonly health: TransportHealth;
  readonly firstRead: FirstReadState;
  /** How far a sweep, or a recovery, has read the service; null: neither reads. */
  readonly reading: ReadProgress | null;
  /** The account behind the token, where it is known. */
  readonly ownAccount: number | null;
  /** True while the store may be older than the service and the service was not read again yet. */
  readonly isReading: boolean;
  /** Findings of the audit log at the start of the lead. */
  readonly detection: Detection | null;
  readonly sections: SectionStates;
  readonly queue: Queue;
}

const OPEN = { kind: 'open' } as const;

/** News while no leader has sent any. */
const NO_NEWS: LeaderNews = {
  health: {
    waiting: { remove: 0, change: 0, look: 0, pass: 0 },
    inFlight: 0,
    pausedForMs: 0,
    credentials: OPEN,
    service: OPEN,
  },
  firstRead: { kind: 'running', step: 'service', count: 0 },
  reading: null,
  ownAccount: null,
  isReading: false,
  detection: null,
  sections: {},
  queue: { isHeld: true, aheadMs: { remove: 0, change: 0 } },
};

/** The news in the row of the leader. */
export function parseNews(text: string | null): LeaderNews {
  return text === null ? NO_NEWS : parseStored<LeaderNews>(text);
}
