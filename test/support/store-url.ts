import { inject, onTestFinished } from 'vitest';
import { takeStore } from './take-store.ts';

/** The URL of a migrated, empty store of the run's engine that lasts until the test ends: for bridges one after another. */
export async function makeStoreUrl(): Promise<string> {
  const { url, giveBack } = await takeStore(inject('engine'));
  onTestFinished(giveBack);
  return url;
}
