import { createHash } from 'node:crypto';
import type { HeldAction } from '../../domain/held-action.ts';
import type { GroupId, UserId } from '../../domain/ids.ts';
import type { Db } from '../../store/database.ts';
import { listDifferingLinks } from '../../store/differing-links.ts';
import { type GroupRow, toGroupState } from '../../store/groups.ts';
import { deleteHeldActions, insertHeldActions, listHeldActions } from '../../store/held-actions.ts';
import { listManagedGroups, listManagedUsers, trust } from '../../store/managed.ts';
import { toUserState } from '../../store/users.ts';
import type { ReconcileDeps } from '../deps.ts';
import type { ReadSections } from './read-again.ts';
import type { HeldPlan } from './state.ts';
import { type HeldPolicy, toHeldGroupActions, toHeldUserActions } from './to-held-actions.ts';

/** Resources that are compared in one transaction. */
const PART = 500;

/** What decides which differences there are, with the settings of this process. */
export function toHeldPolicy({ policy }: ReconcileDeps, readSince: number): HeldPolicy {
  const { deactivation, groupDeletion } = policy;
  return { deactivation, groupDeletion, readSince };
}

/** Compares everything managed with what the complete read showed, and stores what would be done. */
export async function makePlan(
  deps: ReconcileDeps,
  { readSince, sections }: { readSince: number; sections: ReadSections },
): Promise<HeldPlan> {
  const policy = toHeldPolicy(deps, readSince);
  await deps.store.write((tx) => deleteHeldActions(tx, Number.MAX_SAFE_INTEGER));
  if (sections.users) await inParts(deps, (tx, afterSeq) => planUsers(tx, afterSeq, policy));
  if (sections.groups) await inParts(deps, (tx, afterSeq) => planGroups(tx, afterSeq, policy));
  const { hash, actions } = await sumUp(deps.store.read);
  return { hash, actions, readSince, at: deps.clock.now() };
}

/** Runs `part` from one place to the next until there is none. */
async function inParts(
  { store }: ReconcileDeps,
  part: (tx: Db, afterSeq: number) => Promise<number | undefined>,
): Promise<void> {
  let afterSeq: number | undefined = 0;
  while (afterSeq !== undefined) {
    const from: number = afterSeq;
    afterSeq = await store.write((tx) => part(tx, from));
  }
}

async function planUsers(
  tx: Db,
  afterSeq: number,
  policy: HeldPolicy,
): Promise<number | undefined> {
  const rows = await listManagedUsers(tx, { afterSeq, limit: PART });
  const actions: HeldAction[] = [];
  const seen: UserId[] = [];
  for (const row of rows) {
    const state = toUserState(row);
    actions.push(...toHeldUserActions(state, policy));
    if (isSeen(state.observed, policy)) seen.push(row.id);
  }
  await insertHeldActions(tx, actions);
  await trust(tx, 'users', seen);
  return rows.at(-1)?.seq;
}

async function planGroups(
  tx: Db,
  afterSeq: number,
  policy: HeldPolicy,
): Promise<number | undefined> {
  const rows = await listManagedGroups(tx, { afterSeq, limit: PART });
  const seen: GroupId[] = [];
  for (const row of rows) {
    await insertHeldActions(tx, await listGroupActions(tx, row, policy));
    if (isSeen(toGroupState(row, NOBODY).observed, policy)) seen.push(row.id);
  }
  await trust(tx, 'groups', seen);
  return rows.at(-1)?.seq;
}

const NOBODY = { members: [], admins: [] };

/** What would be done for one group now. */
export async function listGroupActions(
  db: Db,
  row: GroupRow,
  policy: HeldPolicy,
): Promise<HeldAction[]> {
  const links = await listDifferingLinks(db, row.id);
  const areAdminsKnown = (row.admins_read_at ?? 0) >= policy.readSince;
  const state = toGroupState(row, NOBODY);
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
