import { expect, onTestFinished, test } from 'vitest';
import { createConvergeHost } from '../../../test/support/converge-host.ts';
import { addGroup, getGroup } from '../../../test/support/rows.ts';
import { describeStores } from '../../../test/support/stores.ts';
import type { Cells } from '../../domain/cell.ts';
import { toVersions, waitingFor } from '../../domain/cell-test-support.ts';
import { GROUP_EXTENSION } from '../../domain/extensions.ts';
import type { GroupField } from '../../domain/group.ts';
import { startSandbox } from '../../sandbox/sandbox.ts';
import { parseCells } from '../../store/engine/columns.ts';

const cases: readonly {
  readonly why: string;
  readonly cells: Cells<GroupField>;
  readonly name: string;
  readonly calls: number;
}[] = [
  {
    why: 'permissions wait for the REST uid, without a call',
    cells: waitingFor({ permissions: 2 }),
    name: 'Pilots',
    calls: 0,
  },
  {
    why: 'a name is changed, and the permissions beside it wait for the REST uid',
    cells: waitingFor({ displayName: 2, permissions: 2 }),
    name: 'Captains',
    calls: 1,
  },
];

describeStores('a group that SCIM alone has shown', ({ makeStore }) => {
  test.each(cases)('$why', async ({ cells, name, calls }) => {
    const store = await makeStore();
    const sandbox = await startSandbox();
    onTestFinished(() => sandbox.stop());
    const { id } = sandbox.service.createGroup({ name: 'Pilots' });
    const row = await addGroup(store, {
      doc: {
        displayName: 'displayName' in cells ? 'Captains' : 'Pilots',
        [GROUP_EXTENSION]: { permissions: 2 },
      },
      upstream_scim_id: String(id),
      observed: JSON.stringify({ displayName: 'Pilots', shownAt: 1, at: 1, by: 'test' }),
      cells: JSON.stringify(cells),
      version: 2,
      due_at: 1,
    });
    const host = await createConvergeHost(sandbox, store);

    await host.run({ type: 'group', id: row.id });

    expect(sandbox.service.getGroup(id)).toMatchObject({ name, permissions: 0 });
    expect(sandbox.calls.count({ mutating: true })).toBe(calls);
    const { last_error, ...left } = await getGroup(store, row);
    expect(toVersions(parseCells<GroupField>(left))).toEqual({ permissions: 2 });
    expect(last_error).toContain('REST uid');
    expect(host.failures).toEqual([]);
  });
});

/** A change of version 2 that the service has refused, and that rests. */
const refused = {
  pending: 2,
  failure: {
    ...{ version: 2, since: 1, retryAt: Number.MAX_SAFE_INTEGER },
    problem: { code: 'refused', words: 'no' },
  },
};
const waiting = { pending: 2 };

const others: readonly {
  readonly why: string;
  readonly cells: Cells<GroupField>;
  readonly deleted_at?: number;
  readonly code: string;
}[] = [
  { why: 'is about to be renamed', cells: { displayName: waiting }, code: 'name-leaving' },
  {
    why: 'is about to be renamed, and something else of it was refused',
    cells: { displayName: waiting, permissions: refused },
    code: 'name-leaving',
  },
  { why: 'was refused another name', cells: { displayName: refused }, code: 'conflict' },
  {
    why: 'is about to be removed',
    cells: { existence: waiting },
    deleted_at: 1,
    code: 'name-leaving',
  },
  {
    why: 'could not be removed',
    cells: { existence: refused },
    deleted_at: 1,
    code: 'conflict',
  },
];

describeStores('a group that is to have the name of one that', ({ makeStore }) => {
  test.each(others)('$why: $code', async ({ cells, code, deleted_at = null }) => {
    const store = await makeStore();
    const sandbox = await startSandbox();
    onTestFinished(() => sandbox.stop());
    const [first, second] = ['First', 'Second'].map((name) => {
      const { id, uid } = sandbox.service.createGroup({ name });
      return {
        ...{ upstream_rest_id: id, upstream_uid: uid, version: 2, due_at: 1 },
        observed: JSON.stringify({ displayName: name, at: 1, by: 'test' }),
      };
    });
    const isStuck = Object.values(cells).includes(refused);
    await addGroup(store, {
      ...{ ...first, deleted_at, doc: { displayName: 'Other' } },
      ...{ cells: JSON.stringify(cells), stuck_at: isStuck ? 1 : null },
    });
    const doc = { displayName: 'First' };
    const row = await addGroup(store, { ...second, doc, cells: '{"displayName":{"pending":2}}' });
    const host = await createConvergeHost(sandbox, store);

    await host.run({ type: 'group', id: row.id });

    expect(sandbox.calls.counts()).toMatchObject({ 'groups.updateGroup': { 409: 1 } });
    expect((await getGroup(store, row)).last_error).toContain(`"code":"${code}"`);
  });
});
