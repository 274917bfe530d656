import type { ResourceKey } from '../domain/ids.ts';
import { type ChangeRow, insertChange, takeSettledChanges } from '../store/changes.ts';
import { type GroupUndo, parseUndo, type UserUndo } from '../store/resources/undo.ts';
import type { Db } from '../store/store.ts';
import { lockWaits, refuseWait } from '../store/waits.ts';
import type { ReconcileDeps } from './deps.ts';
import type { Recorded, Undone } from './recorded.ts';
import type { Waiter, Waiters } from './waiters.ts';

/** What recording takes. */
type RecordDeps = Pick<ReconcileDeps, 'store' | 'clock'> & {
  readonly events: Pick<ReconcileDeps['events'], 'changeHeld'>;
};

/** What is recorded, and for whom. */
export interface Recording<Undo> {
  readonly key: ResourceKey;
  readonly waiters: Waiters<Undo>;
  /** True when the service may have refused something. */
  readonly mayRefuse: boolean;
  /** The change of a write that was begun with this step; undefined: it is stored. */
  readonly change: ChangeRow | undefined;
  /** Narrows the undo that is stored of a request that waits in another process. */
  readonly isUndo: (undo: UserUndo | GroupUndo) => undo is Undo & (UserUndo | GroupUndo);
}

/**
 * Records a result in one transaction. The deadlines of the requests that wait for it, here and in other processes, are
 * held meanwhile, so that no request is told "accepted" for a write that is being taken back at this moment.
 */
export async function recordHeld<State, Undo>(
  { store, clock, events }: RecordDeps,
  { key, waiters, mayRefuse, change, isUndo }: Recording<Undo>,
  record: (tx: Db, undos: readonly Waiter<Undo>[]) => Promise<Recorded<State>>,
): Promise<Recorded<State>> {
  const held = waiters.hold(key);
  try {
    const { recorded, held: delivered } = await store.write(async (tx) => {
      const asks = mayRefuse && store.engine === 'postgres';
      const rows = asks ? await lockWaits(tx, key, clock.now()) : [];
      const elsewhere = rows.flatMap(({ id, version, undo: text }) => {
        const undo = parseUndo(text);
        return isUndo(undo) ? [{ id, version, undo }] : [];
      });
      const result = await record(tx, [...held.waiters, ...elsewhere]);
      await refuseElsewhere(tx, elsewhere, result.undone);
      return { recorded: result, held: await settleChanges(tx, key, result, change) };
    });
    held.resume(recorded.undone);
    const now = clock.now();
    for (const { kind, accepted_at } of delivered) {
      events.changeHeld({ kind, tookMs: Math.max(now - accepted_at, 0) });
    }
    store.bell.ring('settled');
    return recorded;
  } catch (error) {
    held.resume([]);
    throw error;
  }
}

/** Takes out the changes that wait no more, and returns those that the service holds now. */
async function settleChanges(
  tx: Db,
  key: ResourceKey,
  recorded: Recorded<unknown>,
  begun: ChangeRow | undefined,
): Promise<ChangeRow[]> {
  if (begun !== undefined) {
    if (isOnlyChange(recorded, begun)) return [begun];
    await insertChange(tx, begun);
  }
  if (!recorded.finished) return [];
  const settled = await takeSettledChanges(tx, key, recorded);
  if (!Number.isFinite(recorded.version)) return [];
  return settled.filter(
    (change) =>
      !recorded.undone.some(({ version }) => version === change.version) &&
      !isReplaced(change, settled),
  );
}

/** True when the service holds the change with which a step was begun, and nothing was written since. */
function isOnlyChange(recorded: Recorded<unknown>, { version }: ChangeRow): boolean {
  if (!recorded.finished || recorded.undone.length > 0) return false;
  return recorded.version === version && recorded.oldestPending === undefined;
}

/** True when a later request has turned an activation or deactivation round before it arrived. */
function isReplaced({ kind, version }: ChangeRow, settled: readonly ChangeRow[]): boolean {
  const opposite = kind === 'leaver' ? 'joiner' : 'leaver';
  if (kind !== 'leaver' && kind !== 'joiner') return false;
  return settled.some((other) => other.kind === opposite && other.version > version);
}

async function refuseElsewhere(
  tx: Db,
  waits: readonly { readonly id: string; readonly version: number }[],
  undone: readonly Undone[],
): Promise<void> {
  for (const { id, version } of waits) {
    const refused = undone.find((one) => one.version === version);
    if (refused) await refuseWait(tx, id, JSON.stringify(refused.problem));
  }
}
