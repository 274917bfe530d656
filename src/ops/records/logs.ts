import type { KeptRequest, NewAct } from '../../store/logs.ts';
import { beginOutage, endOutage, saveActs, saveRequests } from '../../store/logs.ts';
import type { Db, OpenRecord, Store } from '../../store/store.ts';
import { openRecord } from '../../store/store.ts';
import type { OperatorAct } from '../http/operator.ts';

const GATHER_MS = 500;
const BATCH_MAX = 500;
/** Requests that wait for a store that takes no writes; the oldest are dropped first. */
const WAITING_MAX = 10_000;

interface LogDeps {
  readonly store: Pick<Store, 'write' | 'records'>;
  readonly onFailure: (error: unknown) => void;
}

/** Creates the log of requests of one process: a crash loses answers of half a second, and what the store refuses waits. */
export function createRequestLog({ store, onFailure }: LogDeps) {
  const waiting: KeptRequest[] = [];
  let timer: NodeJS.Timeout | undefined;
  let storing: Promise<void> | undefined;
  let hasFailed = false;

  async function storeAll(): Promise<void> {
    hasFailed = false;
    while (waiting.length > 0) {
      const some = waiting.splice(0, BATCH_MAX);
      try {
        await store.write((tx) => saveRequests(tx, some));
      } catch (error) {
        waiting.unshift(...some);
        hasFailed = true;
        onFailure(error);
        return;
      }
    }
  }

  function stored(): Promise<void> {
    clearTimeout(timer);
    timer = undefined;
    storing ??= storeAll().finally(() => {
      storing = undefined;
    });
    return storing;
  }

  return {
    /** Opens the record of a request; `toRequest` makes the line as it is known before the answer. */
    open: (toRequest: () => KeptRequest): OpenRecord<KeptRequest> =>
      openRecord<KeptRequest>(store, {
        insert: (tx, entry) => saveRequests(tx, toRequestRows([toRequest()], entry)),
        end(requests, { entry, isKept }) {
          waiting.push(...toRequestRows(requests, entry));
          if (waiting.length > WAITING_MAX) waiting.shift();
          // Lines are in the order in which they were first stored.
          if (isKept || hasFailed) timer ??= setTimeout(stored, GATHER_MS).unref();
          else stored();
        },
      }),
    stored,
  };
}

function toRequestRows(requests: readonly KeptRequest[], entry: string): KeptRequest[] {
  return requests.map((kept, index) => ({ ...kept, entry: index === 0 ? entry : null }));
}

/** Gates that stop all calls: one for a failing service, one for a refused token. */
const GATES = ['service', 'credentials'] as const;

/** An act as its line of the log has it. */
type LoggedAct = Omit<OperatorAct, 'change' | 'act' | 'isOfAll'>;

interface ActLogDeps extends LogDeps {
  readonly clock: { now(): number };
  readonly report: (act: LoggedAct) => void;
}

/** Creates what keeps the acts of operators and the outages of the service. What the store does not take is lost. */
export function createActLog({ store, clock, report, onFailure }: ActLogDeps) {
  let storing: Promise<void> = Promise.resolve();

  const keep = (save: (tx: Db) => Promise<void>) => {
    storing = storing.then(() => store.write(save)).catch(onFailure);
  };

  return {
    open: (toAct: () => OperatorAct): OpenRecord<OperatorAct> =>
      openRecord<OperatorAct>(store, {
        insert: (tx, entry) => saveActs(tx, entry, toRows([toAct()], entry, clock.now())),
        end(acts, { entry }) {
          for (const { change: _, act: __, isOfAll: ___, ...act } of acts) report(act);
          const rows = toRows(acts, entry, clock.now());
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

function toRows(acts: readonly OperatorAct[], entry: string, at: number): NewAct[] {
  return acts.flatMap((kept, index) => {
    const { act, route, target = '', change, requestId, remoteAddress, status = null } = kept;
    if (act === undefined) return [];
    const toText = (state: object | undefined) => (state ? JSON.stringify(state) : null);
    return {
      at,
      entry: index === 0 ? entry : null,
      act,
      operator: kept.operator,
      credential: kept.credential,
      method: kept.method,
      route,
      // The record of an erasure keeps no id.
      target: route.endsWith('/erase') ? '' : target,
      address: remoteAddress,
      request_id: requestId,
      status,
      state_before: toText(change?.before),
      state_after: toText(change?.after),
      everyone: Number(kept.isOfAll ?? false),
    };
  });
}
