import { expect, test } from 'vitest';
import { explain } from '../../test/support/explain.ts';
import { describeStores } from '../../test/support/stores.ts';
import { ACTIVE_STATUSES } from '../domain/drift.ts';
import { listDriftViews } from './drift-views.ts';

describeStores('a page of many drifts', ({ makeStore, engine }) => {
  const page = { kind: undefined, afterSeq: 0, limit: 50 };
  const selections = [
    { why: 'all', query: { ...page, statuses: undefined } },
    { why: 'those of one status', query: { ...page, statuses: ['open'] } },
    { why: 'those that are not over', query: { ...page, statuses: ACTIVE_STATUSES } },
  ] as const;
  for (const { why, query } of selections) {
    // PostgreSQL plans by what is in the tables; there it is the same indexes.
    test.runIf(engine === 'sqlite')(`is read without sorting the others: ${why}`, async () => {
      const store = await makeStore();
      const plan = await store.write((tx) =>
        explain({ read: tx }, (db) => listDriftViews(db, query)),
      );
      expect(plan.filter((line) => /ORDER BY|SCAN drifts$/.test(line))).toEqual([]);
    });
  }
});
