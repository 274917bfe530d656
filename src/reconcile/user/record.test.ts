import { expect, test } from 'vitest';
import { noRules } from '../../../test/support/no-rules.ts';
import { addUser, getUser } from '../../../test/support/rows.ts';
import { describeStores } from '../../../test/support/stores.ts';
import type { Cells } from '../../domain/cell.ts';
import { toVersions, waitingFor } from '../../domain/cell-test-support.ts';
import type { JsonObject } from '../../domain/json.ts';
import type { UserField, UserState } from '../../domain/user.ts';
import { parseCells } from '../../store/engine/columns.ts';
import type { UserBefore } from '../../store/resources/undo.ts';
import type { Store } from '../../store/store.ts';
import { type NewUserRow, toUserState, type UserRow, updateUser } from '../../store/users/users.ts';
import { recordEnded } from '../record-held.ts';
import type { UserOutcome } from './outcome.ts';
import { userRecorder } from './record.ts';

const problem = { code: 'refused', words: 'No' };
const NOW = 1_000_000;
const HOUR_MS = 60 * 60_000;
const observed = { userName: 'ada', fullName: 'Ada', active: true, at: 1, by: 'scim.getUser' };
const account = { upstream_id: 7, observed: JSON.stringify(observed) };
const running = { in_flight: 1, steps: 3, due_at: NOW };

const named = (givenName: string): JsonObject => ({ userName: 'ada', name: { givenName } });
const refusedAs = (...parts: UserField[]): UserOutcome => ({ kind: 'refused', parts, problem });

/** User that is in flight, as stored now. */
function add(store: Store, change: Partial<NewUserRow> & { doc?: JsonObject }): Promise<UserRow> {
  return addUser(store, { ...running, ...change });
}

interface Step {
  readonly row: UserRow;
  readonly outcome: UserOutcome;
  /** The row as the step knows it, where it was not read. */
  readonly known?: UserRow;
  /** Pending fields at the time of planning, when writes have come since. */
  readonly plannedCells?: Cells<UserField>;
  readonly planned?: Partial<UserState>;
  readonly undos?: readonly {
    version: number;
    before: Pick<UserBefore, 'attributes' | 'cells'>;
  }[];
}

function record(store: Store, { row, outcome, undos = [], known, ...given }: Step) {
  const state = toUserState(row);
  const planned = { ...state, cells: given.plannedCells ?? state.cells, ...given.planned };
  return store.write((tx) =>
    recordEnded(tx, userRecorder, {
      planned,
      row: known,
      outcome,
      policy: { deactivation: 'scim', addressMayChange: false },
      undos: undos.map(({ version, before }) => ({
        version,
        undo: {
          type: 'user',
          before: { origin: 'created', deleted: false, ...before },
          after: row.attributes,
        },
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

describeStores('a refused step of a person', ({ makeStore }) => {
  test('takes the write back that asked for it', async () => {
    const store = await makeStore();
    const row = await add(store, {
      ...account,
      doc: named('X'),
      cells: '{"name":{"pending":2}}',
      version: 2,
    });

    const before = { attributes: named('Ada'), cells: {} };
    const undos = [{ version: 2, before }];
    const recorded = await record(store, { row, outcome: refusedAs('name'), undos });

    expect(recorded).toMatchObject({
      finished: true,
      undone: [{ version: 2, problem }],
      version: 3,
    });
    const after = await getUser(store, row);
    expect(JSON.parse(after.attributes)).toEqual(named('Ada'));
    expect(after).toMatchObject({ cells: '{}', version: 3, in_flight: 0, stuck_at: null });
  });

  test('refuses no write that came meanwhile: the service was never asked for that', async () => {
    const store = await makeStore();
    const row = await add(store, {
      ...account,
      doc: named('Eva'),
      cells: '{"name":{"pending":3}}',
      version: 3,
    });

    const before = { attributes: named('X'), cells: waitingFor({ name: 2 }) };
    const undos = [
      { version: 2, before: { attributes: named('Ada'), cells: {} } },
      { version: 3, before },
    ];
    const plannedCells = waitingFor({ name: 2 });
    const recorded = await record(store, {
      row,
      outcome: refusedAs('name'),
      undos,
      plannedCells,
    });

    expect(recorded).toMatchObject({
      finished: false,
      undone: [],
      state: { cells: waitingFor({ name: 3 }) },
    });
    expect(await getUser(store, row)).toMatchObject({
      attributes: row.attributes,
      in_flight: 0,
    });
  });

  test('refuses no write that waits again because what came after it was taken back', async () => {
    const store = await makeStore();
    const row = await add(store, {
      ...account,
      doc: named('X'),
      cells: '{"name":{"pending":3}}',
      version: 3,
    });

    const undos = [
      { version: 3, before: { attributes: named('Eva'), cells: waitingFor({ name: 2 }) } },
      { version: 2, before: { attributes: named('Ada'), cells: {} } },
    ];
    const recorded = await record(store, { row, outcome: refusedAs('name'), undos });

    expect(recorded.undone).toEqual([{ version: 3, problem }]);
    const after = await getUser(store, row);
    expect(JSON.parse(after.attributes)).toEqual(named('Eva'));
    expect(toVersions(parseCells(after))).toEqual({ name: 2 });
  });

  test('leaves what was acknowledged: stuck, visible, and tried again in an hour', async () => {
    const store = await makeStore();
    const row = await add(store, {
      ...account,
      doc: named('X'),
      cells: '{"name":{"pending":2}}',
      version: 2,
    });

    const recorded = await record(store, { row, outcome: refusedAs('name') });

    expect(recorded).toMatchObject({ finished: true, undone: [], oldestPending: 2 });
    const after = await getUser(store, row);
    expect(toVersions(parseCells(after))).toEqual({ name: 2 });
    expect(after).toMatchObject({
      stuck_at: NOW,
      due_at: NOW + HOUR_MS,
      last_error: JSON.stringify(problem),
      in_flight: 0,
    });
  });

  test('ends a look for what nothing waits for', async () => {
    const store = await makeStore();
    const row = await add(store, { must_look: 1 });

    const recorded = await record(store, { row, outcome: refusedAs('account') });

    expect(recorded).toMatchObject({ finished: true });
    expect(await getUser(store, row)).toMatchObject({ must_look: 0, stuck_at: null, due_at: null });
  });

  test('does not go on for ever when it is the look that is refused', async () => {
    const store = await makeStore();
    const row = await add(store, { must_look: 1, cells: '{"account":{"pending":1}}' });

    const recorded = await record(store, { row, outcome: refusedAs('account') });

    expect(recorded).toMatchObject({ finished: true });
    expect(await getUser(store, row)).toMatchObject({
      must_look: 1,
      stuck_at: NOW,
      in_flight: 0,
    });
  });

  test('looks again for what a later write made of the person', async () => {
    const store = await makeStore();
    const row = await add(store, { cells: '{"account":{"pending":3}}', version: 3 });

    const planned = { mustLook: true, cells: waitingFor({ account: 2 }) };
    const recorded = await record(store, { row, outcome: refusedAs('account'), planned });

    expect(recorded).toMatchObject({ finished: false, state: { mustLook: true } });
  });
});

describeStores('a look for what a refused create may have left', ({ makeStore }) => {
  const lost = {
    deleted_at: 5,
    lost_looks: 2,
    must_look: 1,
    cells: '{"account":{"pending":2}}',
    version: 2,
  };
  const found = { upstreamId: 7, observed, doneFields: ['account'] as const };

  test('has the account deactivated that it finds', async () => {
    const store = await makeStore();
    const row = await add(store, lost);

    const recorded = await record(store, { row, outcome: { kind: 'done', known: found } });

    expect(recorded).toMatchObject({
      finished: false,
      state: { cells: waitingFor({ active: 2 }) },
    });
  });

  test('leaves an account alone that was seen before the create was asked for', async () => {
    const store = await makeStore();
    const holder = await addUser(store, { ...account, origin: null, created_at: 1 });
    const row = await add(store, { ...lost, created_at: 2 });

    const recorded = await record(store, { row, outcome: { kind: 'done', known: found } });

    expect(recorded).toMatchObject({ finished: true, oldestPending: undefined });
    expect(await getUser(store, holder)).toMatchObject({ upstream_id: 7, cells: '{}' });
    expect(await getUser(store, row)).toMatchObject({ upstream_id: null, cells: '{}' });
  });

  test('is made again later, and then no more', async () => {
    const store = await makeStore();
    const row = await add(store, lost);

    await record(store, { row, outcome: { kind: 'done', known: {} } });
    const again = await getUser(store, row);
    await record(store, { row: again, outcome: refusedAs('account') });

    expect(again).toMatchObject({ lost_looks: 1, must_look: 1, in_flight: 0 });
    expect(Number(again.due_at)).toBeGreaterThan(NOW);
    expect(await getUser(store, row)).toMatchObject({
      lost_looks: 0,
      due_at: null,
      stuck_at: null,
    });
  });
});

describeStores('a step of a person that is done', ({ makeStore }) => {
  test('answers for a write that came during the create under the number of that write', async () => {
    const store = await makeStore();
    const row = await add(store, {
      doc: { userName: 'ada', active: false },
      cells: '{"account":{"pending":2}}',
      version: 2,
    });

    const known = { upstreamId: 7, observed, doneFields: ['account'] as const };
    const plannedCells = waitingFor({ account: 1 });
    const recorded = await record(store, { row, outcome: { kind: 'done', known }, plannedCells });

    expect(recorded).toMatchObject({
      finished: false,
      state: { cells: waitingFor({ active: 2 }) },
    });
  });

  test('says how far it has come, and of which version', async () => {
    const store = await makeStore();
    const row = await add(store, { ...account, cells: '{"active":{"pending":2}}', version: 5 });

    const outcome: UserOutcome = { kind: 'done', known: { observed } };
    const recorded = await record(store, { row, outcome });

    expect(recorded).toMatchObject({ finished: true, version: 5, oldestPending: undefined });
  });
});

describeStores('a step of a person that somebody else’s call may have undone', ({ makeStore }) => {
  const licence = 'urn:ietf:params:scim:schemas:extension:workmanagement:2.0:User';

  test('settles nothing: the look that is owed decides', async () => {
    const store = await makeStore();
    const doc = { ...named('Ada'), [licence]: { appsPermissions: 3 } };
    const change = { cells: '{"appsPermissions":{"pending":2}}', version: 2, must_look: 2 };
    const row = await add(store, { ...account, ...change, doc });
    const seen = { ...observed, appsPermissions: 3 };

    const recorded = await record(store, {
      row,
      outcome: { kind: 'done', known: { observed: seen, doneFields: ['appsPermissions'] } },
    });

    expect(recorded).toMatchObject({ finished: false, state: { mustLook: true } });
    expect(await getUser(store, row)).toMatchObject({
      cells: '{"appsPermissions":{"pending":2}}',
      must_look: 1,
      in_flight: 0,
    });
  });

  test('leaves the look owed, also where it was a look that nobody needs any more', async () => {
    const store = await makeStore();
    const change = { cells: '{"active":{"pending":3}}', version: 3, must_look: 2 };
    const row = await add(store, { ...account, ...change, doc: named('Ada') });

    await record(store, {
      row,
      outcome: refusedAs('account'),
      plannedCells: waitingFor({ account: 2 }),
      planned: { mustLook: true },
    });

    expect(await getUser(store, row)).toMatchObject({
      cells: '{"active":{"pending":3}}',
      must_look: 1,
    });
  });
});

describeStores('a step of a person that was begun with its write', ({ makeStore }) => {
  const observed = { userName: 'ada', fullName: 'Ada', active: false, at: 2, by: 'test' };
  const outcome: UserOutcome = { kind: 'done', known: { observed } };
  const doc = { ...named('Grace'), active: false };

  test('is recorded against the row as it is known', async () => {
    const store = await makeStore();
    const row = await add(store, {
      doc,
      cells: '{"active":{"pending":2}}',
      version: 2,
      upstream_id: 7,
    });

    const recorded = await record(store, { row, known: row, outcome });

    expect(recorded).toMatchObject({ finished: true, version: 2, oldestPending: undefined });
    const after = { cells: '{}', due_at: null, in_flight: 0, steps: row.steps + 1 };
    expect(await getUser(store, row)).toMatchObject(after);
  });

  test('leaves what was written meanwhile waiting', async () => {
    const store = await makeStore();
    const row = await add(store, {
      doc,
      cells: '{"active":{"pending":2}}',
      version: 2,
      upstream_id: 7,
    });
    const change = { cells: '{"active":{"pending":2},"name":{"pending":3}}', version: 3 };
    await store.write((tx) => updateUser(tx, row.id, change));

    const plannedCells = waitingFor({ active: 2 });
    await record(store, { row, known: row, outcome, plannedCells });

    const after = { cells: '{"name":{"pending":3}}', version: 3, in_flight: 0 };
    expect(await getUser(store, row)).toMatchObject(after);
  });
});

describeStores('an account that a deleted person turns out to have', ({ makeStore }) => {
  const outcome: UserOutcome = {
    kind: 'done',
    known: { upstreamId: 7, observed, doneFields: ['account'] },
  };
  const create = JSON.stringify([{ name: 'ada' }]);
  const deleted = {
    deleted_at: 1,
    cells: '{"account":{"pending":2}}',
    version: 2,
    sent_creates: create,
  };
  const idle = { in_flight: 0, due_at: null };

  /** Records that the account was found; `change` is about the live person of the name. */
  async function recordFound(change: Partial<NewUserRow> & { doc?: JsonObject }) {
    const store = await makeStore();
    const row = await add(store, { ...deleted, doc: named('Ada') });
    const doc = { ...named('Ada'), active: false };
    const live = await add(store, { ...idle, doc, ...change });
    const recorded = await record(store, { row, outcome });
    return {
      recorded,
      live: await getUser(store, live),
      gone: await getUser(store, row),
      id: live.id,
    };
  }

  test('goes to the live person of the name at once, who looks and is deactivated', async () => {
    const { recorded, live, gone, id } = await recordFound({});

    expect(recorded).toMatchObject({ finished: true, notified: [id] });
    expect(live).toMatchObject({ upstream_id: 7, must_look: 2, due_at: NOW, due_class: 0 });
    expect(toVersions(parseCells(live))).toEqual({ active: 1, name: 1 });
    expect(gone).toMatchObject({ upstream_id: null, cells: '{}', due_at: null, in_flight: 0 });
  });

  test('is asked for another address where the live person has one', async () => {
    const emails = [{ value: 'ada@example.com', primary: true }];
    const { live } = await recordFound({ doc: { userName: 'ada', emails, active: false } });

    expect(toVersions(parseCells(live))).toEqual({ active: 1, address: 1 });
  });

  test('stays with the deleted one while a call of the live one is on its way, who looks after it', async () => {
    const { recorded, live, gone } = await recordFound(running);

    expect(recorded).toMatchObject({ finished: false });
    expect(live).toMatchObject({ upstream_id: null, must_look: 2, in_flight: 1 });
    expect(gone).toMatchObject({ upstream_id: 7, cells: '{"active":{"pending":2}}' });
  });

  test('is looked at at once where the live person has it already', async () => {
    const { recorded, live, id } = await recordFound({ upstream_id: 7 });

    expect(recorded).toMatchObject({ finished: true, notified: [id] });
    expect(live).toMatchObject({ upstream_id: 7, must_look: 2, due_at: NOW });
  });

  test.each([
    { why: 'has an account', change: { upstream_id: 8 } },
    { why: 'is unmanaged', change: { origin: null } },
    { why: 'has another name', change: { doc: { userName: 'bob' } } },
  ])('is deactivated where the live person $why', async ({ change }) => {
    const { live, gone } = await recordFound(change);

    expect(live).toMatchObject({ upstream_id: change.upstream_id ?? null, must_look: 0 });
    expect(gone).toMatchObject({ upstream_id: 7, cells: '{"active":{"pending":2}}' });
  });
});
