import { expect, test } from 'vitest';
import { explain } from '../../../test/support/explain.ts';
import { describeStores } from '../../../test/support/stores.ts';
import { findNextDueAt } from '../due.ts';
import { recoverInFlight } from '../in-flight.ts';
import type { Db } from '../store.ts';
import { readBacklog } from './backlog.ts';

const reads = [
  { why: 'what is told of it', read: readBacklog, index: 'due', covers: true },
  { why: 'when the next is due', read: findNextDueAt, index: 'due', covers: true },
  {
    why: 'what was on its way when a leader ended',
    read: (db: Db) => recoverInFlight(db, 1),
    index: 'in_flight',
    covers: false,
  },
] as const;

describeStores('a long backlog', ({ makeStore, engine }) => {
  for (const { why, read, index, covers } of reads) {
    // PostgreSQL plans by what is in the tables; there it is the same indexes.
    test.runIf(engine === 'sqlite')(`is not read row by row: ${why}`, async () => {
      const store = await makeStore();
      const plan = await store.write((tx) => explain({ read: tx }, read));
      for (const table of ['users', 'groups']) {
        const how = `USING ${covers ? 'COVERING ' : ''}INDEX ${table}_${index} `;
        const lines = plan.filter((line) => line.includes(` ${table} `));
        expect(lines.length).toBeGreaterThan(0);
        for (const line of lines) expect(`${line} `).toContain(how);
      }
    });
  }
});
