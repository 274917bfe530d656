import type { JsonObject } from '../../domain/json.ts';
import {
  type ActQuery,
  beginOutage,
  endOutage,
  insertAct,
  listActs,
  type NewAct,
} from '../../store/audit/acts.ts';
import type { Db, Store } from '../../store/store.ts';
import type { OperatorAct } from '../http/operator-acts.ts';

/** Gates that stop all calls: one for a failing service, one for a refused token. */
const GATES = ['service', 'credentials'] as const;

/** Parts of the log of acts. */
export interface ActLogDeps {
  readonly store: Pick<Store, 'read' | 'write'>;
  readonly clock: { now(): number };
  /** Called when the store does not take an act, which is lost then. */
  readonly onFailure: (error: unknown) => void;
}

/** Keeps what operators decide and when the service did not work, for the timelines of users and groups. */
export interface ActLog {
  readonly acted: (act: OperatorAct) => void;
  readonly gateChanged: (change: {
    readonly gate: (typeof GATES)[number];
    readonly isShut: boolean;
  }) => void;
  /** Ends outages whose end nobody saw, because the leader before was killed; called at the start of a lead. */
  start(): void;
  /** Lists acts of operators, those of this process to the last. */
  list(query: ActQuery): Promise<Awaited<ReturnType<typeof listActs>>>;
  /** Waits until all is stored. */
  stop(): Promise<void>;
}

/**
 * Words of an act, and its extent: `everyone` concerns all users and groups, and so does `all` without a target; an act
 * about the `forgotten` keeps no id.
 */
interface ActWords {
  readonly act: string;
  readonly concerns?: 'everyone' | 'all' | 'forgotten';
}

/** Words of every request that does more than read, by its route. */
export const ACT_WORDS: Readonly<Record<string, ActWords>> = {
  '/ops/users/:id/adopt': { act: 'adopted it' },
  '/ops/groups/:id/adopt': { act: 'adopted it' },
  '/ops/users/:id/look': { act: 'looked at it' },
  '/ops/groups/:id/look': { act: 'looked at it' },
  '/ops/users/:key/erase': { act: 'erased what is kept about a person', concerns: 'forgotten' },
  '/ops/drifts/:id/repair': { act: 'had a difference repaired' },
  '/ops/drifts/:id/accept': { act: 'accepted a difference' },
  '/ops/drifts/:id/ignore': { act: 'left a difference alone' },
  '/ops/plans/:id/approve': { act: 'approved a plan' },
  '/ops/plans/:id/discard': { act: 'discarded a plan' },
  '/ops/plans/:id/undo': { act: 'had a plan undone' },
  '/ops/pause': { act: 'paused all changes', concerns: 'everyone' },
  '/ops/resume': { act: 'ended the pause of all changes', concerns: 'everyone' },
  '/ops/retry': { act: 'had tried at once what waits', concerns: 'all' },
  '/ops/notifications/retry': { act: 'had notifications sent again' },
  '/ops/notifications/test': { act: 'tried receivers of notifications' },
  '/ops/sweeps': { act: 'asked for a sweep' },
  '/ops/tokens': { act: 'made a token' },
  '/ops/tokens/:id/revoke': { act: 'revoked a token' },
  '/ops/clients': { act: 'made a client' },
  '/ops/clients/:id/rotate': { act: 'made a secret of a client' },
  '/ops/clients/:id/revoke': { act: 'revoked a client or a secret' },
  '/ops/sessions/:id/revoke': { act: 'ended a sign-in to the console' },
  '/ops/api/:group/:operation': { act: 'called the service' },
};

/** Keeps acts in the order in which they happen. */
export function createActLog({ store, clock, onFailure }: ActLogDeps): ActLog {
  let storing: Promise<void> = Promise.resolve();

  function keep(save: (tx: Db) => Promise<void>): void {
    storing = storing.then(() => store.write(save)).catch(onFailure);
  }

  return {
    acted(act) {
      const row = toRow(act, clock.now());
      if (row !== undefined) keep((tx) => insertAct(tx, row));
    },
    async list(query) {
      await storing;
      return listActs(store.read, query);
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

/** The row of an act; undefined for a request that no route took. */
function toRow(told: OperatorAct, at: number): NewAct | undefined {
  // What is served with and without a slash at its end is one route.
  const route = told.route.replace(/\/$/, '');
  const words = ACT_WORDS[route];
  if (words === undefined) return undefined;
  const { act, concerns } = words;
  const { target = '', operator, credential, method, status, change } = told;
  const isForAll = concerns === 'everyone' || (concerns === 'all' && target === '');
  return {
    ...{ at, act, operator, credential, method, route, status },
    target: concerns === 'forgotten' ? '' : target,
    address: told.remoteAddress,
    request_id: told.requestId,
    state_before: toText(change?.before),
    state_after: toText(change?.after),
    everyone: isForAll ? 1 : 0,
  };
}

function toText(state: JsonObject | undefined): string | null {
  return state === undefined ? null : JSON.stringify(state);
}
