import { expect, test } from 'vitest';
import { describeStores } from '../../test/support/stores.ts';
import { groupId } from '../domain/ids.ts';
import { insertOwnCall, saveCallOutcomes } from '../store/audit/own-calls.ts';
import type { Store } from '../store/store.ts';
import { toRestingRow } from './lost-calls.ts';

const LEFT_AT = 1_000;
const CALL_MS = 100;
/** From here on the lost call cannot take effect. */
const QUIET_AT = LEFT_AT + CALL_MS;

/** A group that was written again after a call for it was lost. */
const overtaken = {
  ...{ id: 'g-1', version: 2, cells: '{}', must_look: 0, due_at: null },
  unsure_since: 1,
};
const unsure = { must_look: 0, due_at: null, unsure_since: 1 };
const sure = { must_look: 0, due_at: null, unsure_since: null };

interface Case {
  readonly what: string;
  /** When the resource became due for the step that ends now. */
  readonly dueAt: number | null;
  readonly now: number;
  readonly row?: Partial<typeof overtaken>;
  readonly expected: { must_look: number; due_at: number | null; unsure_since: number | null };
}

const cases: readonly Case[] = [
  {
    what: 'a step that ends while the lost call may take effect owes a look when it cannot any more',
    ...{ dueAt: LEFT_AT + 20, now: LEFT_AT + 40 },
    expected: { ...unsure, must_look: 1, due_at: QUIET_AT },
  },
  {
    what: 'a step that began while the lost call might take effect owes a look, however late it ends',
    ...{ dueAt: LEFT_AT + 20, now: QUIET_AT + 50 },
    expected: { ...unsure, must_look: 1, due_at: QUIET_AT + 50 },
  },
  {
    what: 'a step that began afterwards is sure',
    ...{ dueAt: QUIET_AT, now: QUIET_AT + 10 },
    expected: sure,
  },
  {
    what: 'a step owes nothing for a call that is forgotten',
    ...{ dueAt: LEFT_AT + 20, now: QUIET_AT + 10 * CALL_MS },
    expected: sure,
  },
  {
    what: 'a step owes nothing where nothing was written after the lost call was planned',
    ...{ dueAt: LEFT_AT + 20, now: LEFT_AT + 40, row: { version: 1 } },
    expected: unsure,
  },
];

describeStores('a resource at rest after a call of unknown outcome', ({ makeStore }) => {
  for (const { what, dueAt, now, row, expected } of cases) {
    test(what, async () => {
      const store = await makeStore();
      await loseCall(store);

      const window = { callMs: CALL_MS, now, original: { due_at: dueAt } };
      const rested = await store.write((tx) => toRestingRow(tx, { ...overtaken, ...row }, window));

      expect(rested).toMatchObject(expected);
    });
  }
});

async function loseCall(store: Store): Promise<void> {
  const key = { type: 'group', id: groupId(overtaken.id) } as const;
  const changes = [{ kind: 'member.add' as const, memberId: '7' }];
  const call = { at: LEFT_AT, operation: 'groupUsers.addUserToGroup', key, changes } as const;
  await store.write(async (tx) => {
    const rows = await insertOwnCall(tx, call);
    const ids = rows.map(({ id }) => id);
    await saveCallOutcomes(tx, [{ ids, outcome: 'unknown', error: null }]);
  });
}
