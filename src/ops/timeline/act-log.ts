import { beginOutage, endOutage, type NewAct, saveActs } from '../../store/audit/requests.ts';
import type { OpenRecord, OpenRecordOf } from '../../store/recorder.ts';
import type { Db, Store } from '../../store/store.ts';
import type { OperatorAct } from '../http/operator.ts';

/** Gates that stop all calls: one for a failing service, one for a refused token. */
const GATES = ['service', 'credentials'] as const;

/** Words of every request that does more than read, by its method and route. */
export const ACT_WORDS: Readonly<Record<string, string>> = {
  'POST /ops/users/:id/adopt': 'adopted it',
  'POST /ops/groups/:id/adopt': 'adopted it',
  'POST /ops/users/:id/release': 'let it go',
  'POST /ops/groups/:id/release': 'let it go',
  'POST /ops/users/:id/look': 'looked at it',
  'POST /ops/groups/:id/look': 'looked at it',
  'POST /ops/users/:key/erase': 'erased what is kept about a person',
  'POST /ops/drifts/decide': 'decided about a difference',
  'POST /ops/plans/:id/approve': 'approved a plan',
  'POST /ops/plans/:id/discard': 'discarded a plan',
  'POST /ops/plans/:id/undo': 'had a plan undone',
  'POST /ops/pause': 'paused all changes',
  'POST /ops/resume': 'ended the pause of all changes',
  'POST /ops/retry': 'had tried at once what waits',
  'POST /ops/notifications/test': 'tried receivers of notifications',
  'POST /ops/sweeps': 'asked for a sweep',
  'POST /ops/census': 'compared a list of people',
  'POST /ops/providers': 'added a provider',
  'POST /ops/providers/:id/change': 'changed what a provider may do',
  'POST /ops/providers/:provider/import-ids': 'imported ids of an earlier server',
  'POST /ops/providers/:from/switch': 'planned that its people go to another provider',
  'POST /ops/providers/:id/delete': 'deleted a provider',
  'POST /ops/tokens': 'made a token',
  'POST /ops/tokens/:id/revoke': 'revoked a token',
  'POST /ops/clients': 'made a client',
  'POST /ops/clients/:id/rotate': 'made a secret of a client',
  'POST /ops/clients/:id/revoke': 'revoked a client or a secret',
  'POST /ops/sessions/:id/revoke': 'ended a sign-in to the console',
  'POST /ops/api/:group/:operation': 'called the service',
  'POST /console/session': 'signed in to the console',
  'GET /console/link': 'signed in to the console',
  'GET /console/oidc/callback': 'signed in to the console',
  'DELETE /console/session': 'signed out of the console',
};

/** Acts that concern everybody, each with its words where it changed nothing. */
const OF_ALL: Readonly<Record<string, string>> = {
  'POST /ops/pause': 'asked for a pause, which there was already',
  'POST /ops/resume': 'asked for the end of a pause that there was not',
};

/**
 * Creates what keeps the acts of operators and when the service did not work, for the timelines of users and groups, in
 * the order in which it happens.
 */
export function createActLog({
  store,
  openRecord,
  clock,
  report,
  onFailure,
}: {
  readonly store: Pick<Store, 'write'>;
  readonly openRecord: OpenRecordOf;
  readonly clock: { now(): number };
  readonly report: (act: OperatorAct) => void;
  /** Called when the store does not take an act, which is lost then. */
  readonly onFailure: (error: unknown) => void;
}) {
  let storing: Promise<void> = Promise.resolve();

  const keep = (save: (tx: Db) => Promise<void>) => {
    storing = storing.then(() => store.write(save)).catch(onFailure);
  };

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
    gateChanged({ gate, isShut }: { gate: (typeof GATES)[number]; isShut: boolean }): void {
      const at = clock.now();
      keep((tx) => (isShut ? beginOutage(tx, gate, at) : endOutage(tx, gate, at)));
    },
    /** Ends outages whose end nobody saw, because the leader before was killed; called at the start of a lead. */
    start(): void {
      const at = clock.now();
      for (const gate of GATES) keep((tx) => endOutage(tx, gate, at));
    },
    stored: () => storing,
  };
}

function toRows(
  acts: readonly OperatorAct[],
  { entry, at }: { readonly entry: string; readonly at: number },
): NewAct[] {
  return acts.flatMap(({ target = '', change, ...act }, index) => {
    // What is served with and without a slash at its end is one route.
    const route = act.route.replace(/\/$/, '');
    const name = `${act.method} ${route}`;
    const words = ACT_WORDS[name];
    if (words === undefined) return [];
    const toText = (state: object | undefined) => (state ? JSON.stringify(state) : null);
    const [before, after] = [toText(change?.before), toText(change?.after)];
    const idle = before !== null && before === after ? OF_ALL[name] : undefined;
    // An attempt at all that waits concerns everybody too.
    const isOfAll = name in OF_ALL || (name === 'POST /ops/retry' && target === '');
    return {
      at,
      entry: index === 0 ? entry : null,
      act: idle ?? words,
      operator: act.operator,
      credential: act.credential,
      method: act.method,
      route,
      // The record of an erasure keeps no id.
      target: route.endsWith('/erase') ? '' : target,
      address: act.remoteAddress,
      request_id: act.requestId,
      status: act.status ?? null,
      state_before: before,
      state_after: after,
      everyone: Number(isOfAll && idle === undefined),
    };
  });
}
