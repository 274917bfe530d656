import { expect, test } from 'vitest';
import { noRules } from '../../../test/support/no-rules.ts';
import { addGroup, addLink, addUser, findLink, getGroup } from '../../../test/support/rows.ts';
import { describeStores } from '../../../test/support/stores.ts';
import { waitingFor } from '../../domain/cell-test-support.ts';
import type { GroupState } from '../../domain/group.ts';
import type { JsonObject } from '../../domain/json.ts';
import { parseStored } from '../../store/engine/columns.ts';
import { type GroupRow, type NewGroupRow, toGroupState } from '../../store/groups/groups.ts';
import type { GroupUndo } from '../../store/resources/undo.ts';
import type { Store } from '../../store/store.ts';
import type { UserRow } from '../../store/users/users.ts';
import { recordEnded } from '../record-held.ts';
import type { GroupOutcome, GroupPart } from './outcome.ts';
import { groupRecorder } from './record.ts';

const problem = { code: 'refused', words: 'No' };
const NOW = 1_000_000;
const HOUR_MS = 60 * 60_000;
const known = {
  upstream_uid: 'u',
  observed: '{"displayName":"Board","at":1,"by":"groups.getGroup"}',
};
const running = { in_flight: 1, steps: 3, due_at: NOW };
const name: GroupPart = { kind: 'field', field: 'displayName' };
const NO_LINKS = { members: new Map(), admins: new Map() };

function toPart({ id: userId }: UserRow, version: number): GroupPart {
  return { kind: 'member', change: { userId, upstreamUserId: 7, wanted: true, version } };
}

/** Group that is in flight, as stored now. */
function add(store: Store, change: Partial<NewGroupRow> & { doc?: JsonObject }): Promise<GroupRow> {
  return addGroup(store, { ...running, ...known, ...change });
}

interface Step {
  readonly row: GroupRow;
  readonly outcome: GroupOutcome;
  readonly planned?: Partial<GroupState>;
  readonly undos?: readonly { version: number; undo: Partial<GroupUndo> }[];
}

function record(store: Store, { row, outcome, planned, undos = [] }: Step) {
  const attributes = parseStored<JsonObject>(row.attributes);
  const before = { attributes, cells: {}, origin: row.origin, deleted: false };
  return store.write((tx) =>
    recordEnded(tx, groupRecorder, {
      planned: { ...toGroupState(row, { members: [], admins: [] }), ...planned },
      row: undefined,
      outcome,
      policy: { membersPerCall: 100, deletion: 'created' },
      inactiveWait: false,
      undos: undos.map(({ version, undo }) => ({
        version,
        undo: { type: 'group', before, after: row.attributes, ...NO_LINKS, ...undo },
      })),
      rules: noRules,
      isOwn: true,
      failures: 0,
      attemptsMax: 10,
      callMs: 1_000,
      now: NOW,
      random: 0,
    }),
  );
}

const refusedAs = (...parts: GroupPart[]): GroupOutcome => ({ kind: 'refused', parts, problem });

describeStores('a refused step of a group', ({ makeStore }) => {
  test('refuses no name that came meanwhile: the service was never asked for that', async () => {
    const store = await makeStore();
    const doc = { displayName: 'Council' };
    const row = await add(store, { doc, cells: '{"displayName":{"pending":3}}', version: 3 });

    const before = {
      attributes: { displayName: 'X' },
      cells: waitingFor({ displayName: 2 }),
      origin: 'created' as const,
      deleted: false,
    };
    const undos = [{ version: 3, undo: { before } }];
    const planned = { cells: waitingFor({ displayName: 2 }) };
    const recorded = await record(store, { row, outcome: refusedAs(name), planned, undos });

    expect(recorded).toMatchObject({ finished: false, undone: [] });
    expect(await getGroup(store, row)).toMatchObject({ display_name: 'Council' });
  });

  test('refuses no change of a person that came meanwhile, and does not put it off', async () => {
    const store = await makeStore();
    const row = await add(store, { doc: { displayName: 'Board' }, version: 3 });
    const user = await addUser(store, { upstream_id: 7 });
    await addLink(store, { group: row, user }, [0, 0, 3]);

    const before = { userId: user.id, desired: 1, observed: 0, pending: 2 };
    const undos = [{ version: 3, undo: { members: new Map([[user.id, before]]) } }];
    const recorded = await record(store, { row, outcome: refusedAs(toPart(user, 2)), undos });

    expect(recorded).toMatchObject({ finished: false, undone: [] });
    expect(await findLink(store, { group: row, user })).toMatchObject({
      facts: [0, 0, 3],
      retryAt: null,
    });
  });

  test('puts off a person whose change was acknowledged, and goes on with the others', async () => {
    const store = await makeStore();
    const row = await add(store, { doc: { displayName: 'Board' }, version: 3 });
    const [refused, neighbour] = [
      await addUser(store, { upstream_id: 7 }),
      await addUser(store, { upstream_id: 8 }),
    ];
    for (const user of [refused, neighbour]) await addLink(store, { group: row, user }, [1, 0, 2]);

    const recorded = await record(store, { row, outcome: refusedAs(toPart(refused, 2)) });

    expect(recorded).toMatchObject({
      finished: false,
      state: { members: [{ userId: neighbour.id }] },
    });
    expect(await findLink(store, { group: row, user: refused })).toMatchObject({
      retryAt: NOW + HOUR_MS,
    });
    expect(await getGroup(store, row)).toMatchObject({ stuck_at: NOW });
  });

  test('takes back the person whose request still waits', async () => {
    const store = await makeStore();
    const row = await add(store, { doc: { displayName: 'Board' }, version: 2 });
    const user = await addUser(store, { upstream_id: 7 });
    await addLink(store, { group: row, user }, [1, 0, 2]);

    const undos = [{ version: 2, undo: { members: new Map([[user.id, null]]) } }];
    const recorded = await record(store, { row, outcome: refusedAs(toPart(user, 2)), undos });

    expect(recorded).toMatchObject({ finished: true, version: 3, undone: [{ version: 2 }] });
    expect(await findLink(store, { group: row, user })).toBeUndefined();
    expect(await getGroup(store, row)).toMatchObject({ stuck_at: null, version: 3 });
  });

  test('ends a look for what nothing waits for', async () => {
    const store = await makeStore();
    const row = await add(store, { must_look: 1 });

    const recorded = await record(store, {
      row,
      outcome: refusedAs({ kind: 'field', field: 'existence' }),
    });

    expect(recorded).toMatchObject({ finished: true });
    expect(await getGroup(store, row)).toMatchObject({
      must_look: 0,
      stuck_at: null,
      due_at: null,
    });
  });

  test('does not go on for ever when it is the look that is refused', async () => {
    const store = await makeStore();
    const row = await add(store, { must_look: 1, cells: '{"existence":{"pending":1}}' });

    const existence: GroupPart = { kind: 'field', field: 'existence' };
    const recorded = await record(store, { row, outcome: refusedAs(existence) });

    expect(recorded).toMatchObject({ finished: true });
    expect(await getGroup(store, row)).toMatchObject({
      must_look: 1,
      stuck_at: NOW,
      due_at: NOW + HOUR_MS,
    });
  });
});

describeStores('a step of a group that is done', ({ makeStore }) => {
  test('says how far it has come over fields and people, and of which version', async () => {
    const store = await makeStore();
    const row = await add(store, { doc: { displayName: 'Board' }, version: 5 });
    await addLink(store, { group: row, user: await addUser(store) }, [1, 0, 4]);

    const recorded = await record(store, { row, outcome: { kind: 'done', known: {} } });

    expect(recorded).toMatchObject({ finished: true, version: 5, oldestPending: 4 });
  });
});

describeStores('a step of a group that somebody else’s call may have undone', ({ makeStore }) => {
  test('settles neither its fields nor its people: the look that is owed decides', async () => {
    const store = await makeStore();
    const doc = { displayName: 'Council' };
    const row = await add(store, {
      doc,
      cells: '{"displayName":{"pending":2}}',
      version: 2,
      must_look: 2,
    });
    const user = await addUser(store, { upstream_id: 7 });
    await addLink(store, { group: row, user }, [1, 0, 2]);
    const { id: userId } = user;
    const member = { userId, upstreamUserId: 7, wanted: true, version: 2 };

    const recorded = await record(store, {
      row,
      outcome: { kind: 'done', known: { members: [member], doneFields: ['displayName'] } },
    });

    expect(recorded).toMatchObject({ finished: false, state: { mustLook: true } });
    const kept = { cells: '{"displayName":{"pending":2}}', must_look: 1, in_flight: 0 };
    expect(await getGroup(store, row)).toMatchObject(kept);
    expect(await findLink(store, { group: row, user })).toMatchObject({ facts: [1, 0, 2] });
  });

  test('leaves the look owed, also where it was a look that nobody needs any more', async () => {
    const store = await makeStore();
    const row = await add(store, {
      doc: { displayName: 'Council' },
      cells: '{"displayName":{"pending":3}}',
      version: 3,
      must_look: 2,
    });

    const existence: GroupPart = { kind: 'field', field: 'existence' };
    const planned = { mustLook: true, cells: waitingFor({ existence: 2 }) };
    await record(store, { row, outcome: refusedAs(existence), planned });

    expect(await getGroup(store, row)).toMatchObject({ must_look: 1 });
  });
});

describeStores(
  'a group that was taken up again while a call for the deleted one was on its way',
  ({ makeStore }) => {
    test('is looked at at once when that call ends', async () => {
      const store = await makeStore();
      const row = await add(store, { upstream_uid: null, deleted_at: 1 });
      const live = await add(store, { in_flight: 0, due_at: null });

      const recorded = await record(store, {
        row,
        outcome: { kind: 'done', known: {} },
        planned: { ids: { uid: 'u', scimId: undefined, restId: undefined } },
      });

      expect(recorded).toMatchObject({ finished: true, notified: [live.id] });
      expect(await getGroup(store, live)).toMatchObject({ must_look: 2, due_at: NOW });
    });
  },
);
