import { createRuleBook } from '../../../src/domain/rule-book.ts';
import type { JsonObject } from '../../../src/domain/values.ts';
import { BridgeError } from '../../../src/domain/values.ts';
import type { ProcessDeps, ReconcileDeps } from '../../../src/reconcile/deps.ts';
import { createOutageWatch, openQuirks, openSections } from '../../../src/reconcile/deps.ts';
import { toLeadersStore } from '../../../src/reconcile/job.ts';
import { Convergence } from '../../../src/reconcile/loop/convergence.ts';
import { createReconciler } from '../../../src/reconcile/loop/reconciler.ts';
import { Waiters } from '../../../src/reconcile/waiters.ts';
import type { Rules } from '../../../src/rules/rules.ts';
import { createProtection } from '../../../src/rules/rules.ts';
import type { ProviderDeps } from '../../../src/scim/deps.ts';
import { ScimError } from '../../../src/scim/errors.ts';
import { UNCOUNTED } from '../../../src/scim/repairs.ts';
import { createSchemas } from '../../../src/scim/schema/resource-schemas.ts';
import { acceptWrite, deliverWrite } from '../../../src/scim/writes/accept.ts';
import type { Lead } from '../../../src/store/leader.ts';
import type { Bell, Db, Store } from '../../../src/store/store.ts';
import { createEvents } from '../../../src/telemetry/events.ts';
import { createMetrics } from '../../../src/telemetry/metrics.ts';
import type { Company } from './company.ts';
import type { GatedTransport, Trouble } from './gated-transport.ts';
import { createGatedTransport } from './gated-transport.ts';
import type { Candidate, Office } from './office.ts';
import type { Scheduler } from './scheduler.ts';
import type { SeededRandom } from './seeded-random.ts';
import type { World } from './world.ts';

const noRules: Rules = {
  book: createRuleBook([]),
  deactivation: 'scim',
  protection: createProtection({
    isProtectedUser: () => false,
    isProtectedGroup: () => false,
    findOwnAccount: () => undefined,
  }),
};

/** One request of a provider. */
export interface ProviderRequest {
  readonly method: 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  readonly type: 'user' | 'group';
  readonly id?: string;
  readonly body?: JsonObject;
}

/** A request as it went; what is undefined was never heard, because the process was killed. */
export interface Exchange {
  readonly request: ProviderRequest;
  stored: { readonly id: string; readonly version: number; readonly waits: boolean } | undefined;
  /** 200 stands for every success. */
  status: number | undefined;
  detail: string | undefined;
}

/** One process of the bridge, with steps that the scheduler lets go one by one. */
export interface Replica {
  readonly name: string;
  send(exchange: Exchange): Promise<void>;
  kill(): void;
  readonly isAlive: boolean;
  readonly isCalling: boolean;
}

/** What a replica is made of. */
export interface ReplicaOptions {
  readonly name: string;
  readonly world: World;
  readonly scheduler: Scheduler;
  readonly bell: Bell;
  readonly office: Office;
  readonly company: Company;
  readonly random: SeededRandom;
  readonly trouble: () => Trouble;
  readonly onFailure: (error: unknown) => void;
}

/** A process of its own: reconciler, waiters and workers are the real ones. */
export async function createReplica(options: ReplicaOptions): Promise<Replica> {
  const { name, world, scheduler, office, random, onFailure } = options;
  const clock = scheduler.clock(name);
  const store = gateStore(world.store, name, options);
  const { policies } = world;
  // What the service taught is known already, so that a schedule does not depend on those before it.
  const ungated = { ...store, read: world.store.read };
  const quirks = await openQuirks({ store: ungated, clock, fixed: {} });
  const deps: ProcessDeps = {
    store,
    clock,
    random: random.next,
    policy: policies.reconcile,
    rules: noRules,
    events: {
      ...createEvents({ log: () => undefined }, createMetrics()),
      failed: ({ error }) => onFailure(error),
      requestFailed: ({ error }) => onFailure(error),
      sectionClosed: () => onFailure(new BridgeError('bug', 'a section was closed')),
    },
    identity: '',
    adopt: async () => ({ kind: 'unknown' }),
  };
  const sections = await openSections({ ...deps, store: ungated });
  const waiters = new Waiters(clock);
  let tenure: Tenure | undefined;
  const reconciler = createReconciler({
    ...deps,
    waiters,
    leader: {
      find: () => tenure?.convergence,
      findQueue: () => ({ isHeld: false, aheadMs: { remove: 0, change: 0 } }),
      readPrivilege: async () => {
        throw new BridgeError('could-not-look', 'another process leads');
      },
    },
  });
  const scim: ProviderDeps = {
    ...deps,
    provider: 'default',
    toOwnId: (_type, id) => id,
    reconciler,
    tracing: undefined,
    findCredential: async () => undefined,
    findHandling: () => ({ isTraced: false, requestsPerSecond: null }),
    attempts: { failed: async () => undefined },
    policy: policies.scim,
    schemas: createSchemas([]),
    baseUrl: 'http://bridge.invalid/scim/v2',
    openRequest: () => ({ run: (work) => work(), end: () => undefined }),
    findClosed: () => undefined,
    looksFirst: () => false,
    isUpstreamDown: () => false,
  };
  let isAlive = true;
  const candidate: Candidate = {
    name,
    store,
    get isAlive() {
      return isAlive;
    },
    open(lead) {
      tenure = openTenure(options, lead, { deps, quirks, sections, waiters });
    },
    async close() {
      const ended = tenure;
      tenure = undefined;
      ended?.end();
    },
  };
  await office.join(candidate);
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
      const isLeader = tenure !== undefined;
      tenure?.end();
      tenure = undefined;
      if (isLeader) office.silence(random.next);
    },
    get isAlive() {
      return isAlive;
    },
    get isCalling() {
      return isAlive && ((tenure?.upstream.underWay ?? 0) > 0 || reconciler.activity().running > 0);
    },
  };
}

interface Tenure {
  readonly convergence: Convergence;
  readonly upstream: GatedTransport;
  end(): void;
}

type Learned = Pick<ReconcileDeps, 'quirks' | 'sections'>;

function openTenure(
  options: ReplicaOptions,
  lead: Lead,
  { deps, waiters, ...learned }: Learned & { deps: ProcessDeps; waiters: Waiters },
): Tenure {
  const { name, world, office } = options;
  const upstream = createGatedTransport({
    ...options,
    owner: name,
    callMs: world.policies.callMs,
    mayLeave: () => office.isSure(lead),
  });
  const store = toLeadersStore(deps.store, lead);
  const own = { ...deps, ...learned, store, upstream, outage: createOutageWatch(deps.clock) };
  const convergence = new Convergence(own, waiters);
  convergence.start({ over: Promise.resolve(), isLong: () => false });
  return {
    convergence,
    upstream,
    end() {
      void convergence.stop(0);
    },
  };
}

async function storeAndSettle(
  deps: ProviderDeps,
  exchange: Exchange,
  arrivedAt: number,
): Promise<void> {
  const result = await accept(deps, exchange.request);
  const { row, undo } = result;
  exchange.stored = { id: row.id, version: row.version, waits: undo !== undefined };
  await deliverWrite(deps, result, arrivedAt);
}

function accept(deps: ProviderDeps, { id = '', ...request }: ProviderRequest) {
  return acceptWrite(deps, {
    body: undefined,
    ...request,
    target: { id, preconditions: {} },
    repairs: UNCOUNTED,
    understood: () => undefined,
  });
}

function gateStore(
  store: Store,
  owner: string,
  { scheduler, bell }: { readonly scheduler: Scheduler; readonly bell: Bell },
): Store {
  const read: Db = {
    ...store.read,
    async run(statement) {
      const result = await store.read.run<never>(statement);
      await scheduler.pass(owner, () => `has read ${result.rows.length} rows`);
      return result;
    },
  };
  return {
    ...store,
    // Several processes share this store.
    engine: 'postgres',
    read,
    aside: read,
    bell,
    scrub: async () => undefined,
    async write(work) {
      try {
        return await scheduler.join(store.write(work));
      } finally {
        await scheduler.pass(owner, 'has written');
      }
    },
    close: async () => undefined,
  };
}
