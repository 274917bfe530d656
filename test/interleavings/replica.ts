import { BridgeError } from '../../src/domain/errors.ts';
import type { JsonObject } from '../../src/domain/json.ts';
import type { ReconcileDeps } from '../../src/reconcile/deps.ts';
import { createReconciler } from '../../src/reconcile/loop/reconciler.ts';
import { createOutageWatch } from '../../src/reconcile/outage.ts';
import { openQuirks } from '../../src/reconcile/quirks.ts';
import type { ScimDeps } from '../../src/scim/deps.ts';
import { ScimError } from '../../src/scim/errors.ts';
import {
  acceptGroupDeletion,
  acceptGroupPatch,
  acceptGroupReplacement,
  acceptNewGroup,
} from '../../src/scim/groups/accept.ts';
import { ANY_VERSION } from '../../src/scim/http/etag.ts';
import { createMoments } from '../../src/scim/render/resource-text.ts';
import { UNCOUNTED } from '../../src/scim/repairs.ts';
import {
  acceptNewUser,
  acceptUserDeletion,
  acceptUserPatch,
  acceptUserReplacement,
} from '../../src/scim/users/accept.ts';
import { settleWrite } from '../../src/scim/writes/settle.ts';
import { noRules } from '../support/no-rules.ts';
import type { Company } from './company.ts';
import { gateStore } from './gated-store.ts';
import { createGatedTransport, type Trouble } from './gated-transport.ts';
import type { Scheduler } from './scheduler.ts';
import type { SeededRandom } from './seeded-random.ts';
import type { World } from './world.ts';

/** One request of a provider. */
export interface ProviderRequest {
  readonly method: 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  readonly type: 'user' | 'group';
  /** The SCIM id; absent in a POST. */
  readonly id?: string;
  readonly body?: JsonObject;
}

/** A request as it went; what is undefined was never heard, because the process was killed. */
export interface Exchange {
  readonly request: ProviderRequest;
  /** The write in the store, as soon as it is known there. */
  stored: { readonly id: string; readonly version: number; readonly waits: boolean } | undefined;
  /** 200 stands for every success. */
  status: number | undefined;
  /** The words of a refusal. */
  detail: string | undefined;
}

/** One process of the bridge, with steps that the scheduler lets go one by one. */
export interface Replica {
  readonly name: string;
  /** Stores a write and waits for it, as the handlers of the SCIM server do. */
  send(exchange: Exchange): Promise<void>;
  /** Ends without finishing anything. */
  kill(): void;
  readonly isAlive: boolean;
  /** True while a call of a living process has not ended. */
  readonly isCalling: boolean;
}

/** What a replica is made of. */
export interface ReplicaOptions {
  readonly name: string;
  readonly world: World;
  readonly scheduler: Scheduler;
  readonly company: Company;
  readonly random: SeededRandom;
  readonly trouble: () => Trouble;
  /** Told of errors that are nobody's but ours. */
  readonly onFailure: (error: unknown) => void;
}

/** A process of its own: reconciler, waiters and workers are the real ones. */
export async function createReplica(options: ReplicaOptions): Promise<Replica> {
  const { name, world, scheduler, random, onFailure } = options;
  const clock = scheduler.clock(name);
  const store = gateStore(world.store, name, scheduler);
  const { policies } = world;
  const upstream = createGatedTransport({ ...options, owner: name, callMs: policies.callMs });
  const deps: ReconcileDeps = {
    store,
    upstream,
    clock,
    random: random.next,
    // What the service taught is known already, so that a schedule does not depend on those before it.
    quirks: await openQuirks({ store: { ...store, read: world.store.read }, clock, fixed: {} }),
    policy: policies.reconcile,
    rules: noRules,
    events: {
      converged: () => undefined,
      stuck: () => undefined,
      deletionFinished: () => undefined,
      recovery: () => undefined,
      release: () => undefined,
      failed: ({ error }) => onFailure(error),
      sectionChanged: () => onFailure(new BridgeError('bug', 'a section was closed')),
      auditEvent: () => undefined,
      changedByOthers: () => undefined,
      auditFollowed: () => undefined,
      tookOver: () => undefined,
      firstRead: () => undefined,
      firstReadFailed: () => undefined,
    },
    outage: createOutageWatch(clock),
    owner: name,
  };
  const reconciler = createReconciler(deps);
  const scim: ScimDeps = {
    store,
    reconciler,
    clock,
    turns: () => undefined,
    findCredential: async () => undefined,
    attempts: { failed: async () => ({ kind: 'refused' }) },
    policy: policies.scim,
    rules: noRules,
    baseUrl: 'http://bridge.invalid/scim/v2',
    requests: { add: () => undefined },
    toMoment: createMoments(),
    findClosed: () => undefined,
    looksFirst: () => false,
    isUpstreamDown: () => false,
    telemetry: {
      heard: () => undefined,
      repaired: () => undefined,
      dropped: () => undefined,
      failed: ({ error }) => onFailure(error),
      adopted: () => undefined,
      answered: () => undefined,
      turnedAway: () => undefined,
      disputed: () => undefined,
    },
  };
  // There are no rules that could be others than the last time.
  const trusted = new Promise<void>(() => undefined);
  await reconciler.start({ over: Promise.resolve(), trusted, isLong: () => false });
  let isAlive = true;
  return {
    name,
    async send(exchange) {
      const arrivedAt = clock.now();
      try {
        await storeAndSettle(scim, exchange, arrivedAt);
        exchange.status = 200;
      } catch (error) {
        if (!(error instanceof ScimError)) throw error;
        exchange.status = error.status;
        exchange.detail = error.message;
      }
    },
    kill() {
      isAlive = false;
      scheduler.kill(name);
    },
    get isAlive() {
      return isAlive;
    },
    get isCalling() {
      return isAlive && upstream.underWay > 0;
    },
  };
}

async function storeAndSettle(
  deps: ScimDeps,
  exchange: Exchange,
  arrivedAt: number,
): Promise<void> {
  if (exchange.request.type === 'user') {
    const result = await acceptUser(deps, exchange.request);
    exchange.stored = toStored(result);
    await settleWrite(deps, result, arrivedAt);
  } else {
    const result = await acceptGroup(deps, exchange.request);
    exchange.stored = toStored(result);
    await settleWrite(deps, result, arrivedAt);
  }
}

function toStored({ id, row, undo }: { id: string; row: { version: number }; undo: unknown }) {
  return { id, version: row.version, waits: undo !== undefined };
}

function acceptUser(deps: ScimDeps, { method, id = '', body }: ProviderRequest) {
  const target = { id, preconditions: ANY_VERSION };
  switch (method) {
    case 'POST':
      return acceptNewUser(deps, { body, repairs: UNCOUNTED });
    case 'PUT':
      return acceptUserReplacement(deps, target, { body, repairs: UNCOUNTED });
    case 'PATCH':
      return acceptUserPatch(deps, target, { body, repairs: UNCOUNTED });
    case 'DELETE':
      return acceptUserDeletion(deps, target);
  }
}

function acceptGroup(deps: ScimDeps, { method, id = '', body }: ProviderRequest) {
  const target = { id, preconditions: ANY_VERSION };
  switch (method) {
    case 'POST':
      return acceptNewGroup(deps, { body, repairs: UNCOUNTED });
    case 'PUT':
      return acceptGroupReplacement(deps, target, { body, repairs: UNCOUNTED });
    case 'PATCH':
      return acceptGroupPatch(deps, target, { body, repairs: UNCOUNTED });
    case 'DELETE':
      return acceptGroupDeletion(deps, target);
  }
}
