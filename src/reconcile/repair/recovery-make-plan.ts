import { createHash } from 'node:crypto';
import type { GroupId, UserId } from '../../domain/ids.ts';
import type { HeldAction } from '../../domain/plan.ts';
import { type GroupRow, toGroupState } from '../../store/groups/groups.ts';
import { listDifferingLinks } from '../../store/links/links.ts';
import {
  deleteHeldActions,
  insertHeldActions,
  listHeldActions,
  selectWished,
} from '../../store/plans/held.ts';
import { listManagedGroups, listManagedUsers, trust } from '../../store/resources/managed.ts';
import type { Db } from '../../store/store.ts';
import { toUserState } from '../../store/users/users.ts';
import type { ProcessDeps } from '../deps.ts';
import { type CompleteRead, isBelieved, listUnknownUsers } from './believe.ts';
import type { ReadSections } from './read-again.ts';
import type { HeldPlan } from './recovery-state.ts';
import { type HeldPolicy, toHeldGroupActions, toHeldUserActions } from './to-held-actions.ts';

/** Resources of one transaction. */
const PART = 500;

/** Policy by which differences are found, from the settings of this process. */
export function toHeldPolicy({ policy }: ProcessDeps, readSince: number): HeldPolicy {
  const { deactivation, groupDeletion } = policy;
  return { deactivation, groupDeletion, readSince };
}

/** Input of a plan: the sections that a complete read could read, and the reason for the plan. */
interface PlanBasis extends CompleteRead {
  readonly sections: ReadSections;
}

/** Choice among the differences of some resources. */
type Choose = (tx: Db, actions: readonly HeldAction[]) => Promise<readonly HeldAction[]>;

/**
 * Compares every managed resource with the complete read, and stores the actions: every difference of a store that is
 * older than the service, and every wish of one that only observed.
 */
export async function makePlan(
  deps: ProcessDeps,
  { readSince, sections, reason }: PlanBasis,
): Promise<HeldPlan> {
  const policy = toHeldPolicy(deps, readSince);
  const choose: Choose = reason.code === 'first-run' ? selectWished : async (_tx, all) => all;
  await deps.store.write((tx) => deleteHeldActions(tx, Number.MAX_SAFE_INTEGER));
  const planning = { policy, choose, read: { readSince, reason }, now: deps.clock.now() };
  if (sections.users) await inParts(deps, (tx, afterSeq) => planUsers(tx, afterSeq, planning));
  if (sections.groups) await inParts(deps, (tx, afterSeq) => planGroups(tx, afterSeq, planning));
  const { hash, actions } = await sumUp(deps.store.read);
  return { hash, actions, readSince, at: deps.clock.now() };
}

/** Runs `part` from one place to the next until there is none. */
async function inParts(
  { store }: ProcessDeps,
  part: (tx: Db, afterSeq: number) => Promise<number | undefined>,
): Promise<void> {
  let afterSeq: number | undefined = 0;
  while (afterSeq !== undefined) {
    const from: number = afterSeq;
    afterSeq = await store.write((tx) => part(tx, from));
  }
}

interface Planning {
  readonly policy: HeldPolicy;
  readonly choose: Choose;
  readonly read: CompleteRead;
  readonly now: number;
}

async function planUsers(
  tx: Db,
  afterSeq: number,
  { policy, choose, read, now }: Planning,
): Promise<number | undefined> {
  const rows = await listManagedUsers(tx, { afterSeq, limit: PART });
  const actions: HeldAction[] = [];
  const seen: UserId[] = [];
  for (const row of rows) {
    const state = toUserState(row);
    actions.push(...toHeldUserActions(state, policy));
    if (isSeen(state.observed, policy)) seen.push(row.id);
  }
  await insertHeldActions(tx, await choose(tx, actions));
  const unknown = isBelieved(read, now) ? await listUnknownUsers(tx, rows, read) : [];
  await trust(tx, 'users', [...seen, ...unknown]);
  return rows.at(-1)?.seq;
}

async function planGroups(
  tx: Db,
  afterSeq: number,
  { policy, choose }: Planning,
): Promise<number | undefined> {
  const rows = await listManagedGroups(tx, { afterSeq, limit: PART });
  const seen: GroupId[] = [];
  for (const row of rows) {
    const actions = await listGroupActions(tx, row, policy);
    await insertHeldActions(tx, await choose(tx, actions));
    if (isSeen(toGroupState(row, NO_LINKS).observed, policy)) seen.push(row.id);
  }
  await trust(tx, 'groups', seen);
  return rows.at(-1)?.seq;
}

const NO_LINKS = { members: [], admins: [] };

/** Lists the actions for one group now. */
export async function listGroupActions(
  db: Db,
  row: GroupRow,
  policy: HeldPolicy,
): Promise<HeldAction[]> {
  const links = await listDifferingLinks(db, row.id);
  const areAdminsKnown = (row.admins_read_at ?? 0) >= policy.readSince;
  const state = toGroupState(row, NO_LINKS);
  const known = links.filter(
    ({ list }) => list === 'memberships' || areAdminsKnown || state.observed === undefined,
  );
  return toHeldGroupActions(state, known, policy);
}

function isSeen(observed: { readonly at: number } | undefined, { readSince }: HeldPolicy): boolean {
  return observed !== undefined && observed.at >= readSince;
}

async function sumUp(db: Db): Promise<{ hash: string; actions: number }> {
  const sum = createHash('sha256');
  let actions = 0;
  let afterId: number | undefined = 0;
  while (afterId !== undefined) {
    const rows = await listHeldActions(db, { afterId, limit: PART });
    for (const { id: _, ...action } of rows) sum.update(`${JSON.stringify(action)}\n`);
    actions += rows.length;
    afterId = rows.at(-1)?.id;
  }
  return { hash: sum.digest('hex').slice(0, 32), actions };
}
