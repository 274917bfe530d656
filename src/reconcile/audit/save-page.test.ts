import { expect, test } from 'vitest';
import { LONG } from '../../../test/support/long.ts';
import { addGroup, addUser } from '../../../test/support/rows.ts';
import { logStatements } from '../../../test/support/statements.ts';
import { describeStores } from '../../../test/support/stores.ts';
import { groupId } from '../../domain/ids.ts';
import { pruneAuditEvents } from '../../store/audit/events.ts';
import { listEventsAbout } from '../../store/audit/events-about.ts';
import { insertOwnCall } from '../../store/audit/own-calls.ts';
import { findGroupRow } from '../../store/groups/groups.ts';
import type { Store } from '../../store/store.ts';
import { findUserRow } from '../../store/users/users.ts';
import { parseAuditEvent } from '../../upstream/shapes/audit-event.ts';
import { LOOK_AGAIN } from '../retry-columns.ts';
import { beginPolling, beginRead, POLL_STATE } from './poll-state.ts';
import { savePage } from './save-page.ts';

const now = Date.UTC(2026, 3, 1, 12);
const intervalMs = 15_000;
const clock = { now: () => now, sleep: async () => undefined };

function toEvent(id: string, change: Record<string, unknown> = {}) {
  return parseAuditEvent({
    id,
    category: 'user_management',
    action: 'deactivate',
    message: 'User deactivated',
    details: { user_id: 7 },
    created: new Date(now - 1_000).toISOString(),
    ...change,
  });
}

async function claim(store: Store, at = now) {
  return store.write((tx) => beginRead(tx, { now: at, intervalMs }));
}

async function begin(store: Store) {
  await store.write((tx) => beginPolling(tx, now));
  await claim(store);
  return addUser(store, { upstream_id: 7 });
}

async function save(store: Store, events: ReturnType<typeof toEvent>[]) {
  const saved = await savePage({ store, clock }, { events, from: 0 });
  return saved.fresh.map(({ origin }) => origin);
}

describeStores('a page of the audit log', ({ makeStore }) => {
  test('is stored once, whatever comes twice', async () => {
    const store = await makeStore();
    await begin(store);

    expect(await save(store, [toEvent('1'), toEvent('1'), toEvent('2')])).toHaveLength(2);
    expect(await save(store, [toEvent('2'), toEvent('3')])).toHaveLength(1);
  });

  const odd: { why: string; change: Record<string, unknown>; want: string }[] = [
    { why: 'of a category nobody knows', change: { category: 'x', action: 'y' }, want: 'foreign' },
    { why: 'with details as text', change: { details: '{"user":{"id":7}}' }, want: 'foreign' },
    { why: 'without details', change: { details: null }, want: 'unresolved' },
    { why: 'that names a stranger', change: { details: { user_id: 8 } }, want: 'unresolved' },
    { why: 'with text no database takes', change: { message: 'a\0b\ud800' }, want: 'foreign' },
    {
      why: 'with endless details',
      change: { details: ['7', 'x'.repeat(100_000)] },
      want: 'foreign',
    },
    {
      why: 'that is a sign-in',
      change: { category: 'auth', action: 'sign_in', details: {} },
      want: 'unresolved',
    },
  ];
  for (const { why, change, want } of odd) {
    test(`may have an event ${why}`, async () => {
      const store = await makeStore();
      const { id } = await begin(store);

      expect(await save(store, [toEvent('1', change)])).toEqual([want]);
      const row = await findUserRow(store.read, id);
      expect(row?.must_look).toBe(want === 'foreign' ? LOOK_AGAIN : 0);
      expect(row?.due_at).toBe(want === 'foreign' ? now : null);
    });
  }

  test('has nobody looked at for what changes nothing, whomever it names', async () => {
    const store = await makeStore();
    const { id } = await begin(store);
    await save(store, [
      toEvent('1', { category: 'auth', action: 'sign_in' }),
      toEvent('2', { category: 'x', action: 'user_signed_in' }),
      toEvent('3', { category: 'publication', action: 'publish_card' }),
      toEvent('4', { category: 'user_management', action: 'loginFailed' }),
      toEvent('5', { category: 'auth', action: 'session.created' }),
    ]);

    expect((await findUserRow(store.read, id))?.must_look).toBe(0);
  });

  const telling = [
    { category: 'auth', action: 'deactivate' },
    { category: 'auth', action: 'something new' },
    { category: 'auth', action: 'updated' },
    { category: 'auth', action: 'user_locked' },
    { category: 'auth', action: 'locked_after_failed_login' },
    { category: 'publication', action: 'user.deleted' },
    { category: 'publication', action: 'verschoben' },
    { category: 'app', action: '' },
  ];
  test.each(telling)(
    'has whom it names looked at, whatever its category and its verb: $category, $action',
    async (words) => {
      const store = await makeStore();
      const { id } = await begin(store);
      const group = await addGroup(store, { upstream_uid: 'g-1', origin: 'created' });
      const about = { ...words, details: { user_id: 7 } };
      await save(store, [toEvent('1', about), toEvent('2', { ...words, details: 'g-1' })]);

      expect((await findUserRow(store.read, id))?.must_look).toBe(LOOK_AGAIN);
      expect((await findGroupRow(store.read, group.id))?.must_look).toBe(LOOK_AGAIN);
    },
  );

  test('one call explains one event, also when the second comes with a later page', async () => {
    const store = await makeStore();
    const { id } = await begin(store);
    const changes = [{ kind: 'user.deactivate', upstreamId: '7' }] as const;
    const key = { type: 'user', id } as const;
    const call = { at: now - 2_000, operation: 'scim.updateUser', key, changes };
    await store.write((tx) => insertOwnCall(tx, call));

    expect(await save(store, [toEvent('1')])).toEqual(['ours']);
    expect((await findUserRow(store.read, id))?.must_look).toBe(0);
    expect(await save(store, [toEvent('2')])).toEqual(['foreign']);
    expect((await findUserRow(store.read, id))?.must_look).toBe(LOOK_AGAIN);
  });

  test('a call explains its event however many calls of the same minute concern others', {
    tags: LONG,
  }, async () => {
    const store = await makeStore();
    const { id } = await begin(store);
    const operation = 'scim.updateGroup';
    const crowd = Array.from({ length: 20_000 }, (_, index) => ({
      kind: 'member.add' as const,
      upstreamId: '5',
      memberId: String(100 + index),
    }));
    const key = { type: 'group', id: groupId('g-1') } as const;
    const one = { type: 'user', id } as const;
    const changes = [{ kind: 'user.deactivate', upstreamId: '7' }] as const;
    await store.write(async (tx) => {
      await insertOwnCall(tx, { at: now - 3_000, operation, key, changes: crowd });
      await insertOwnCall(tx, { at: now - 2_000, operation, key: one, changes });
    });

    expect(await save(store, [toEvent('1')])).toEqual(['ours']);
    expect(await save(store, [toEvent('2')])).toEqual(['foreign']);
  });

  test('is compared with the ledger before its transaction, behind which every write waits', async () => {
    const { store, log } = logStatements(await makeStore());
    await begin(store);
    log.reset();

    await save(store, [toEvent('1')]);

    const ofLedger = (statements: readonly string[]) =>
      statements.filter((sql) => sql.includes('own_calls'));
    expect(ofLedger(log.reads)).not.toEqual([]);
    expect(ofLedger(log.writes.flat())).toEqual([]);
  });

  test('keeps a number as that of whom the event tells, and of both where it does not', async () => {
    const store = await makeStore();
    await begin(store);
    await save(store, [
      toEvent('of-user', { details: { user_id: 8 } }),
      toEvent('of-group', { category: 'x', action: 'y', details: { group_id: 8 } }),
      toEvent('by-words', { category: 'group_management', action: 'delete', details: { id: 8 } }),
      toEvent('of-either', { category: 'x', action: 'y', details: { id: 8 } }),
    ]);
    const user = await addUser(store, { upstream_id: 8 });
    const group = await addGroup(store, { upstream_rest_id: 8, display_name_folded: 'user 8' });
    const listIds = async (type: 'user' | 'group', resourceId: string) => {
      const about = { type, resourceId, memberId: '', until: now, except: [], isBefore: true };
      const [events = []] = await listEventsAbout(store.read, [about], 10);
      return events.map(({ id }) => id).toSorted();
    };

    expect(await listIds('user', user.id)).toEqual(['of-either', 'of-user']);
    expect(await listIds('group', group.id)).toEqual(['by-words', 'of-either', 'of-group']);
  });

  test('keeps no name as somebody with a number', async () => {
    const store = await makeStore();
    await begin(store);
    const details = { group_names: ['User 8', 'user 8', 'USER 8'] };
    await save(store, [toEvent('1', { category: 'x', action: 'y', details })]);
    const { id: resourceId } = await addUser(store, { upstream_id: 8 });
    const about = { type: 'user', resourceId, memberId: '', except: [] } as const;

    const question = { ...about, until: now, isBefore: true };
    expect(await listEventsAbout(store.read, [question], 10)).toEqual([[]]);
  });

  test('does not bring back somebody who is deleted', async () => {
    const store = await makeStore();
    await begin(store);
    const gone = await addUser(store, { upstream_id: 9, deleted_at: 1 });

    await save(store, [toEvent('1', { details: { user_id: 9 } })]);

    expect(await findUserRow(store.read, gone.id)).toMatchObject({ must_look: 0, due_at: null });
  });

  test('is read again where its reading was cut short, else when it is time to', async () => {
    const store = await makeStore();
    await begin(store);

    expect(await claim(store, now + 1)).toMatchObject({ kind: 'begun', before: { isOpen: true } });
  });

  test('is forgotten after its time', async () => {
    const store = await makeStore();
    await begin(store);
    await save(store, [toEvent('1'), toEvent('2')]);
    const prune = (before: number) =>
      store.write((tx) => pruneAuditEvents(tx, { before, limit: 10 }));

    const countNamed = async () =>
      (await store.read.selectFrom('audit_event_resources').selectAll().execute()).length;

    expect(await prune(now)).toBe(0);
    expect(await countNamed()).toBe(2);
    expect(await prune(now + 1)).toBe(2);
    expect(await countNamed()).toBe(0);
  });

  test('leaves the state of the poller where the read began', async () => {
    const store = await makeStore();
    await begin(store);
    const before = await POLL_STATE.find(store.read);
    await save(store, [toEvent('1')]);

    expect(await POLL_STATE.find(store.read)).toEqual(before);
  });
});
