import { beginOutage, endOutage, insertAct } from '../../store/audit/acts.ts';
import type { Db, Store } from '../../store/store.ts';
import type { OperatorAct } from '../http/operator-acts.ts';

/** Gates that stop all calls: one for a failing service, one for a refused token. */
const GATES = ['service', 'credentials'] as const;

/** Parts of the log of acts. */
export interface ActLogDeps {
  readonly store: Pick<Store, 'write'>;
  readonly clock: { now(): number };
  /** Called when the store does not take an act, which is lost then. */
  readonly onFailure: (error: unknown) => void;
}

/** Keeps what operators decide and when the service did not work, for the timelines of users and groups. */
export interface ActLog {
  readonly acted: (act: Pick<OperatorAct, 'route' | 'status' | 'operator' | 'target'>) => void;
  readonly gateChanged: (change: {
    readonly gate: (typeof GATES)[number];
    readonly isShut: boolean;
  }) => void;
  /** Ends outages whose end nobody saw, because the leader before was killed; called at the start of a lead. */
  start(): void;
  /** Waits until all is stored. */
  stop(): Promise<void>;
}

/** Requests that decide something about a user or group, in words; `everything`: about all of them. */
const DECISIONS: Readonly<Record<string, { readonly act: string; readonly everything?: true }>> = {
  '/ops/users/:id/adopt': { act: 'adopted it' },
  '/ops/groups/:id/adopt': { act: 'adopted it' },
  '/ops/users/:id/look': { act: 'looked at it' },
  '/ops/groups/:id/look': { act: 'looked at it' },
  '/ops/drifts/:id/repair': { act: 'had a difference repaired' },
  '/ops/drifts/:id/accept': { act: 'accepted a difference' },
  '/ops/drifts/:id/ignore': { act: 'left a difference alone' },
  '/ops/plans/:id/approve': { act: 'approved a plan' },
  '/ops/plans/:id/discard': { act: 'discarded a plan' },
  '/ops/plans/:id/undo': { act: 'had a plan undone' },
  '/ops/plans/first-run/approve': { act: 'approved the plan of going live', everything: true },
  '/ops/plans/first-run/discard': { act: 'discarded the plan of going live', everything: true },
  '/ops/recovery/approve': { act: 'approved the plan of the recovery', everything: true },
  '/ops/recovery/discard': { act: 'discarded the plan of the recovery', everything: true },
  '/ops/pause': { act: 'paused all changes', everything: true },
  '/ops/resume': { act: 'ended the pause of all changes', everything: true },
  '/ops/retry': { act: 'had tried at once what waits' },
};

/** Keeps acts in the order in which they happen. */
export function createActLog({ store, clock, onFailure }: ActLogDeps): ActLog {
  let storing: Promise<void> = Promise.resolve();

  function keep(save: (tx: Db) => Promise<void>): void {
    storing = storing.then(() => store.write(save)).catch(onFailure);
  }

  return {
    acted({ route, status, operator, target = '' }) {
      const decision = DECISIONS[route.replace(/\/$/, '')];
      if (decision === undefined || status >= 400) return;
      const { act, everything } = decision;
      const at = clock.now();
      keep((tx) => insertAct(tx, { at, act, operator, target: everything ? '' : target }));
    },
    gateChanged({ gate, isShut }) {
      const at = clock.now();
      keep((tx) => (isShut ? beginOutage(tx, gate, at) : endOutage(tx, gate, at)));
    },
    start() {
      const at = clock.now();
      for (const gate of GATES) keep((tx) => endOutage(tx, gate, at));
    },
    stop: () => storing,
  };
}
