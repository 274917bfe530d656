import { describe, expect, test } from 'vitest';
import type { ActionStatus, PlanStatus } from '../../src/domain/plan.ts';
import { type Sandbox, startSandbox } from '../../src/sandbox/sandbox.ts';
import { openStore } from '../../src/store/engine/database.ts';
import { StoreError } from '../../src/store/engine/store-error.ts';
import type { Db, Store } from '../../src/store/store.ts';
import { startTestBridge, type TestBridge, type TestBridgeOptions } from '../support/bridge.ts';
import { forTest } from '../support/lifetimes.ts';
import { listHeld } from '../support/pilots.ts';
import { makeStoreUrl } from '../support/take-store.ts';

interface Fate {
  /** As soon as this is so of what is committed: the process never hears of that commit. */
  readonly after?: (db: Db) => Promise<boolean>;
  /** Before the first write that begins when this is so. */
  readonly before?: () => boolean;
}

/** The store of a process that is killed and writes nothing from then on, so it sends nothing either. */
function createMortalStore(store: Store, { after, before }: Fate) {
  const { promise: death, resolve: die } = Promise.withResolvers<void>();
  let isDead = false;
  const assertAlive = () => {
    if (isDead) throw new StoreError('store-closed', 'the process was killed');
  };
  const kill = () => {
    isDead = true;
    die();
  };
  return {
    death,
    store: {
      ...store,
      async write<T>(work: (tx: Db) => Promise<T>): Promise<T> {
        if (before?.()) kill();
        assertAlive();
        const result = await store.write(async (tx) => {
          assertAlive();
          return work(tx);
        });
        if (!isDead && (await after?.(store.read))) kill();
        assertAlive();
        return result;
      },
    },
  };
}

async function endLead({ write }: Store): Promise<void> {
  await write(async (tx) => {
    await tx.updateTable('leader').set({ expires_at: 0, quiet_at: 0 }).execute();
  });
}

/** Not the account of the token: what that did and the bridge does not know is the sign of a restored backup. */
const ADMIN = 'admin@example.com';
const INTRUDERS = ['person1@example.com', 'person2@example.com', 'person3@example.com'];

async function hasPlan(db: Db, status: PlanStatus): Promise<boolean> {
  const plans = db.selectFrom('plans').select('id').where('status', '=', status);
  return (await plans.execute()).length > 0;
}

async function hasAction(db: Db, status: ActionStatus): Promise<boolean> {
  const actions = db.selectFrom('plan_actions').select('id').where('status', '=', status);
  return (await actions.execute()).length > 0;
}

const steps: readonly { step: string; toFate: (sandbox: Sandbox) => Fate }[] = [
  { step: 'was released', toFate: () => ({ after: (db) => hasAction(db, 'released') }) },
  {
    step: 'was sent to the service',
    toFate: ({ calls }) => ({ before: () => calls.count({ mutating: true }) > 0 }),
  },
  { step: 'was done', toFate: () => ({ after: (db) => hasAction(db, 'done') }) },
];

/** A service in which somebody was put into the Pilots whom nobody asked for, and a store that knows nothing of it. */
async function makeIntrusion(url: string): Promise<Sandbox> {
  const sandbox = await forTest(startSandbox());
  await live({ sandbox, url }, async (bridge) => {
    await bridge.addUsers(INTRUDERS.length);
    await bridge.settled(bridge.addGroup('Pilots'));
  });
  sandbox.service.addUser({ email: ADMIN });
  for (const email of INTRUDERS) sandbox.service.as(ADMIN).link('Pilots', email);
  sandbox.calls.reset();
  return sandbox;
}

interface Place {
  readonly sandbox: Sandbox;
  readonly url: string;
  readonly settings?: Readonly<Record<string, string>>;
}

async function live<T>(
  { sandbox: service, url, settings }: Place,
  life: (bridge: TestBridge) => Promise<T>,
  options: Pick<TestBridgeOptions, 'toStore'> = {},
): Promise<T> {
  const common = { DRIFT_POLICY: 'repair', DATABASE_URL: url };
  const bridge = await startTestBridge({
    ...options,
    service,
    settings: { ...common, ...settings },
  });
  try {
    return await life(bridge);
  } finally {
    await bridge.stop();
  }
}

async function liveUntil(
  place: Place,
  fate: Fate,
  ask: (bridge: TestBridge) => Promise<unknown>,
): Promise<void> {
  let mortal: ReturnType<typeof createMortalStore> | undefined;
  const toStore = (store: Store) => {
    mortal = createMortalStore(store, fate);
    return mortal.store;
  };
  const life = async (bridge: TestBridge) => {
    // Whoever is killed may not answer.
    await Promise.race([mortal?.death, ask(bridge).then(() => mortal?.death)]);
  };
  await live(place, life, { toStore });
  const store = await openStore({ url: place.url });
  await endLead(store);
  await store.close();
}

const askForSweep = (bridge: TestBridge): Promise<unknown> => bridge.ops('POST', '/sweeps', {});

async function listPlanStatuses(bridge: TestBridge): Promise<string[]> {
  return (await bridge.listOps('/plans')).map((item) => String(Object(item).status));
}

function listDepartures({ service }: Sandbox): number[] {
  const left = service.auditEvents().filter(({ action }) => action === 'delete_user');
  return INTRUDERS.map((email) => left.filter(({ details }) => details.email === email).length);
}

describe('a process that is killed', () => {
  for (const { step, toFate } of steps) {
    test(`once a plan ${step} leaves one that is done once by the next`, async () => {
      const url = await makeStoreUrl();
      const sandbox = await makeIntrusion(url);
      await liveUntil({ sandbox, url }, toFate(sandbox), askForSweep);
      const seen = await live({ sandbox, url }, async (bridge) => {
        await expect.poll(() => listPlanStatuses(bridge)).toEqual(['applied']);
        await bridge.untilSettled();
        await bridge.sweep();
        return {
          open: await bridge.listDrifts(),
          repairing: await bridge.listDrifts('repairing'),
          repaired: await bridge.listDrifts('repaired'),
          plans: await listPlanStatuses(bridge),
        };
      });

      expect(sandbox.service.members('Pilots')).toEqual([]);
      expect(listDepartures(sandbox)).toEqual([1, 1, 1]);
      expect(sandbox.calls.count({ mutating: true })).toBe(1);
      expect(seen).toEqual({
        open: [],
        repairing: [],
        repaired: INTRUDERS.map((email) => `member.added Pilots of ${email}`),
        plans: ['applied'],
      });
    });
  }

  test('while a plan waits, or was just approved, leaves it as it was decided', async () => {
    const url = await makeStoreUrl();
    const sandbox = await makeIntrusion(url);
    const place = { sandbox, url, settings: { LIMITS_REPAIR: '2' } };
    await liveUntil(place, { after: (db) => hasPlan(db, 'held') }, askForSweep);
    const [first, afterSweep] = await live(place, async (bridge) => {
      const held = await listHeld(bridge);
      await bridge.sweep();
      return [held, await listHeld(bridge)];
    });
    const untouched = sandbox.service.members('Pilots');
    const { id, hash = '' } = first?.[0] ?? {};
    const approve = (bridge: TestBridge) => bridge.ops('POST', `/plans/${id}/approve`, { hash });
    await liveUntil(place, { after: (db) => hasPlan(db, 'approved') }, approve);
    const statuses = await live(place, async (bridge) => {
      await expect.poll(() => listPlanStatuses(bridge)).toEqual(['applied']);
      await bridge.sweep();
      return listPlanStatuses(bridge);
    });

    expect(first).toHaveLength(1);
    expect(afterSweep).toEqual(first);
    expect(untouched).toEqual(INTRUDERS);
    expect(statuses).toEqual(['applied']);
    expect(listDepartures(sandbox)).toEqual([1, 1, 1]);
    expect(sandbox.calls.count({ mutating: true })).toBe(1);
  });
});
