import { randomUUID } from 'node:crypto';
import { BridgeError } from '../domain/values.ts';
import { findApiFailure } from '../ops/api/routes.ts';
import { createElection } from '../reconcile/loop/election.ts';
import type { LeaderAccess, LeaderWork } from '../reconcile/loop/reconciler.ts';
import { askLeader } from '../reconcile/loop/reconciler.ts';
import { parseStored } from '../store/engine/columns.ts';
import { UpstreamError } from '../upstream/errors.ts';
import type { OwnParts, TenureParts } from './parts.ts';
import { toAttemptMs } from './settings.ts';
import type { BridgeTenure, LeaderNews } from './tenure.ts';
import { createTenure } from './tenure.ts';

/** How long a call or a look of an operator may take at the leader, with the wait for its turn, in milliseconds. */
const CALL_WAIT_MS = 120_000;

const NO_ANSWER = 'the leader did not answer in time';

/** The lead as one process sees it: its own tenure, or what the leader says. */
export type Leadership = ReturnType<typeof createLeadership>;

/** The part of one process in who leads. @param findParts parts that need the lead themselves, and so are asked for late */
export function createLeadership(options: OwnParts, findParts: () => TenureParts) {
  const { store, clock, events, settings } = options;
  const broken = Promise.withResolvers<BridgeError>();
  let current: BridgeTenure | undefined;

  const election = createElection({
    store,
    clock,
    owner: randomUUID(),
    callMs: toAttemptMs(settings),
    events,
    createTenure: async (lead) => follow(await createTenure(findParts(), lead)),
  });

  /** A tenure whose start ends the bridge if the store is another company's: that is no reason to try again. */
  function follow(tenure: BridgeTenure): BridgeTenure {
    void tenure.firstRead.broken.then(broken.resolve);
    return {
      ...tenure,
      async start() {
        await tenure.start().catch((error: unknown) => {
          if (error instanceof BridgeError && error.code === 'other-service') broken.resolve(error);
          throw error;
        });
        current = tenure;
      },
      async stop() {
        if (current === tenure) current = undefined;
        await tenure.stop();
      },
    };
  }

  const access: LeaderAccess = {
    find: () => current?.convergence,
    findQueue() {
      const known = election.known();
      return known?.isAlive === true ? parseNews(known.news).queue : undefined;
    },
    async readPrivilege(resource, wait) {
      const answer = await ask(options, ['readPrivilege', { resource, wait }], wait);
      if (answer === undefined) throw new BridgeError('could-not-look', NO_ANSWER);
    },
  };
  return {
    /** Knowledge of the leader: as of now if this process leads, else as of its last word. */
    news: (): LeaderNews => current?.news() ?? parseNews(election.known()?.news ?? null),
    known: () => election.known(),
    readQueue: async () =>
      (await current?.convergence.readQueue()) ?? parseNews(election.known()?.news ?? null).queue,
    /** The tenure of this process, once it may send; undefined: it does not lead. */
    tenure: () => current,
    access,
    ...createOperatorWays(options, () => current),
    /** Resolves, if ever, with why the bridge must not go on: the store belongs to another company. */
    broken: broken.promise,
    start: () => election.start(),
    /** Gives the lead up, if other processes may take it. */
    resign: () => (store.engine === 'sqlite' ? Promise.resolve() : election.resign()),
    stop: () => election.stop(),
  };
}

/** Makes a call or a look for an operator, or has the leader make it. */
function createOperatorWays(
  options: OwnParts,
  findTenure: () => BridgeTenure | undefined,
): Pick<BridgeTenure, 'callForOperator' | 'look'> {
  return {
    async callForOperator(operation, args, call) {
      const tenure = findTenure();
      if (tenure !== undefined) return tenure.callForOperator(operation, args, call);
      const wait = { waitMs: CALL_WAIT_MS, signal: call.signal };
      const answer = await ask(options, ['call', { operation: operation.id, args }], wait);
      if (answer !== undefined) return answer.result;
      const failure = { detail: NO_ANSWER, retry: 'later', outcome: 'unknown' } as const;
      throw new UpstreamError('timeout', { operation: operation.id, ...failure });
    },
    async look(request) {
      const tenure = findTenure();
      if (tenure !== undefined) return tenure.look(request);
      const answer = await ask(options, ['look', request], { waitMs: CALL_WAIT_MS });
      return answer?.result ?? { kind: 'could-not-look', reason: NO_ANSWER };
    },
  };
}

/** Has the leader do something; undefined: it said nothing in time. @throws what the leader met, StoreError */
async function ask<Name extends keyof LeaderWork>(...args: Parameters<typeof askLeader<Name>>) {
  const answer = await askLeader(...args);
  if (answer?.failure === undefined) return answer;
  const { code, message } = Object(answer.failure);
  throw findApiFailure(answer.failure) ?? new BridgeError(String(code), String(message));
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
  firstRead: { step: 'service', read: 0, expected: null, endsAt: null },
  reading: null,
  ownAccount: null,
  isReading: false,
  detection: null,
  sections: {},
  queue: { isHeld: true, aheadMs: { remove: 0, change: 0 } },
};

/** The news in the row of the leader. */
function parseNews(text: string | null): LeaderNews {
  return text === null ? NO_NEWS : parseStored<LeaderNews>(text);
}
