import { toChangeKey } from '../../domain/change.ts';
import { toSentUser } from '../../domain/kinds.ts';
import { isOfRecovery, type PlanAction } from '../../domain/plan.ts';
import {
  type ActionKey,
  countPlanActions,
  insertPlanActions,
  type PlanRow,
} from '../../store/plans.ts';
import { findExisting } from '../../store/resources/find.ts';
import {
  type GroupRow,
  listRows,
  MANAGED,
  type ResourceRow,
  readRows,
  type UserRow,
} from '../../store/resources/rows.ts';
import { isLinked, toSeenEntities, toUserState } from '../../store/resources/state.ts';
import { createShared } from '../../store/shared-state.ts';
import type { Db } from '../../store/store.ts';
import { deleteWhere, updateWhere } from '../../store/tables.ts';
import { readGroupLists } from '../compare/look.ts';
import type { ProcessDeps } from '../deps.ts';
import { compareKnown } from '../differences.ts';
import { type PlanSum, sumUp, tellPlan, toSumColumns } from '../plans.ts';
import { readService } from '../read/read-service.ts';
import type { Reading, ReadRun } from '../read/reading.ts';
import { toAccountNames } from '../user/create-account.ts';
import { findAccountObstacle, isWanted } from './desire.ts';

const PART = 500;

/** Why changes are held: an operator or the audit log says that the store is older than the service, or it only observed. */
export type RecoveryCode = 'restored' | 'audit' | 'first-run';

/** State of recovery; undefined in the store when there is none. */
export interface RecoveryState {
  /**
   * - `requested`: an operator says that a backup was restored; the next start begins
   * - `reading`: all pending changes are held, the whole service is being read
   * - `waiting`: the plan waits for an operator, or is followed
   */
  readonly phase: 'requested' | 'reading' | 'waiting';
  /** Epoch milliseconds. */
  readonly since: number;
  readonly reason: { readonly code: RecoveryCode };
  /** null: it is only requested. */
  readonly planId: string | null;
}

/** The state of recovery, as processes share it. */
export const RECOVERY = createShared<RecoveryState>('recovery');

/** Makes the next start begin recovery, whatever the audit log says. */
export async function requestRecovery(tx: Db, now: number): Promise<void> {
  const reason = { code: 'restored' } as const;
  await RECOVERY.save(tx, { phase: 'requested', since: now, reason, planId: null }, now);
}

/** Ends the recovery that a plan was made for: nothing of it is held any more. */
export async function endRecovery(
  { store, events }: Pick<ProcessDeps, 'store' | 'events'>,
  { id, source, status }: Pick<PlanRow, 'id' | 'source' | 'status'>,
): Promise<void> {
  if (!isOfRecovery(source)) return;
  const actions = await store.write(async (tx) => {
    const state = await RECOVERY.lock(tx);
    if (state?.phase !== 'waiting' || state.planId !== id) return undefined;
    await RECOVERY.delete(tx);
    return (await countPlanActions(tx, id)).get('released') ?? 0;
  });
  if (actions === undefined) return;
  events.recovery({ phase: 'over', code: status, actions });
  store.bell.ring('decided');
}

/** Reads the service again, and makes the plan of recovery; without one it is over. */
export async function planRecovery(run: ReadRun, state: RecoveryState, id: string): Promise<void> {
  const { store, events, clock } = run.deps;
  const { code: why } = state.reason;
  const isFirstRun = why === 'first-run';
  // A list that could not be read proves nothing, so it is read until it is complete or refused.
  await readService(run);
  await readGroupLists(run);
  const sum = await planAll(run, { id, isFirstRun });
  const { total: actions } = sum.counts;
  const isOver = isFirstRun && actions === 0;
  const held = await store.write(async (tx) => {
    // Noted changes of which the service was not read, or that it holds already.
    await deleteWhere(tx, 'plan_actions', { plan_id: id, desired: 'null', observed: 'null' });
    if (isOver) {
      await RECOVERY.delete(tx);
      await deleteWhere(tx, 'plans', { id });
      return [];
    }
    await RECOVERY.save(tx, { ...state, phase: 'waiting' }, clock.now());
    return updateWhere(tx, 'plans', { id }, { status: 'held', ...toSumColumns(sum) });
  });
  const [phase, code] = isOver ? ['over', 'empty'] : ['waiting', why];
  events.recovery({ phase, code, actions });
  for (const plan of held) tellPlan(events, plan);
}

interface Making {
  readonly id: string;
  readonly isFirstRun: boolean;
}

/** Plans every difference of a store that is older than the service, and what was asked of one that only observed. */
async function planAll(run: ReadRun, plan: Making): Promise<PlanSum> {
  const { deps, reading } = run;
  const { read, write } = deps.store;
  let sum = sumUp([]);
  for (const type of ['user', 'group'] as const) {
    if (!reading.isRead(type)) continue;
    for await (const rows of readRows(read, type, { limit: PART, where: MANAGED })) {
      const which = { seq: rows.map(({ seq }) => seq) };
      const actions = await write(async (tx) =>
        planPart(tx, run, plan, await listRows(tx, type, which, { order: 'seq' })),
      );
      if (actions.length > 0) sum = sumUp(actions, sum);
    }
  }
  return sum;
}

async function planPart(
  tx: Db,
  run: ReadRun,
  { id: plan_id, isFirstRun }: Making,
  rows: readonly ResourceRow[],
): Promise<readonly PlanAction[]> {
  const ids = rows.map(({ id }) => id);
  const all: PlanAction[] = [];
  for (const row of rows) all.push(...(await listChanges(tx, run, row)));
  const asked = await deleteWhere(tx, 'plan_actions', { plan_id, resource_id: ids });
  const actions = isFirstRun ? selectAsked(all, asked) : all;
  await insertPlanActions(tx, { id: plan_id, now: run.deps.clock.now() }, actions);
  const shown = rows.filter((row) => run.reading.isSeen(row)).map(({ id }) => id);
  // While observing, the bridge changed nothing, so the read shows every account; a store that may be older than the
  // service does not know what it created. The service has each address once, and refuses what others have made since.
  const users = rows.flatMap((row) => (isFirstRun && row.type === 'user' ? [row] : []));
  // Ends the doubt about them, where nothing is due.
  const trusted = [...shown, ...(await listUnknownUsers(tx, users, run.reading.since))];
  await updateWhere(tx, 'resources', { id: trusted, due_at: null }, { must_look: 0 });
  return actions;
}

/** Selects what was asked for; of what is created any change was. */
function selectAsked(all: readonly PlanAction[], asked: readonly ActionKey[]): PlanAction[] {
  const resources = new Set(asked.map(({ resource_id }) => resource_id));
  const keys = new Set(
    asked.map(({ kind, resource_id, member_id: memberId }) => {
      return `${resource_id} ${toChangeKey({ kind, memberId })}`;
    }),
  );
  return all.filter((action) =>
    action.kind.endsWith('.create')
      ? resources.has(action.resourceId)
      : keys.has(`${action.resourceId} ${toChangeKey(action)}`),
  );
}

async function listChanges(
  tx: Db,
  { deps: { policy }, reading }: ReadRun,
  row: ResourceRow,
): Promise<PlanAction[]> {
  const { changes } = await compareKnown(tx, row, policy.deactivation);
  // Lists say nothing of what was deleted, so the last observation counts.
  if (row.deleted_at !== null) {
    const mayDelete = policy.groupDeletion === 'created';
    return [...changes.values()].filter(({ kind }) => mayDelete || kind !== 'group.delete');
  }
  const isNew = !isLinked(row);
  if (!isNew && reading.isSeen(row)) {
    return [...changes.values()].filter(
      (change) => row.type === 'user' || isShownBy(reading, row, change),
    );
  }
  if (!isWanted(row)) return [];
  const type = row.type;
  const place = { kind: `${type}.create`, type, resourceId: row.id, memberId: '' } as const;
  const creation = { ...place, desired: { active: true }, observed: null, harm: undefined };
  // What the complete read did not show is only suspected to be gone.
  if (!isNew) return [creation];
  const hasObstacle = row.type === 'user' && findAccountObstacle(row) !== undefined;
  return hasObstacle ? [] : [creation, ...changes.values()];
}

/** True unless the list of the group that tells of the change was not read. */
function isShownBy({ since }: Reading, row: GroupRow, { kind, harm }: PlanAction): boolean {
  if (kind.startsWith('admin.')) return (row.admins_read_at ?? 0) >= since;
  // What is not known of entities only adds to the plan: the next step lists them before it gives roles.
  if (!kind.startsWith('entity.') || harm === undefined) return true;
  return (toSeenEntities(row)?.at ?? 0) >= since;
}

/** Lists users whom the service surely does not know: no create was sent, nothing was asked since the read, no account has their names. */
async function listUnknownUsers(db: Db, rows: readonly UserRow[], readSince: number) {
  const uncreated = rows.flatMap((row) => {
    const hasSent = row.upstream_id !== null || row.sent_creates !== '[]';
    if (hasSent || row.modified_at >= readSince) return [];
    return [{ id: row.id, names: toAccountNames(toSentUser(toUserState(row).desired)) }];
  });
  const names = uncreated.flatMap((one) => one.names);
  const seen = await findExisting(db, 'user', names);
  return uncreated.filter((one) => !one.names.some((name) => seen.has(name))).map(({ id }) => id);
}
