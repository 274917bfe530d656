import { describe, inject, onTestFinished } from 'vitest';
import { type StoreContent, takeStore } from './take-store.ts';

/** What a suite on PostgreSQL gets. */
interface PostgresSuite {
  /** The URL of a fresh database, which ends with the test. */
  makeUrl(content: StoreContent): Promise<string>;
}

/** Runs a suite of processes, or of bridges, that share one PostgreSQL; skipped where none is installed. */
export function describePostgres(title: string, suite: (stores: PostgresSuite) => void): void {
  const makeUrl = async (content: StoreContent) => {
    const { url, giveBack } = await takeStore('postgres', content);
    onTestFinished(giveBack);
    return url;
  };
  describe.skipIf(inject('postgresUrl') === undefined)(title, () => suite({ makeUrl }));
}
