import {
  beginOutage,
  endOutage,
  listActs,
  type NewAct,
  saveActs,
} from '../../store/audit/timeline.ts';
import { parseStored } from '../../store/engine/columns.ts';
import type { OpenRecord, OpenRecordOf } from '../../store/recorder.ts';
import type { Db, Store } from '../../store/store.ts';
import type { OperatorAct } from '../http/operator-acts.ts';
import { listRoute } from '../http/route.ts';
import { toView } from '../http/view.ts';
import { ACTS } from '../lists/records.ts';
import type { OpsJson } from '../schemas/schemas.ts';
import type { OpsSources } from '../sources.ts';

/** Gates that stop all calls: one for a failing service, one for a refused token. */
const GATES = ['service', 'credentials'] as const;

/** Parts of the log of acts. */
interface ActLogDeps {
  readonly store: Pick<Store, 'write'>;
  readonly openRecord: OpenRecordOf;
  readonly clock: { now(): number };
  /** Called for each act, once it is answered. */
  readonly report: (act: OperatorAct) => void;
  /** Called when the store does not take an act, which is lost then. */
  readonly onFailure: (error: unknown) => void;
}

/**
 * Words of an act, those of one that changed nothing, and its extent: `everyone` concerns all users and groups, and so does `all` without a target; an act
 * about the `forgotten` keeps no id.
 */
interface ActWords {
  readonly act: string;
  readonly unchanged?: string;
  readonly concerns?: 'everyone' | 'all' | 'forgotten';
}

/** Words of every request that does more than read, by its method and route. */
export const ACT_WORDS: Readonly<Record<string, ActWords>> = {
  'POST /ops/users/:id/adopt': { act: 'adopted it' },
  'POST /ops/groups/:id/adopt': { act: 'adopted it' },
  'POST /ops/users/:id/release': { act: 'let it go' },
  'POST /ops/groups/:id/release': { act: 'let it go' },
  'POST /ops/users/:id/look': { act: 'looked at it' },
  'POST /ops/groups/:id/look': { act: 'looked at it' },
  'POST /ops/users/:key/erase': {
    act: 'erased what is kept about a person',
    concerns: 'forgotten',
  },
  'POST /ops/drifts/:id/repair': { act: 'had a difference repaired' },
  'POST /ops/drifts/:id/accept': { act: 'accepted a difference' },
  'POST /ops/drifts/:id/ignore': { act: 'left a difference alone' },
  'POST /ops/drifts/decide': { act: 'decided about a difference' },
  'POST /ops/plans/:id/approve': { act: 'approved a plan' },
  'POST /ops/plans/:id/discard': { act: 'discarded a plan' },
  'POST /ops/plans/:id/undo': { act: 'had a plan undone' },
  'POST /ops/pause': {
    act: 'paused all changes',
    unchanged: 'asked for a pause, which there was already',
    concerns: 'everyone',
  },
  'POST /ops/resume': {
    act: 'ended the pause of all changes',
    unchanged: 'asked for the end of a pause that there was not',
    concerns: 'everyone',
  },
  'POST /ops/retry': { act: 'had tried at once what waits', concerns: 'all' },
  'POST /ops/notifications/test': { act: 'tried receivers of notifications' },
  'POST /ops/sweeps': { act: 'asked for a sweep' },
  'POST /ops/census': { act: 'compared a list of people' },
  'POST /ops/providers': { act: 'added a provider' },
  'POST /ops/providers/:id/change': { act: 'changed what a provider may do' },
  'POST /ops/providers/:provider/import-ids': { act: 'imported ids of an earlier server' },
  'POST /ops/providers/:from/switch': { act: 'planned that its people go to another provider' },
  'POST /ops/providers/:id/delete': { act: 'deleted a provider' },
  'POST /ops/tokens': { act: 'made a token' },
  'POST /ops/tokens/:id/revoke': { act: 'revoked a token' },
  'POST /ops/clients': { act: 'made a client' },
  'POST /ops/clients/:id/rotate': { act: 'made a secret of a client' },
  'POST /ops/clients/:id/revoke': { act: 'revoked a client or a secret' },
  'POST /ops/sessions/:id/revoke': { act: 'ended a sign-in to the console' },
  'POST /ops/api/:group/:operation': { act: 'called the service' },
  'POST /console/session': { act: 'signed in to the console' },
  'GET /console/oidc/callback': { act: 'signed in to the console' },
  'DELETE /console/session': { act: 'signed out of the console' },
};

/** The log of acts. */
export type ActLog = ReturnType<typeof createActLog>;

/**
 * Creates what keeps the acts of operators and when the service did not work, for the timelines of users and groups, in
 * the order in which it happens.
 */
export function createActLog({ store, openRecord, clock, report, onFailure }: ActLogDeps) {
  let storing: Promise<void> = Promise.resolve();

  function keep(save: (tx: Db) => Promise<void>): void {
    storing = storing.then(() => store.write(save)).catch(onFailure);
  }

  return {
    open: (toAct: () => OperatorAct): OpenRecord<OperatorAct> =>
      openRecord<OperatorAct>({
        insert: (tx, entry) => saveActs(tx, entry, toRows([toAct()], { entry, at: clock.now() })),
        end(acts, { entry }) {
          for (const act of acts) report(act);
          const rows = toRows(acts, { entry, at: clock.now() });
          keep((tx) => saveActs(tx, entry, rows));
        },
      }),
    /** A gate of the transport has shut or opened. */
    gateChanged({ gate, isShut }: { gate: (typeof GATES)[number]; isShut: boolean }): void {
      const at = clock.now();
      keep((tx) => (isShut ? beginOutage(tx, gate, at) : endOutage(tx, gate, at)));
    },
    /** Ends outages whose end nobody saw, because the leader before was killed; called at the start of a lead. */
    start(): void {
      const at = clock.now();
      for (const gate of GATES) keep((tx) => endOutage(tx, gate, at));
    },
    /** Waits until all is stored. */
    stored: () => storing,
  };
}

/** The rows of the acts of one request; none of one that no route took. */
function toRows(
  acts: readonly OperatorAct[],
  { entry, at }: { readonly entry: string; readonly at: number },
): NewAct[] {
  return acts.flatMap((act, index) => toRow(act, { entry: index === 0 ? entry : null, at }) ?? []);
}

function toRow(done: OperatorAct, known: Pick<NewAct, 'entry' | 'at'>): NewAct | undefined {
  // What is served with and without a slash at its end is one route.
  const route = done.route.replace(/\/$/, '');
  const words = ACT_WORDS[`${done.method} ${route}`];
  if (words === undefined) return undefined;
  const { target = '', operator, credential, method, status, change } = done;
  const { concerns, unchanged } = words;
  const [state_before, state_after] = [toText(change?.before), toText(change?.after)];
  const isIdle = unchanged !== undefined && state_before !== null && state_before === state_after;
  const act = isIdle ? unchanged : words.act;
  const isForAll = !isIdle && (concerns === 'everyone' || (concerns === 'all' && target === ''));
  return {
    ...{ ...known, act, operator, credential, method, route },
    target: concerns === 'forgotten' ? '' : target,
    address: done.remoteAddress,
    request_id: done.requestId,
    status: status ?? null,
    state_before,
    state_after,
    everyone: isForAll ? 1 : 0,
  };
}

function toText(state: object | undefined): string | null {
  return state === undefined ? null : JSON.stringify(state);
}

const STATUSES = {
  done: [200, 399],
  refused: [400, 499],
  failed: [500, 599],
} as const;

/** The request for the acts of operators. */
export const actRoutes = [
  listRoute(
    ACTS,
    async ({ store, recordsStored }: OpsSources, { operator, target, outcome }, part) => {
      await recordsStored();
      const status = outcome && STATUSES[outcome];
      return listActs(store.read, { operator, target, status, ...part });
    },
    (row) =>
      toView('Act', row, {
        id: `act-${row.id}`,
        credential: row.credential || null,
        address: row.address || null,
        request: row.route === '' ? null : `${row.method} ${row.route}`,
        requestId: row.request_id || null,
        target: row.target || null,
        outcome: toOutcome(row.status),
        before: row.state_before === null ? null : parseStored(row.state_before),
        after: row.state_after === null ? null : parseStored(row.state_after),
      }),
  ),
] as const;

function toOutcome(status: number | null): OpsJson<'Act'>['outcome'] {
  // Something was changed, although there was no answer yet.
  if (status === null || status < 400) return 'done';
  return status < 500 ? 'refused' : 'failed';
}
