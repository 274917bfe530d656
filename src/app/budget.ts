import { readCallBudget, replaceCallBudget } from '../store/call-budget.ts';
import type { Store } from '../store/store.ts';
import type { SharedRate } from '../upstream/shared-rate.ts';

/** How a process shares the rate of its calls with all others on the same store; undefined: a file has no others. */
export function toSharedRate(store: Store, owner: string): SharedRate | undefined {
  if (store.engine === 'sqlite') return undefined;
  const cell: SharedRate['cell'] = {
    read: () => readCallBudget(store),
    replace: (version, text) => replaceCallBudget(store, { version, text }),
  };
  return { cell, owner };
}
