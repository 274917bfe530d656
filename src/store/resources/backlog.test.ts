import { expect, test } from 'vitest';
import { explain } from '../../../test/support/explain.ts';
import { describeStores } from '../../../test/support/stores.ts';
import { findNextDueAt, listHeldRemovals } from '../lanes.ts';
import type { Db } from '../store.ts';
import { readBacklog } from './backlog.ts';

const reads = [
  { why: 'what is told of it', read: readBacklog, index: 'due', covers: true },
  { why: 'when the next is due', read: findNextDueAt, index: 'due', covers: true },
  {
    why: 'removals behind other work of their lane',
    read: (db: Db) => listHeldRemovals(db, { owner: 'one', now: 1 }),
    index: 'lane_owner',
    covers: false,
  },
] as const;

describeStores('a long backlog', ({ makeStore, engine }) => {
  for (const { why, read, index, covers } of reads) {
    // PostgreSQL plans by what is in the tables; there it is the same indexes.
    test.runIf(engine === 'sqlite')(`is not read row by row: ${why}`, async () => {
      const plan = await explain(await makeStore(), read);
      for (const table of ['users', 'groups']) {
        const how = `USING ${covers ? 'COVERING ' : ''}INDEX ${table}_${index} `;
        const lines = plan.filter((line) => line.includes(` ${table} `));
        expect(lines.length).toBeGreaterThan(0);
        for (const line of lines) expect(`${line} `).toContain(how);
      }
    });
  }
});
