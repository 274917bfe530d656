import { once } from 'node:events';
import { describe, expect, test } from 'vitest';
import type { ActionStatus, PlanStatus } from '../../src/domain/plan.ts';
import type { Sandbox } from '../../src/sandbox/sandbox.ts';
import { StoreError } from '../../src/store/engine/store-error.ts';
import type { Db, Store } from '../../src/store/store.ts';
import { countWhere, updateWhere } from '../../src/store/tables.ts';
import type { TestBridge } from '../support/bridge.ts';
import type { Lives } from '../support/lives.ts';
import { makeLives } from '../support/lives.ts';
import { addPilots, decide, emailOf, listHeld } from '../support/pilots.ts';

interface Fate {
  /** As soon as this is so of what is committed: the process never hears of that commit. */
  readonly after?: (db: Db) => Promise<boolean>;
  /** Before the first write that begins when this is so. */
  readonly before?: () => boolean;
}

/** The store of a process that is killed and writes nothing from then on, so it sends nothing either. */
function createMortalStore(store: Store, { after, before }: Fate) {
  const life = new AbortController();
  const kill = () => life.abort(new StoreError('store-closed', 'the process was killed'));
  const { signal } = life;
  return {
    death: once(signal, 'abort'),
    endLead: () =>
      store.write(async (tx) => {
        await updateWhere(tx, 'leader', {}, { expires_at: 0, quiet_at: 0 });
      }),
    store: {
      ...store,
      async write<T>(work: (tx: Db) => Promise<T>): Promise<T> {
        if (before?.()) kill();
        signal.throwIfAborted();
        const result = await store.write(async (tx) => {
          signal.throwIfAborted();
          return work(tx);
        });
        if (!signal.aborted && (await after?.(store.read))) kill();
        signal.throwIfAborted();
        return result;
      },
    },
  };
}

/** Lives until the process is killed, in the middle of what is asked of it. */
async function liveUntil(
  { live }: Lives,
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
    await mortal?.endLead();
  };
  await live(life, {}, { toStore });
}

/** Not the account of the token: what that did and the bridge does not know is the sign of a restored backup. */
const ADMIN = 'admin@example.com';
const INTRUDERS = [0, 1, 2].map(emailOf);

/** A service in which somebody was put into the Pilots whom nobody asked for, and a store that knows nothing of it. */
async function makeIntrusion(settings = {}): Promise<Lives> {
  const lives = await makeLives({ settings: { DRIFT_POLICY: 'repair', ...settings } });
  const { service, calls } = lives.sandbox;
  await lives.live((bridge) => addPilots(bridge, INTRUDERS.length));
  service.addUser({ email: ADMIN });
  for (const email of INTRUDERS) service.as(ADMIN).link('Pilots', email);
  calls.reset();
  return lives;
}

const hasPlan = async (db: Db, status: PlanStatus) =>
  (await countWhere(db, 'plans', { status })) > 0;
const hasAction = async (db: Db, status: ActionStatus) =>
  (await countWhere(db, 'plan_actions', { status })) > 0;

const steps: readonly { step: string; toFate: (sandbox: Sandbox) => Fate }[] = [
  { step: 'was released', toFate: () => ({ after: (db) => hasAction(db, 'released') }) },
  {
    step: 'was sent to the service',
    toFate: ({ calls }) => ({ before: () => calls.count({ mutating: true }) > 0 }),
  },
  { step: 'was done', toFate: () => ({ after: (db) => hasAction(db, 'done') }) },
];

const askForSweep = (bridge: TestBridge) => bridge.ops('POST', '/sweeps', {});

async function untilApplied(bridge: TestBridge): Promise<void> {
  const list = async () => (await bridge.listOps('/plans')).map(({ status }) => status);
  await expect.poll(list).toEqual(['applied']);
  await bridge.untilSettled();
  await bridge.sweep();
  expect(await list()).toEqual(['applied']);
}

function expectDoneOnce({ service, calls }: Sandbox): void {
  const left = service.auditEvents().filter(({ action }) => action === 'delete_user');
  expect(service.members('Pilots')).toEqual([]);
  expect(left.map(({ details }) => details.email).toSorted()).toEqual(INTRUDERS);
  expect(calls.count({ mutating: true })).toBe(1);
}

describe('a process that is killed', () => {
  test.each(steps)('once a plan $step leaves one that is done once by the next', async (row) => {
    const lives = await makeIntrusion();
    await liveUntil(lives, row.toFate(lives.sandbox), askForSweep);
    const drifts = await lives.live(async (bridge) => {
      await untilApplied(bridge);
      const statuses = ['open', 'repairing', 'repaired'];
      return Promise.all(statuses.map((status) => bridge.listDrifts(status)));
    });

    expectDoneOnce(lives.sandbox);
    const repaired = INTRUDERS.map((email) => `member.added Pilots of ${email}`);
    expect(drifts).toEqual([[], [], repaired]);
  });

  test('while a plan waits, or was just approved, leaves it as it was decided', async () => {
    const lives = await makeIntrusion({ LIMITS_REPAIR: '2' });
    await liveUntil(lives, { after: (db) => hasPlan(db, 'held') }, askForSweep);
    const [first, afterSweep] = await lives.live(async (bridge) => {
      const held = await listHeld(bridge);
      await bridge.sweep();
      return [held, await listHeld(bridge)];
    });
    const untouched = lives.sandbox.service.members('Pilots');
    await liveUntil(lives, { after: (db) => hasPlan(db, 'approved') }, (bridge) =>
      decide(bridge, { ...first?.[0] }, 'approve'),
    );
    await lives.live(untilApplied);

    expect(first).toHaveLength(1);
    expect(afterSweep).toEqual(first);
    expect(untouched).toEqual(INTRUDERS);
    expectDoneOnce(lives.sandbox);
  });
});
