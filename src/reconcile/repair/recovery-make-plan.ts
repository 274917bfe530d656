import { toChangeKey } from '../../domain/change.ts';
import type { PlanAction } from '../../domain/plan.ts';
import { addCounts, countActions, toGrownHash, toHash } from '../../plan/plan-summary.ts';
import { deletePlanActions, insertPlanActions, listActionsOf } from '../../store/plans/actions.ts';
import { deleteWishes } from '../../store/plans/held.ts';
import { type PlanRow, updatePlan } from '../../store/plans/plans.ts';
import { listRows, trust } from '../../store/resources/managed.ts';
import { isUserRow } from '../../store/resources/rows.ts';
import type { Db } from '../../store/store.ts';
import type { ProcessDeps } from '../deps.ts';
import { isSeen, type Seen } from '../read/reading.ts';
import { isBelieved, listUnknownUsers } from './believe.ts';
import { toKey } from './current.ts';
import { listChanges } from './list-changes.ts';

/** Resources of one transaction. */
const PART = 500;

/**
 * Compares every managed resource with the complete read that began with the plan, and stores the actions: every
 * difference of a store that is older than the service, and every wish of one that only observed. Returns their number;
 * the plan waits for an operator from then on, which `alsoSave` notes in the same transaction.
 */
export async function makePlan(
  deps: ProcessDeps,
  plan: PlanRow,
  { seen, alsoSave }: { seen: Seen; alsoSave: (tx: Db) => Promise<void> },
): Promise<number> {
  const making: Making = { deps, plan, seen };
  if (plan.source === 'restore') await deps.store.write((tx) => deletePlanActions(tx, plan.id));
  let [hash, counts] = [toHash([]), countActions([])];
  for (const table of ['users', 'groups'] as const) {
    if (!seen.lists[table]) continue;
    for (let afterSeq: number | undefined = 0; afterSeq !== undefined; ) {
      const from: number = afterSeq;
      const planned: Planned = await deps.store.write((tx) =>
        planPart(tx, making, { table, afterSeq: from }),
      );
      if (planned.actions.length > 0) hash = toGrownHash(hash, planned.actions);
      counts = addCounts(counts, countActions(planned.actions));
      afterSeq = planned.lastSeq;
    }
  }
  await deps.store.write(async (tx) => {
    await deleteWishes(tx, plan.id);
    await updatePlan(tx, plan.id, { status: 'held', hash, counts: JSON.stringify(counts) });
    await alsoSave(tx);
  });
  return counts.total;
}

interface Making {
  readonly deps: ProcessDeps;
  readonly plan: PlanRow;
  readonly seen: Seen;
}

interface Planned {
  readonly actions: readonly PlanAction[];
  /** Undefined: nothing came after the part before. */
  readonly lastSeq: number | undefined;
}

async function planPart(
  tx: Db,
  making: Making,
  { table, afterSeq }: { readonly table: 'users' | 'groups'; readonly afterSeq: number },
): Promise<Planned> {
  const { deps, plan, seen } = making;
  const rows = await listRows(tx, table, { afterSeq, limit: PART, of: 'managed' });
  const all: PlanAction[] = [];
  for (const row of rows) all.push(...(await listChanges(tx, deps, { row, seen })));
  const actions = await store(tx, making, { ids: rows.map(({ id }) => id), all });
  const shown = rows.filter((row) => isSeen(seen, row));
  const unknown = isBelieved(plan, deps.clock.now())
    ? await listUnknownUsers(tx, rows.filter(isUserRow), seen.since)
    : [];
  await trust(tx, table, [...shown.map(({ id }) => id), ...unknown]);
  return { actions, lastSeq: rows.at(-1)?.seq };
}

/**
 * Stores the actions of some resources: after observing, those that were asked for. An action that would create a
 * resource counts as asked for when any change of the resource was.
 */
async function store(
  tx: Db,
  { deps, plan }: Making,
  { ids, all }: { ids: readonly string[]; all: readonly PlanAction[] },
): Promise<readonly PlanAction[]> {
  const actions = plan.source === 'first-run' ? await selectAsked(tx, plan, { ids, all }) : all;
  await deletePlanActions(tx, plan.id, ids);
  await insertPlanActions(tx, { id: plan.id, now: deps.clock.now() }, actions);
  return actions;
}

async function selectAsked(
  tx: Db,
  plan: PlanRow,
  { ids, all }: { ids: readonly string[]; all: readonly PlanAction[] },
): Promise<PlanAction[]> {
  const asked = await listActionsOf(tx, plan.id, ids);
  const resources = new Set(asked.map(({ resource_id }) => resource_id));
  const changes = new Set(asked.map((action) => `${action.resource_id} ${toKey(action)}`));
  return all.filter((action) =>
    action.kind.endsWith('.create')
      ? resources.has(action.resourceId)
      : changes.has(`${action.resourceId} ${toChangeKey(action)}`),
  );
}
