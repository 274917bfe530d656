import { toChangeKey } from '../../domain/change.ts';
import type { PlanAction } from '../../domain/plan.ts';
import { addCounts, countActions, toGrownHash, toHash } from '../../plan/plan-summary.ts';
import { deletePlanActions, insertPlanActions, listActionsOf } from '../../store/plans/actions.ts';
import { deleteWishes } from '../../store/plans/held.ts';
import { type PlanRow, updatePlan } from '../../store/plans/plans.ts';
import { listRows, trust } from '../../store/resources/managed.ts';
import { type ResourceRow, toObservation } from '../../store/resources/rows.ts';
import type { Db } from '../../store/store.ts';
import type { ProcessDeps } from '../deps.ts';
import type { ReadLists } from '../read/checkpoint.ts';
import { isBelieved, listUnknownUsers } from './believe.ts';
import { listGroupChanges, listUserChanges, type ReadRow } from './list-changes.ts';

/** Resources of one transaction. */
const PART = 500;

/**
 * Compares every managed resource with the complete read that began with the plan, and stores the actions: every
 * difference of a store that is older than the service, and every wish of one that only observed. Returns their number;
 * the plan waits for an operator from then on.
 */
export async function makePlan(
  deps: ProcessDeps,
  plan: PlanRow,
  { lists, alsoSave }: Ending,
): Promise<number> {
  const making: Making = { deps, plan };
  if (plan.source === 'restore') await deps.store.write((tx) => deletePlanActions(tx, plan.id));
  let [hash, counts] = [toHash([]), countActions([])];
  const parts = [...(lists.users ? [planUsers] : []), ...(lists.groups ? [planGroups] : [])];
  for (const part of parts) {
    for (let afterSeq: number | undefined = 0; afterSeq !== undefined; ) {
      const from: number = afterSeq;
      const planned: Planned = await deps.store.write((tx) => part(tx, from, making));
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

/** What was read, and what is stored in the transaction after which the plan waits. */
interface Ending {
  readonly lists: ReadLists;
  readonly alsoSave: (tx: Db) => Promise<void>;
}

interface Making {
  readonly deps: ProcessDeps;
  readonly plan: PlanRow;
}

interface Planned {
  readonly actions: readonly PlanAction[];
  /** Undefined: nothing came after the part before. */
  readonly lastSeq: number | undefined;
}

async function planUsers(tx: Db, afterSeq: number, making: Making): Promise<Planned> {
  const { deps, plan } = making;
  const rows = await listRows(tx, 'users', { afterSeq, limit: PART, of: 'managed' });
  const planned = await planRows(tx, making, { rows, list: listUserChanges, table: 'users' });
  if (isBelieved(plan, deps.clock.now())) {
    await trust(tx, 'users', await listUnknownUsers(tx, rows, plan.created_at));
  }
  return planned;
}

async function planGroups(tx: Db, afterSeq: number, making: Making): Promise<Planned> {
  const rows = await listRows(tx, 'groups', { afterSeq, limit: PART, of: 'managed' });
  return planRows(tx, making, { rows, list: listGroupChanges, table: 'groups' });
}

/** Users or groups, and the changes that each is to have. */
interface PlannedRows<Row extends ResourceRow> {
  readonly table: 'users' | 'groups';
  readonly rows: readonly Row[];
  list(tx: Db, deps: ProcessDeps, read: ReadRow<Row>): Promise<PlanAction[]>;
}

async function planRows<Row extends ResourceRow>(
  tx: Db,
  making: Making,
  { table, rows, list }: PlannedRows<Row>,
): Promise<Planned> {
  const readSince = making.plan.created_at;
  const all: PlanAction[] = [];
  for (const row of rows) all.push(...(await list(tx, making.deps, { row, readSince })));
  const ids = rows.map(({ id }) => id);
  const actions = await store(tx, making, { ids, all });
  const seen = rows.filter((row) => (toObservation(row)?.at ?? 0) >= readSince);
  await trust(
    tx,
    table,
    seen.map(({ id }) => id),
  );
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
  const changes = new Set(
    asked.map(
      ({ kind, resource_id, member_id: memberId }) =>
        `${resource_id} ${toChangeKey({ kind, memberId })}`,
    ),
  );
  return all.filter((action) =>
    action.kind.endsWith('.create')
      ? resources.has(action.resourceId)
      : changes.has(`${action.resourceId} ${toChangeKey(action)}`),
  );
}
