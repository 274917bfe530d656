import type { Quirks } from '../../src/reconcile/quirks.ts';
import { createFact } from '../../src/store/facts.ts';
import type { TestBridge } from './bridge.ts';

/** What the bridge has learned of how the service wants its requests. */
export async function readFormsOf({
  store,
}: Pick<TestBridge, 'store'>): Promise<Quirks | undefined> {
  return createFact<Quirks>('forms').find(store.read);
}
