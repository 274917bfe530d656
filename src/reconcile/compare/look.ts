import { findRepair } from '../../domain/change.ts';
import {
  type Detector,
  type Difference,
  type DriftKind,
  toDifferenceKey,
} from '../../domain/drift.ts';
import { listEntityFields } from '../../domain/entity.ts';
import { BridgeError } from '../../domain/errors.ts';
import type { Deactivation } from '../../domain/user.ts';
import { findNewestCallAt } from '../../store/audit/own-calls.ts';
import {
  changeDrifts,
  type DriftRow,
  type Finding,
  insertDrifts,
  listActiveDrifts,
} from '../../store/drifts.ts';
import { parseCells } from '../../store/engine/columns.ts';
import { changeLinks } from '../../store/links/links.ts';
import { observeLinks } from '../../store/links/observe.ts';
import { listHeldChanges } from '../../store/plans/actions.ts';
import {
  endObserved,
  type GroupRow,
  lockRow,
  noteGone,
  type ResourceRow,
  type UserRow,
  updateRow,
} from '../../store/resources/rows.ts';
import { toGroupState, toObservedGroup, toUserState } from '../../store/resources/state.ts';
import type { Db } from '../../store/store.ts';
import { isBusy, isUnchanged, listDifferences } from '../differences.ts';
import { lookAtGroup } from '../group/look.ts';
import { lookUpAdminIds, lookUpEntities } from '../group/read-admins.ts';
import { saveEntities } from '../group/read-entities.ts';
import { observeCompanyUser } from '../read/read-users.ts';
import type { ReadDeps } from '../read/reading.ts';
import { saveMembers } from '../read/save-groups.ts';
import { findOwnAccount } from '../read/service.ts';
import { lookAtUser } from '../user/apply.ts';
import { findCompanyUser, toSearchText } from '../user/find-company-user.ts';
import { toObservedColumns } from '../user/observe.ts';
import { classify } from '../verdict.ts';

/** Look at one list of a group: its class, and its time, queue included, in milliseconds. */
const LIST_LOOK = { class: 'look', waitMs: 60_000 } as const;

/** Parts that a look at one resource has to read. */
export interface LookNeeds {
  /** The ordinary look: state and name, and the members of a group. */
  readonly ordinary: boolean;
  /** Licence and suspension of a user. */
  readonly companyUser: boolean;
  readonly admins: boolean;
  readonly entities: boolean;
}

/** Finds the parts in which drift of these kinds can be seen. */
export function toLookNeeds(kinds: readonly DriftKind[], deactivation: Deactivation): LookNeeds {
  const isSuspension = deactivation === 'temporarilyInactive';
  const isOfCompany = (kind: DriftKind) =>
    kind === 'user.access' ||
    (isSuspension && (kind === 'user.deactivated' || kind === 'user.activated'));
  return {
    ordinary: true,
    companyUser: kinds.some(isOfCompany),
    admins: kinds.some((kind) => kind.startsWith('admin.')),
    entities: kinds.some((kind) => kind.startsWith('entity.')),
  };
}

/** Finds the parts to look at where nothing is known to differ: the managed ones, and admins where they are wanted. */
export function toNeeds(
  row: ResourceRow,
  { admins }: Pick<LookNeeds, 'admins'>,
  deactivation: Deactivation,
): LookNeeds {
  if (row.type === 'group') {
    const entities = listEntityFields(parseCells(row)).length > 0;
    return { ordinary: true, companyUser: false, admins, entities };
  }
  const { appsPermissions, temporarilyInactive } = toUserState(row).desired;
  const isOwned = appsPermissions !== undefined || temporarilyInactive !== undefined;
  const companyUser = isOwned || deactivation === 'temporarilyInactive';
  return { ordinary: true, companyUser, admins: false, entities: false };
}

interface Looking {
  readonly deps: ReadDeps;
  readonly signal: AbortSignal;
}

interface Look {
  readonly needs: LookNeeds;
  readonly detector: Detector;
}

/** Result of a look that was compared; `found` are the new drifts, undefined: it was written meanwhile. */
export type Inspected =
  | { readonly kind: 'seen' | 'gone'; readonly found: readonly DriftRow[] | undefined }
  | { readonly kind: 'could-not-look'; readonly reason: string };

/** Looks at one user or group, and stores what was seen and what differs. */
export async function inspect(
  looking: Looking,
  row: ResourceRow,
  { needs, detector }: Look,
): Promise<Inspected> {
  const { store } = looking.deps;
  const observation = await observe(looking, row, needs);
  if (observation.kind === 'could-not-look') return observation;
  const looked = { row, detector, observation };
  const found = await store.write((tx) => storeLooked(tx, looking.deps, looked));
  return { kind: observation.kind, found };
}

/**
 * Finds when a difference may be drift (epoch milliseconds): `settleMs` after a call of our own, which the service may show
 * late.
 */
export async function findQuietAt(db: Db, id: string, settleMs: number): Promise<number> {
  return ((await findNewestCallAt(db, id)) ?? 0) + settleMs;
}

/**
 * What a look at one user or group has shown.
 * - `seen`: `store` stores it, in a transaction that has made sure that the row has not changed
 * - `gone`: the service has no such resource
 * - `could-not-look`: nothing is known
 */
type Observation =
  | { readonly kind: 'seen'; readonly store: (tx: Db, locked: ResourceRow) => Promise<void> }
  | { readonly kind: 'gone' }
  | { readonly kind: 'could-not-look'; readonly reason: string };

function toUnknown(reason: string): Observation {
  return { kind: 'could-not-look', reason };
}

/** Looks at these parts of one user or group; nothing is stored. */
export function observe(
  looking: Looking,
  row: ResourceRow,
  needs: LookNeeds,
): Promise<Observation> {
  return row.type === 'user'
    ? lookAtUserAgain(looking, row, needs)
    : lookAtGroupAgain(looking, row, needs);
}

async function lookAtUserAgain(
  { deps, signal }: Looking,
  row: UserRow,
  needs: LookNeeds,
): Promise<Observation> {
  const state = toUserState(row);
  const context = { class: 'look', key: `user:${row.id}`, signal } as const;
  const { upstreamId } = state;
  let { observed } = state;
  if (needs.ordinary) {
    const outcome = await lookAtUser(deps, context, state);
    if (outcome.kind !== 'done') return toUnknown(outcome.problem.code);
    if (outcome.known.missing) return { kind: 'gone' };
    observed = outcome.known.observed;
  }
  if (observed === undefined) return toUnknown('not-found');
  if (needs.companyUser) {
    const text = toSearchText(observed);
    const finding =
      upstreamId !== undefined && findCompanyUser(deps, context, { upstreamId, text });
    const found = finding && (await finding.catch((error: unknown) => void classify(error)));
    if (!found) return toUnknown('companyUsers');
    observed = observeCompanyUser(found, observed, deps.clock.now());
  }
  const columns = toObservedColumns(row, observed);
  return { kind: 'seen', store: (tx) => updateRow(tx, row, columns) };
}

/** Looks at one group: its name, rights and members, and its admins and entities where they are needed. */
async function lookAtGroupAgain(
  { deps, signal }: Looking,
  row: GroupRow,
  needs: LookNeeds,
): Promise<Observation> {
  const context = { class: 'look', key: `group:${row.id}`, signal } as const;
  const outcome = needs.ordinary
    ? await lookAtGroup(deps, context, toGroupState(row))
    : ({ kind: 'done', known: {} } as const);
  if (outcome.kind !== 'done') return toUnknown(outcome.problem.code);
  const { missing, group: observed, memberIds } = outcome.known;
  if (missing) return { kind: 'gone' };
  if (needs.ordinary && observed === undefined) return toUnknown('not-found');
  try {
    const admins = needs.admins ? await lookUpAdminIds(deps, row, LIST_LOOK) : undefined;
    const entities = needs.entities ? await lookUpEntities(deps, row, LIST_LOOK) : undefined;
    return {
      kind: 'seen',
      async store(tx, locked) {
        if (locked.type === 'user') return;
        const now = deps.clock.now();
        const seen = { ...toObservedGroup(locked), ...observed };
        if (observed) await updateRow(tx, locked, { observed: JSON.stringify(seen) });
        const members = memberIds && { memberIds, now, isFirst: false, from: 'group' as const };
        if (members) await saveMembers(tx, locked, members);
        if (admins) await saveAdmins(tx, locked, admins, now);
        if (entities) await saveEntities(tx, locked, entities);
      },
    };
  } catch (error) {
    if (!(error instanceof BridgeError)) throw error;
    return toUnknown(error.code);
  }
}

/**
 * Stores the admins of a group. Where a provider writes the list, whoever else is in it is drift, but for our own account
 * in the first read: the service makes the creator of a group its admin. `now` is epoch milliseconds.
 */
async function saveAdmins(
  tx: Db,
  row: GroupRow,
  upstreamUserIds: readonly number[],
  now: number,
): Promise<void> {
  const own = row.admins_read_at === null ? await findOwnAccount(tx) : null;
  const baseline = row.admins_asked === 1 && own !== undefined ? 0 : null;
  await observeLinks(tx, row, { list: 'admin', upstreamUserIds, baseline });
  const accounts = typeof own === 'number' ? [own] : [];
  await changeLinks(tx, row, { list: 'admin', accounts }, (link) =>
    link.desired === 0 && link.pending === null ? { ...link, desired: null } : link,
  );
  await updateRow(tx, row, { admins_read_at: now });
}

interface Looked {
  readonly row: ResourceRow;
  readonly detector: Detector;
  readonly observation: Exclude<Observation, { readonly kind: 'could-not-look' }>;
}

/**
 * Stores what a look has shown, and what differs. An unmanaged resource that is gone is forgotten. Returns the new
 * drifts; undefined: it was written since it was read, or a worker has it, and nothing can be said.
 */
async function storeLooked(
  tx: Db,
  { policy, clock }: ReadDeps,
  { row, detector, observation }: Looked,
): Promise<DriftRow[] | undefined> {
  const locked = await lockRow(tx, row);
  if (locked === undefined || !isUnchanged(locked, row)) return undefined;
  const now = clock.now();
  if (observation.kind === 'seen') await observation.store(tx, locked);
  else await noteGone(tx, row, now);
  const fresh = (await lockRow(tx, row)) ?? locked;
  if (isBusy(fresh)) return undefined;
  const differences = await listDifferences(tx, fresh, policy.deactivation);
  const changes = compareWithKnown(differences, await listKnown(tx, [row.id]));
  const found = await storeDriftChanges(tx, changes, { detector, now });
  if (observation.kind === 'gone' && row.origin === null) await endObserved(tx, fresh, now);
  return found;
}

/** Effect of one comparison on the known drifts, with the new differences that have to be confirmed. */
export interface DriftChanges {
  readonly confirmed: readonly Confirmed[];
  readonly gone: readonly DriftRow[];
  readonly fresh: readonly Difference[];
}

interface Confirmed {
  readonly row: DriftRow;
  readonly difference: Difference;
}

/** Drifts that are known of resources, and changes that a plan holds back: such a difference is no drift. */
type KnownDifferences = Awaited<ReturnType<typeof listKnown>>;

/** Lists what is known of these users or groups. */
export async function listKnown(db: Db, ids: readonly string[]) {
  return { drifts: await listActiveDrifts(db, ids), held: await listHeldChanges(db, ids) };
}

/** Separates known drifts from new differences; a drift under repair is left to its repair. Pure. */
export function compareWithKnown(
  differences: readonly Difference[],
  { drifts, held }: KnownDifferences,
): DriftChanges {
  const isHeld = ({ kind, memberId }: Difference) =>
    held.some((one) => one.kind === findRepair(kind) && one.member_id === memberId);
  const byKey = new Map(
    differences.filter((one) => !isHeld(one)).map((one) => [toDifferenceKey(one), one]),
  );
  // Nothing else is known of what is not there.
  const isMissing = differences.some(({ kind }) => kind.endsWith('.missing'));
  const confirmed: Confirmed[] = [];
  const gone: DriftRow[] = [];
  for (const row of drifts) {
    const key = toDifferenceKey({ kind: row.kind, memberId: row.member_id });
    const difference = byKey.get(key);
    byKey.delete(key);
    if (row.status === 'repairing') continue;
    if (difference !== undefined) confirmed.push({ row, difference });
    else if (!isMissing) gone.push(row);
  }
  return { confirmed, gone, fresh: [...byKey.values()] };
}

/** Stores the changes of known drifts, and the new drifts that were seen twice; returns the new ones. */
export async function storeDriftChanges(
  tx: Db,
  { confirmed, gone, fresh }: DriftChanges,
  finding: Finding,
): Promise<DriftRow[]> {
  const { now } = finding;
  const same = confirmed.filter(isSame).map(({ row }) => row);
  await changeDrifts(tx, same, { last_seen_at: now });
  for (const { row, difference } of confirmed.filter((seen) => !isSame(seen))) {
    const desired = JSON.stringify(difference.desired);
    const observed = JSON.stringify(difference.observed);
    await changeDrifts(tx, [row], { desired, observed, last_seen_at: now });
  }
  await changeDrifts(tx, gone, { status: 'gone', ended_at: now });
  return insertDrifts(tx, fresh, finding);
}

/** True for a known drift whose values are still the same. */
export function isSame({ row, difference: { desired, observed } }: Confirmed): boolean {
  return row.desired === JSON.stringify(desired) && row.observed === JSON.stringify(observed);
}
