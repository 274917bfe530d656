import { expect, test } from 'vitest';
import { addUser } from '../../../test/support/rows.ts';
import { describeStores } from '../../../test/support/stores.ts';
import { insertOwnCall } from '../../store/audit/own-calls.ts';
import { parseAuditEvent } from '../../upstream/shapes/audit-event.ts';
import { beginPolling, beginRead } from './poll-state.ts';
import { findUnresolvedAt, resolveEvents } from './resolve-events.ts';
import { savePage } from './save-page.ts';

const now = Date.UTC(2026, 3, 1, 12);
const toClock = (at: number) => ({ now: () => at, sleep: async () => undefined });

function toCreation(id: string, userId: number, at: number) {
  return parseAuditEvent({
    id,
    category: 'user_management',
    action: 'create',
    details: { user_id: userId },
    created: new Date(at).toISOString(),
  });
}

describeStores('events that named nobody when they were read', ({ makeStore }) => {
  test('a call that explains one of them is not counted for another', async () => {
    const store = await makeStore();
    await store.write((tx) => beginPolling(tx, now));
    await store.write((tx) => beginRead(tx, { now, intervalMs: 15_000 }));
    const strangersAt = now - 500;
    const events = [toCreation('own', 8, now - 1_000), toCreation('strange', 9, strangersAt)];
    await savePage({ store, clock: toClock(now) }, { events, from: 0 });
    const { id } = await addUser(store, { upstream_id: 8 });
    const changes = [{ kind: 'user.create', upstreamId: '8' }] as const;
    const key = { type: 'user', id } as const;
    const call = { at: now - 2_000, operation: 'scim.addUser', key, changes };
    await store.write((tx) => insertOwnCall(tx, call));

    const later = { store, clock: toClock(now + 10 * 60_000) };
    const found = await resolveEvents(later, undefined);

    expect(found.map(({ event, origin }) => [event.audit.id, origin])).toEqual([['own', 'ours']]);
    expect(await findUnresolvedAt(store.read)).toBe(strangersAt);
  });
});
