import type { Reconciler } from '../reconciler.ts';

/** A reconciler for which nothing is new while `isDistrusted`: what a provider creates may exist in the service already. */
export function lookFirst(reconciler: Reconciler, isDistrusted: () => boolean): Reconciler {
  return {
    ...reconciler,
    settleUser: (id, { creates, ...write }, undo) =>
      reconciler.settleUser(id, { ...write, creates: creates && !isDistrusted() }, undo),
    settleGroup: (id, { creates, ...write }, undo) =>
      reconciler.settleGroup(id, { ...write, creates: creates && !isDistrusted() }, undo),
  };
}
