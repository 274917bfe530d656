import { describe, expect, test } from 'vitest';
import { userId } from '../../src/domain/ids.ts';
import { addInspection } from '../../src/store/inspections.ts';
import { type TestBridge, withTestBridge } from '../support/bridge.ts';
import { addUsers, untilSettled } from '../support/provider.ts';
import { listManagedDrifts, SWEEP_SETTINGS } from '../support/sweep.ts';

const PATIENT = { interval: 10 };
/** More than are looked at in one turn. */
const BUSY = 60;

/** Somebody works on these people, and does not come to an end. */
async function keepBusy({ store }: TestBridge, ids: readonly string[]): Promise<void> {
  const busy = { must_look: 1, due_at: null };
  const people = ids.map(userId);
  await store.write((tx) => tx.updateTable('users').set(busy).where('id', 'in', people).execute());
}

async function haveLookedAt({ store }: TestBridge, ids: readonly string[]): Promise<void> {
  const now = Date.now();
  await store.write(async (tx) => {
    for (const [n, id] of ids.entries()) {
      const at = { since: now, due_at: now - ids.length + n };
      await addInspection(tx, {
        ...at,
        resource_id: id,
        resource_type: 'user',
        source: 'audit',
        admins: 0,
      });
    }
  });
}

describe('looks at single people', () => {
  test('of whom sixty are busy hold up nobody else, and cost next to nothing', async () =>
    withTestBridge({ settings: { ...SWEEP_SETTINGS } }, async (bridge) => {
      const ids = await addUsers(bridge, BUSY + 1);
      await untilSettled(bridge);
      const { service } = bridge.sandbox;
      const free = ids.at(-1) ?? '';
      await keepBusy(bridge, ids.slice(0, BUSY));
      service.setActive(`person${BUSY + 1}@example.com`, false);

      await haveLookedAt(bridge, ids);
      const list = () => listManagedDrifts(bridge);
      await expect.poll(list, PATIENT).toEqual([`user.deactivated person${BUSY + 1}@example.com`]);

      const waiting = await bridge.store.read.selectFrom('inspections').selectAll().execute();
      expect(waiting).toHaveLength(BUSY);
      expect(waiting.map(({ resource_id }) => resource_id)).not.toContain(free);
      // Each waits longer than the time before.
      const isLater = async () => {
        const rows = await bridge.store.read.selectFrom('inspections').selectAll().execute();
        return rows.every(({ due_at, since }) => due_at - since > 1_500);
      };
      await expect.poll(isLater, PATIENT).toBe(true);
    }));
});
