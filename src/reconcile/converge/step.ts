import type { Cell, Cells } from '../../domain/cell.ts';
import { isWaiting } from '../../domain/cell.ts';
import type { SentChange } from '../../domain/change.ts';
import type { GroupState, SentCreate, UserState } from '../../domain/kinds.ts';
import { toSentUser } from '../../domain/kinds.ts';
import type { LinkChange } from '../../domain/link.ts';
import { toLinkText } from '../../domain/link.ts';
import { removesGroupAccess, removesUserAccess } from '../../domain/protection.ts';
import type { ResourceKey } from '../../domain/values.ts';
import { planGroup, planUser, toPlannableGroup, toPlannableUser } from '../../plan/plan.ts';
import type { Field, Part, Step } from '../../plan/step.ts';
import { listLinks, toChanges, toValues } from '../../plan/step.ts';
import { listLinks as listStoredLinks } from '../../store/links/links.ts';
import { listWaitingLinks } from '../../store/links/waiting.ts';
import type { GroupRow, ResourceRow, UserRow } from '../../store/resources/rows.ts';
import { findRow } from '../../store/resources/rows.ts';
import { toGroupState, toUserState } from '../../store/resources/state.ts';
import type { Db } from '../../store/store.ts';
import type { ReconcileDeps } from '../deps.ts';

/** The field of a user or group that says that it is there. */
export const EXISTENCE = { user: 'account', group: 'existence' } as const;

interface Planned<Row extends ResourceRow, State> {
  readonly type: Row['type'];
  readonly row: Row;
  /** What is known of it, without what may not be changed yet. */
  readonly state: State;
  /** undefined: nothing is to be done. */
  readonly action: Step | undefined;
  /** When it was planned (epoch milliseconds). */
  readonly at: number;
}

/** The next step of a user or group. */
export type PlannedStep = Planned<UserRow, UserState> | Planned<GroupRow, GroupState>;

type PlanDeps = Pick<ReconcileDeps, 'policy' | 'quirks' | 'clock'>;

/** Reads a user or group and plans its next step; undefined: it is gone. What a create may have left is looked for first. */
export async function readStep(
  deps: PlanDeps & Pick<ReconcileDeps, 'store'>,
  key: ResourceKey,
): Promise<PlannedStep | undefined> {
  const db = deps.store.read;
  const row: ResourceRow | undefined = await findRow(db, key);
  return row && planStep(deps, { row, links: await readLinks(db, deps, row), isFirst: true });
}

/** Reads the waiting changes of a group's lists for one plan: as many as two calls can carry. A user has none. */
export async function readLinks(
  db: Db,
  deps: PlanDeps,
  row: ResourceRow,
): Promise<readonly LinkChange[]> {
  if (row.type === 'user') return [];
  const limit = Math.max(toPolicy(deps).membersPerCall * 2, LINKS_MIN);
  const inactiveWait = deps.quirks.current().inactiveMembers === false;
  return listWaitingLinks(db, row, { limit, now: deps.clock.now(), inactiveWait });
}

/** Waiting changes of members and admins that a step is planned from, at least. */
const LINKS_MIN = 100;

/** Plans the next step: a stuck change is hidden until its next attempt. In the first step of a run what a create may have left is looked for. */
export function planStep(
  deps: PlanDeps,
  { row, links, isFirst }: { row: ResourceRow; links: readonly LinkChange[]; isFirst?: true },
): PlannedStep {
  const at = deps.clock.now();
  const mustLook = isLookDue(row, at);
  const toLook = (known: UserState | GroupState, existence: Cell | undefined) =>
    known.mustLook || (isFirst === true && known.sentCreates.length > 0 && isWaiting(existence));
  if (row.type === 'user') {
    const known = toPlannableUser({ ...toUserState(row), mustLook }, at);
    const state = { ...known, mustLook: toLook(known, known.cells.account) };
    return { type: 'user', row, state, action: planUser(state, toPolicy(deps)).step, at };
  }
  const known = toPlannableGroup({ ...toGroupState(row, links), mustLook }, at);
  const { existence } = known.deleted ? {} : known.cells;
  const state = { ...known, mustLook: toLook(known, existence) };
  return { type: 'group', row, state, action: planGroup(state, toPolicy(deps)).step, at };
}

/** Lists the fields that wait and need no call, because they hold already. */
export function listDone(
  deps: PlanDeps,
  row: ResourceRow,
  links: readonly LinkChange[],
): readonly Field[] {
  if (isLookDue(row, deps.clock.now())) return [];
  return row.type === 'user'
    ? planUser(toUserState(row), toPolicy(deps)).done
    : planGroup(toGroupState(row, links), toPolicy(deps)).done;
}

/** True where a look comes before anything else: it was asked for, or lost calls cannot take effect any more. */
function isLookDue({ must_look, unsure_until }: ResourceRow, now: number): boolean {
  return must_look !== 0 || (unsure_until !== null && unsure_until <= now);
}

/** What plans follow. Batches are planned only while the service is not known to refuse them. */
function toPolicy({ policy, quirks }: Pick<PlanDeps, 'policy' | 'quirks'>) {
  const { deactivation, groupDeletion: deletion, membersPerCall: largest } = policy;
  const { addressMayChange = true, memberForm, membersPerCall = largest } = quirks.current();
  const many = memberForm === 'single' ? 1 : Math.min(membersPerCall, largest);
  return { deactivation, addressMayChange, deletion, membersPerCall: many };
}

/** Lists the changes that the calls of a step make, under the id that they use; none: it looks. */
export function listChanges({ type, state, action }: PlannedStep): SentChange[] {
  if (action === undefined) return [];
  const id = type === 'group' ? (state.ids.uid ?? state.ids.scimId) : state.upstreamId?.toString();
  return toChanges(type, action, id);
}

/** Name of a step in the log and in traces: the kinds of its changes; undefined: nothing is to be done. */
export function toName(step: PlannedStep): string | undefined {
  if (step.action === undefined) return undefined;
  const kinds = listChanges(step).map(({ kind }) => kind);
  return kinds.length === 0 ? 'look' : [...new Set(kinds)].join(', ');
}

/** Names by which the service would know what the step creates; undefined: it creates nothing. */
export function findCreate({ action }: PlannedStep): SentCreate | undefined {
  if (action?.kind !== 'create') return undefined;
  const { userName, address, displayName = '' } = toValues(action);
  return userName === undefined ? { name: displayName } : toSentUser({ userName, address });
}

/** True when something that waits removes access. @param removes whether a link does */
export function removesAccess({ type, state }: PlannedStep, removes: boolean): boolean {
  if (type === 'user') return removesUserAccess(state);
  return removes || removesGroupAccess({ ...state, links: [] });
}

/** Lists the parts that no later write has changed since the plan: of others the service was never asked for the new value. */
export async function listStillPlanned(
  { tx, step, row }: { readonly tx: Db; readonly step: PlannedStep; readonly row: ResourceRow },
  parts: readonly Part[],
): Promise<Part[]> {
  const planned: Cells<Field> = step.state.cells;
  const userIds = listLinks(parts).map(({ userId }) => userId);
  const stored = await listStoredLinks(tx, row, { userIds });
  const waiting = new Map(stored.map((link) => [toLinkText(link), link.pending]));
  return parts.filter((part) =>
    typeof part === 'string'
      ? row.cells[part]?.pending === planned[part]?.pending
      : waiting.get(toLinkText(part)) === part.version,
  );
}
