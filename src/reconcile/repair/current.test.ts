import { expect, test } from 'vitest';
import { addUser } from '../../../test/support/rows.ts';
import { describeStores } from '../../../test/support/stores.ts';
import type { Difference } from '../../domain/drift.ts';
import { type Current, isStillSo } from './current.ts';

const action = {
  kind: 'user.access',
  resource_id: 'u',
  member_id: '',
  desired: '{"appsPermissions":2}',
  observed: '{"appsPermissions":4}',
} as const;

describeStores('what an action presupposes', ({ makeStore }) => {
  async function makeCurrent(changed: Partial<Difference> | undefined): Promise<Current> {
    const row = await addUser(await makeStore(), {});
    const difference: Difference = {
      kind: 'user.access',
      type: 'user',
      resourceId: row.id,
      memberId: '',
      desired: { appsPermissions: 2 },
      observed: { appsPermissions: 4 },
      ...changed,
    };
    const differences = new Map(changed === undefined ? [] : [['user.access ', difference]]);
    return { row, differences };
  }

  const rows = [
    { why: 'holds while nothing has changed', changed: {}, want: true },
    { why: 'is over once nothing differs', changed: undefined, want: false },
    {
      why: 'is another thing once something else is wanted',
      changed: { desired: { appsPermissions: 3 } },
      want: false,
    },
    {
      why: 'is another thing once something else was seen',
      changed: { observed: { appsPermissions: 6 } },
      want: false,
    },
  ];
  for (const { why, changed, want } of rows) {
    test(why, async () => {
      expect(isStillSo(await makeCurrent(changed), action)).toBe(want);
    });
  }
});
