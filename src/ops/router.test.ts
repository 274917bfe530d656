import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import express from 'express';
import supertest from 'supertest';
import { afterAll, expect, test } from 'vitest';
import { copySqliteTemplate } from '../../test/support/store-templates.ts';
import { getTemplate } from '../../test/support/template.ts';
import { createGivenTokenFinder, type FindCredential } from '../access/lookup.ts';
import { MATCHES_NOTHING } from '../domain/matcher.ts';
import { createRuleBook } from '../domain/rule-book.ts';
import { openStore } from '../store/engine/database.ts';
import { StoreError } from '../store/engine/store-error.ts';
import { createProtection } from '../store/resources/protection.ts';
import { createMetrics } from '../telemetry/metrics.ts';
import { createEagerClock, createFakeClock } from '../upstream/testing/fake-clock.ts';
import type { TransportHealth } from '../upstream/transport.ts';
import type { AccessSource } from './access/credential.ts';
import { answerErrors } from './http/errors.ts';
import { createHealthRouter, createOperatorRouter, type OperatorRouterOptions } from './router.ts';
import { opsRoutes } from './routes.ts';
import type { StatusSources } from './sources.ts';
import { readReadiness } from './state/readiness.ts';
import type { HealthSources, WaitingWork } from './state/readiness-facts.ts';

const token = 'ops-token-0123456789';
const reader = 'reader-token-0123456789';
const open = { kind: 'open' } as const;
const well: TransportHealth = {
  waiting: { remove: 0, change: 3, look: 0, pass: 0 },
  inFlight: 1,
  pausedForMs: 0,
  credentials: open,
  service: open,
};
const nothingWaits: WaitingWork = {
  due: 0,
  changes: 0,
  stuck: 0,
  failing: 0,
  disputed: 0,
  failingSince: undefined,
  noSeat: 0,
  noSeatSince: undefined,
  oldestSince: undefined,
  queued: { removals: 0, changes: 0, looks: 0 },
};
const readSeats = async () => ({ total: 50, used: 38, waiting: 0, free: 12, daysLeft: 3.5 });
const api = {
  call: async () => undefined,
  findSubject: async () => undefined,
  told: () => undefined,
};

const LIVE = { mode: 'live', pause: undefined } as const;
const access: AccessSource = {
  providers: {
    create: async () => ({ kind: 'taken' }),
    list: async () => [],
    change: async () => ({ kind: 'unknown' }),
    delete: async () => ({ kind: 'unknown' }),
  },
  tokens: {
    make: async () => ({ kind: 'name-taken' }),
    list: async () => [],
    revoke: async () => undefined,
  },
  clients: {
    make: async () => ({ kind: 'name-taken' }),
    list: async () => [],
    rotate: async () => ({ kind: 'unknown' }),
    revoke: async () => undefined,
  },
  sessions: {
    open: () => Promise.reject(new Error('nobody signs in here')),
    openByLink: async () => undefined,
    find: async () => undefined,
    list: async () => [],
    end: async () => false,
  },
};
const attempts = { failed: async () => ({ kind: 'refused' }) as const };
const unknown = async () => ({ kind: 'unknown' }) as const;
const drifts = {
  ...{ decidePlan: unknown, undo: unknown, letGo: unknown },
  previewUndo: async () => undefined,
  many: async () => ({ kind: 'done' as const, ones: [], plan: undefined }),
  handOver: async () => {
    throw new Error('nobody asks here');
  },
};
const folder = mkdtempSync(join(tmpdir(), 'scim-bridge-router-'));
const store = await openStore({ url: copySqliteTemplate(getTemplate(), join(folder, 'store.db')) });
afterAll(async () => {
  await store.close();
  rmSync(folder, { recursive: true, force: true });
});
const operators = {
  ...{ store, clock: createFakeClock(), access, api, drifts },
  deactivation: 'scim' as const,
  rules: {
    ...{ book: createRuleBook([]), deactivation: 'scim' as const },
    protection: createProtection({
      ...{ isProtectedUser: MATCHES_NOTHING, isProtectedGroup: MATCHES_NOTHING },
      findOwnAccount: () => undefined,
    }),
  },
  ...{ settings: [], sandbox: undefined },
  pause: async () => ({ since: 0, reason: null }),
  resume: async () => undefined,
  notify: () => undefined,
  ...{ adoptUser: unknown, adoptGroup: unknown, look: unknown },
  planSums: async () => [],
  findRepairWords: () => null,
  findReading: () => null,
  requestSweep: async () => 'sweep-1',
  privileges: {
    listPrivileged: async () => new Map(),
    findGroupPrivilege: async () => undefined,
  },
  findDetection: () => undefined,
  reserve: () => undefined,
  refreshFormerIds: async () => undefined,
  acts: { list: async () => [] },
};

const find = createGivenTokenFinder({
  scim: ['scim-token-0123456789'],
  operator: token,
  reader,
});

function request(
  change: Partial<HealthSources> = {},
  findCredential: FindCredential = async (presented) => find(presented),
  others: Partial<OperatorRouterOptions> = {},
) {
  const sources: HealthSources = {
    assertStoreUsable: async () => {},
    findWriteTrouble: async () => undefined,
    findWeaknesses: async () => [],
    findRecovery: async () => undefined,
    findAuditFailure: async () => undefined,
    countWaitingPlans: async () => [],
    findRemark: async () => undefined,
    findLateLeavers: async () => ({ count: 0, some: [] }),
    readProviders: async () => ({ silentSince: undefined, exceeded: [], held: 0 }),
    readAccess: async () => ({ hasProvider: true, expiring: [], failedAttempts: 0 }),
    readFirstRead: async () => ({ kind: 'finished' }),
    readSections: async () => ({}),
    readBacklog: async () => nothingWaits,
    upstreamHealth: () => well,
    findLeader: () => ({ isSelf: true, epoch: 3, since: 0, isAlive: true }),
    writes: () => LIVE,
    isDraining: () => false,
    clock: createFakeClock(),
    ...change,
  };
  const { registry } = createMetrics();
  const app = express();
  app.use(createHealthRouter(sources));
  const status = toStatusSources(sources);
  app.use(
    createOperatorRouter({
      registry,
      findCredential,
      openAct: () => ({ run: (work) => work(), end: () => undefined }),
      recordsStored: async () => undefined,
      attempts,
      sessions: access.sessions,
      news: { listen: () => undefined },
      status,
      notifications: {
        receivers: [],
        test: async () => [],
      },
      ...operators,
      ...others,
    }),
  );
  app.use(answerErrors(() => undefined));
  return supertest(app);
}

const stuck = {
  type: 'user',
  id: 'u1',
  name: 'ada@example.com',
  field: 'active',
  problem: { code: 'refused', words: 'No more seats.' },
  since: 0,
  nextAttemptAt: 3_600_000,
} as const;

function toStatusSources(sources?: HealthSources): StatusSources {
  return {
    readReadiness: async () =>
      sources ? readReadiness(sources) : { status: 'ok' as const, reasons: [], leader: null },
    readBacklog: async () => ({
      ...nothingWaits,
      due: 3,
      stuck: 1,
      failing: 1,
      oldestSince: 1_000,
      queued: { removals: 2, changes: 10, looks: 0 },
    }),
    writes: () => LIVE,
    upstreamHealth: () => ({ ...well, service: { kind: 'shut', sinceMs: 0, nextProbeMs: 5_000 } }),
    viewAttempts: () => ({ failed: 0, sources: [] }),
    activity: () => ({ running: 2, waiting: 1 }),
    findLeavers: async () => ({ count: 0, some: [] }),
    findRelease: async () => undefined,
    readQueue: async () => ({ isHeld: false, aheadMs: { remove: 200, change: 1_200.4 } }),
    callMs: 200,
    readSeats,
    scimUrl: 'https://scim.example.com/scim/v2',
    listStuck: async () => [stuck],
    listFailing: async () => [{ ...stuck, id: 'u2' }],
    listDisputes: async () => [],
    about: { version: '1.2.3', startedAt: 0 },
    engine: 'sqlite',
    readFirstRead: async () => ({ kind: 'finished' }),
    countDrifts: async () => [{ kind: 'user.activated', status: 'open', count: 2, held: 0 }],
    countUnmanaged: async () => 0,
    findLastSweep: async () => null,
  };
}

test('/ops/status tells when the last of each class has had its turn, at one call each', async () => {
  const status = { ...toStatusSources(), upstreamHealth: () => well };
  const asked = request({}, undefined, { status }).get('/ops/status');
  const { body } = await asked.set('Authorization', `Bearer ${token}`);

  expect(body.queue.classes).toEqual([
    { class: 'removals', waiting: 2, endMs: 400 },
    { class: 'changes', waiting: 10, endMs: 2_400 },
    { class: 'looks', waiting: 0, endMs: 0 },
  ]);
});

const _failing = async () => {
  throw new StoreError('store-unavailable', 'postgres://user:secret@db is gone');
};

test('/readyz is 200 with reasons while only the service is down', async () => {
  const service = { kind: 'shut', sinceMs: 0, nextProbeMs: 0 } as const;
  const upstreamHealth = () => ({ ...well, service });

  const answer = await request({ upstreamHealth }).get('/readyz');

  expect(answer.status).toBe(200);
  expect(answer.body).toMatchObject({ status: 'degraded', reasons: [{ code: 'service-down' }] });
});

test('/readyz answers 503 instead of waiting for a store that hangs', async () => {
  const hanging = () => new Promise<void>(() => {});
  const clock = createEagerClock();

  const answer = await request({ assertStoreUsable: hanging, clock }).get('/readyz');

  expect(answer.status).toBe(503);
  expect(clock.sleeps).toEqual([2_000]);
});

for (const presented of [
  undefined,
  token,
  'Bearer',
  'Bearer wrong',
  'Bearer scim-token-0123456789',
  `Basic ${token}`,
]) {
  test(`/metrics is 401 for "${presented ?? 'nothing'}"`, async () => {
    const asking = request().get('/metrics');
    if (presented !== undefined) asking.set('Authorization', presented);

    const answer = await asking;

    expect(answer.status).toBe(401);
    expect(answer.headers['www-authenticate']).toContain('Bearer');
    expect(answer.text).not.toContain('scim_bridge_');
  });
}

test('who may read may read, and is told what the rest takes', async () => {
  const asking = request().get('/ops/status').set('Authorization', `Bearer ${reader}`);
  const doing = request().post('/ops/pause').set('Authorization', `Bearer ${reader}`);
  const answers = await Promise.all([asking, doing]);

  expect(answers.map(({ status }) => status)).toEqual([200, 403]);
  expect(answers[1].body).toMatchObject({ code: 'forbidden', role: 'operator' });
});

test('each request below /ops is open to the role of its row, and to no stranger', async () => {
  const bridge = request();
  for (const { method, path, role } of opsRoutes) {
    const url = `/ops${path.replace(/\{\w+\}/g, 'x')}`;
    const stranger = await bridge[method](url);
    const answer = await bridge[method](url).set('Authorization', `Bearer ${reader}`);

    expect([url, stranger.status]).toEqual([url, 401]);
    expect([url, answer.status === 403]).toEqual([url, role === 'operator']);
  }
});
