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
