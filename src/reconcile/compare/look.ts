import { holdsMore, toChangeKey } from '../../domain/change.ts';
import type { Detector, Difference, DriftKind } from '../../domain/drift.ts';
import { findRepair } from '../../domain/drift.ts';
import { listEntityFields } from '../../domain/entity.ts';
import type { JsonValue } from '../../domain/values.ts';
import type { DriftRow, Finding } from '../../store/drifts.ts';
import { changeDrifts, insertDrifts, listActiveDrifts } from '../../store/drifts.ts';
import { parseCells, parseStored } from '../../store/engine/columns.ts';
import { readParts } from '../../store/engine/dialect.ts';
import { hasLink } from '../../store/links/links.ts';
import { findNewestCallAt } from '../../store/logs.ts';
import { listHeldChanges } from '../../store/plans.ts';
import type { GroupRow, ResourceRow, UserRow } from '../../store/resources/rows.ts';
import {
  deleteRow,
  findRow,
  listGroupsWith,
  lockRow,
  updateRow,
} from '../../store/resources/rows.ts';
import { toGroupState, toObservation, toUserState } from '../../store/resources/state.ts';
import type { Db } from '../../store/store.ts';
import { listWhere, updateWhere } from '../../store/tables.ts';
import type { ReconcileDeps } from '../deps.ts';
import {
  decideMerge,
  isBusy,
  isUnchanged,
  listDifferences,
  toLookAgainColumns,
} from '../differences.ts';
import { lookAtGroup, observeGroup } from '../group/apply.ts';
import { fetchList } from '../group/lists.ts';
import type { Known, Outcome } from '../outcome.ts';
import { seenOr } from '../outcome.ts';
import type { ReadRun } from '../read/reading.ts';
import { tryLook } from '../sections.ts';
import { withCalls } from '../step-call.ts';
import { lookAtUser } from '../user/account.ts';
import { findCompanyUser, observeCompanyUser, toObservedColumns } from '../user/observe.ts';

/** Result of a look. */
export type Looked =
  /** `drifts`: the new ones. */
  | {
      readonly kind: 'looked';
      /** Epoch milliseconds. */
      readonly at: number;
      readonly isGone: boolean;
      readonly drifts: readonly DriftRow[];
    }
  /** A worker has it, or looks at it next, or it was written meanwhile. */
  | { readonly kind: 'busy' }
  /** The bridge wrote it just now, and the service may show that late; epoch milliseconds. */
  | { readonly kind: 'just-written'; readonly until: number }
  | { readonly kind: 'could-not-look'; readonly reason: string };

/**
 * Looks at what is managed of one user or group, and stores what was seen and what differs, unless it was written since it
 * was read. Of what could not be read, what is known stays.
 */
export async function lookAt(
  { deps, signal }: Pick<ReadRun, 'deps' | 'signal'>,
  row: ResourceRow,
  detector: Detector,
): Promise<Looked> {
  const { store, clock, policy } = deps;
  if (isBusy(row)) return { kind: 'busy' };
  const at = clock.now();
  // What the audit log tells is seen at once.
  const calledAt = detector === 'audit' ? undefined : await findNewestCallAt(store.read, row.id);
  const until = calledAt === undefined ? 0 : calledAt + policy.settleMs;
  if (until > at) return { kind: 'just-written', until };
  const looking = withCalls(deps, { class: 'look', key: `${row.type}:${row.id}`, signal });
  const looked = await (row.type === 'user'
    ? tryLook(looking, 'users', () => lookAtAccount(looking, row))
    : tryLook(looking, 'groups', () => lookAtLists(looking, row)));
  if (looked.kind !== 'done') return { kind: 'could-not-look', reason: looked.problem.code };
  const { known } = looked;
  const isGone = known.missing === true;
  const isShown = (kind: DriftKind) => isShownBy(known, kind, { at, policy });
  const ended = await store.write(async (tx): Promise<Looked> => {
    const locked = await lockRow(tx, row);
    if (locked === undefined || !isUnchanged(locked, row)) return { kind: 'busy' };
    const now = clock.now();
    await observe(tx, locked, known, now);
    const fresh = (await lockRow(tx, row)) ?? locked;
    if (isBusy(fresh)) return { kind: 'busy' };
    const differences = await listDifferences(tx, fresh, policy.deactivation);
    const before = await listKnown(tx, [row.id]);
    const changes = compareWithKnown(row, { differences, known: before, isSure: isShown });
    const drifts = await storeDriftChanges(tx, changes, { detector, now });
    if (isGone && row.origin === null) await deleteRow(tx, fresh, now);
    return { kind: 'looked', at, isGone, drifts };
  });
  // A sweep counts what it finds.
  const told = ended.kind === 'looked' && detector !== 'sweep' ? ended.drifts : [];
  for (const { kind, id } of told) deps.events.driftFound({ kind, driftId: id });
  return ended;
}

/** Subjects of events that are looked at in one turn. */
const TURN_MAX = 50;
/** Bounds of the rest after a look that failed or was left to a worker: it rests as long as it has waited, in milliseconds. */
const REST_MS = { min: 1_000, max: 10 * 60_000 };

/** Looks at whom events name, once that is due. Returns true when a new drift was found. */
export async function lookAtNamed(deps: ReconcileDeps, signal: AbortSignal): Promise<boolean> {
  const { store, clock } = deps;
  const table = 'audit_event_subjects';
  const first = { order: 'look_at', limit: TURN_MAX } as const;
  const due = await listWhere(store.read, table, { look_at: { '<=': clock.now() } }, first);
  let hasFound = false;
  const subjects = new Map(due.map((one) => [one.subject, one]));
  for (const { subject, resource_type: type, at } of subjects.values()) {
    signal.throwIfAborted();
    // An event that comes during the look leads to another one.
    const named = await listWhere(store.read, table, { subject, look_at: { '<>': null } });
    const row = type && (await findRow(store.read, { type, id: subject }));
    const looked = row && (await lookAt({ deps, signal }, row, 'audit'));
    const now = clock.now();
    let look_at: number | null = null;
    if (looked?.kind === 'looked') hasFound ||= looked.drifts.length > 0;
    else if (looked) look_at = now + Math.min(Math.max(now - at, REST_MS.min), REST_MS.max);
    const event_id = named.map((one) => one.event_id);
    await store.write((tx) => updateWhere(tx, table, { subject, event_id }, { look_at }));
  }
  return hasFound;
}

/** True for drift of a kind that a look of this moment has shown. */
function isShownBy(
  { adminIds, entities, observed }: Known,
  kind: DriftKind,
  { at, policy }: { readonly at: number; readonly policy: ReconcileDeps['policy'] },
): boolean {
  if (kind.startsWith('admin.')) return adminIds !== undefined;
  if (kind.startsWith('entity.')) return entities !== undefined;
  const suspends = policy.deactivation === 'temporarilyInactive';
  const isOfList = suspends ? /^user\.(access|deactivated|activated)$/ : /^user\.access$/;
  return !isOfList.test(kind) || (observed?.listedAt ?? 0) >= at;
}

async function lookAtAccount(deps: ReconcileDeps, row: UserRow): Promise<Outcome> {
  const state = toUserState(row);
  const looked = await lookAtUser(deps, state);
  if (looked.kind !== 'done' || looked.known.missing) return looked;
  const { observed } = looked.known;
  if (observed === undefined) return UNLINKED;
  const { upstreamId, desired } = state;
  const { appsPermissions, temporarilyInactive } = desired;
  const isOwned = appsPermissions !== undefined || temporarilyInactive !== undefined;
  const isListed = isOwned || deps.policy.deactivation === 'temporarilyInactive';
  if (!isListed || upstreamId === undefined) return looked;
  const found = await seenOr(findCompanyUser(deps, upstreamId, observed), undefined);
  const seen = found && observeCompanyUser(found, observed, deps.clock.now());
  return { kind: 'done', known: { observed: seen ?? observed } };
}

async function lookAtLists(deps: ReconcileDeps, row: GroupRow): Promise<Outcome> {
  const looked = await lookAtGroup(deps, toGroupState(row));
  if (looked.kind !== 'done' || looked.known.missing || isMoved(row, looked.known)) return looked;
  if (looked.known.group === undefined) return UNLINKED;
  const { read } = deps.store;
  const hasAdmins = row.admins_asked === 1 || (await hasLink(read, row, 'administered'));
  const admins = hasAdmins ? await readList(deps, row, 'admins') : {};
  const hasEntities = listEntityFields(parseCells(row)).length > 0;
  const entities = hasEntities ? await readList(deps, row, 'entities') : {};
  return { kind: 'done', known: { ...looked.known, ...admins, ...entities } };
}

/** Reads a list of a group; undefined: the service does not show it. */
async function readList(
  deps: ReconcileDeps,
  { upstream_uid: uid }: GroupRow,
  list: 'admins' | 'entities',
): Promise<Pick<Known, 'adminIds' | 'entities'> | undefined> {
  return uid === null ? undefined : seenOr(fetchList(deps, uid, list), undefined);
}

const UNLINKED: Outcome = { kind: 'later', problem: { code: 'not-found', words: '' } };

/** True for a group that was found under another id. */
function isMoved(row: GroupRow, { ids }: Known): boolean {
  return ids?.uid !== undefined && ids.uid !== row.upstream_uid;
}

/** Stores what a look has shown of a row that was not changed meanwhile. `now` is epoch milliseconds. */
async function observe(tx: Db, row: ResourceRow, known: Known, now: number): Promise<void> {
  if (known.missing) {
    const observed = JSON.stringify({ ...toObservation(row), goneAt: now });
    return row.observed === null ? undefined : updateRow(tx, row, { observed });
  }
  if (row.type === 'user') return updateRow(tx, row, toObservedColumns(row, known.observed));
  if (isMoved(row, known)) return updateRow(tx, row, toLookAgainColumns(row, now));
  return observeGroup(tx, row, known, now);
}

/** Effect of a comparison on the drifts of a user or group. */
export interface DriftChanges {
  /** Drifts that were seen again as they were, and those with other values. */
  readonly same: readonly DriftRow[];
  readonly other: readonly { readonly row: DriftRow; readonly difference: Difference }[];
  readonly gone: readonly DriftRow[];
  readonly fresh: readonly Difference[];
}

/** Drifts that are known of resources, and changes that a plan holds back: such a difference is no drift. */
export type KnownDifferences = Awaited<ReturnType<typeof listKnown>>;

/** Lists what is known of these users or groups. */
export async function listKnown(db: Db, ids: readonly string[]) {
  return { drifts: await listActiveDrifts(db, ids), held: await listHeldChanges(db, ids) };
}

interface Comparing {
  readonly differences: readonly Difference[];
  readonly known: KnownDifferences;
  readonly isSure: (kind: DriftKind, memberId: string) => boolean;
}

/**
 * Compares what differs of one user or group with what is known of it; a drift under repair is left to its repair, and
 * what is not sure as it is. Pure.
 */
export function compareWithKnown(
  { id }: ResourceRow,
  { differences, known: { drifts, held }, isSure }: Comparing,
): DriftChanges {
  const isHeld = ({ kind, memberId }: Difference) =>
    held.some(
      (one) =>
        one.resource_id === id && one.kind === findRepair(kind) && one.member_id === memberId,
    );
  const isNews = (one: Difference) => isSure(one.kind, one.memberId) && !isHeld(one);
  const fresh = new Map(differences.filter(isNews).map((one) => [toChangeKey(one), one]));
  // Nothing else is known of what is not there.
  const isMissing = differences.some(({ kind }) => kind.endsWith('.missing'));
  const same: DriftRow[] = [];
  const gone: DriftRow[] = [];
  const other: DriftChanges['other'][number][] = [];
  for (const row of drifts.filter((one) => one.resource_id === id)) {
    const key = toChangeKey({ kind: row.kind, memberId: row.member_id });
    const difference = fresh.get(key);
    fresh.delete(key);
    if (row.status === 'repairing' || !isSure(row.kind, row.member_id)) continue;
    if (difference === undefined) gone.push(...(isMissing ? [] : [row]));
    else if (isSame(row, difference)) same.push(row);
    else other.push({ row, difference });
  }
  return { same, other, gone, fresh: [...fresh.values()] };
}

function isSame(row: DriftRow, { desired, observed }: Difference): boolean {
  return row.desired === JSON.stringify(desired) && row.observed === JSON.stringify(observed);
}

/** Stores the changes of known drifts, and the new drifts that were seen twice; returns the new ones. */
export async function storeDriftChanges(
  tx: Db,
  { same, other, gone, fresh }: DriftChanges,
  finding: Finding,
): Promise<DriftRow[]> {
  const { now } = finding;
  await changeDrifts(tx, same, { last_seen_at: now });
  for (const { row, difference } of other) {
    const desired = JSON.stringify(difference.desired);
    const observed = JSON.stringify(difference.observed);
    // What is ignored is left alone up to what it was then.
    const isMore = holdsMore({ ...difference, desired: parseStored<JsonValue>(row.observed) });
    if (row.status === 'ignored' && isMore)
      await changeDrifts(tx, [row], { status: 'open', ignored_until: null });
    await changeDrifts(tx, [row], { desired, observed, last_seen_at: now });
  }
  await changeDrifts(tx, gone, { status: 'gone', ended_at: now });
  return insertDrifts(tx, fresh, finding);
}

/** Groups of one read of the store. */
const PART = 200;

/** Reads managed admins and entities of the groups that were seen. Returns which could not be read of some groups. */
export async function readGroupLists({ deps, reading, signal }: ReadRun) {
  const { read, write } = deps.store;
  const unread = new Set<string>();
  for (const name of ['admins', 'entities'] as const) {
    for await (const rows of readParts(PART, (part) => listGroupsWith(read, name, part))) {
      for (const row of rows.filter((one) => reading.isSeen(one))) {
        signal.throwIfAborted();
        const askedAt = deps.clock.now();
        const looking = withCalls(deps, { class: 'look', key: `group:${row.id}`, signal });
        const seen = await readList(looking, row, name);
        if (seen === undefined) unread.add(name);
        else {
          await write(async (tx) => {
            const locked = await lockRow(tx, row);
            const isNews = locked && decideMerge(locked, askedAt) === 'merge';
            if (isNews) await observeGroup(tx, locked, seen, deps.clock.now());
          });
        }
      }
    }
  }
  return unread;
}
