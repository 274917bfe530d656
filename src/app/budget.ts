import { readCallBudget, replaceCallBudget } from '../store/call-budget.ts';
import type { Store } from '../store/store.ts';
import type { SharedRate } from '../upstream/shared-rate.ts';

/** Rate of calls that all processes on the same store share; undefined: a file has one process. */
export function toSharedRate(store: Store, owner: string): SharedRate | undefined {
  if (store.engine === 'sqlite') return undefined;
  const cell: SharedRate['cell'] = {
    read: () => readCallBudget(store),
    replace: (version, text) => replaceCallBudget(store, { version, text }),
  };
  return { cell, owner };
}
