import type { Detector, Difference, DriftKind } from '../../domain/change.ts';
import { findRepair, holdsMore, toChangeKey } from '../../domain/change.ts';
import type { ResourceKey } from '../../domain/values.ts';
import { BridgeError, keyText } from '../../domain/values.ts';
import type { DriftRow } from '../../store/drifts.ts';
import { changeDrifts, insertDrifts, listActiveDrifts, toRepair } from '../../store/drifts.ts';
import { listHeldChanges } from '../../store/plans.ts';
import type { GroupRow, ResourceRow, UserRow } from '../../store/resources/rows.ts';
import { deleteRow, findRow, lockRow, updateRow } from '../../store/resources/rows.ts';
import { isRoleUnknown, toGroupState, toUserState } from '../../store/resources/state.ts';
import type { Db } from '../../store/store.ts';
import { findOne, listWhere, updateWhere } from '../../store/tables.ts';
import type { ReconcileDeps } from '../deps.ts';
import type { Current } from '../differences.ts';
import {
  compareRow,
  findState,
  isBusy,
  isUnchanged,
  listDifferences,
  toLookAgainColumns,
} from '../differences.ts';
import { lookAtGroup, observeGroup } from '../group/apply.ts';
import { fetchList } from '../group/lists.ts';
import type { Known, Outcome } from '../outcome.ts';
import { classify, seenOr } from '../outcome.ts';
import { readManagedLists, storeSeen } from '../read/read-groups.ts';
import type { ReadRun } from '../read/reading.ts';
import { tryLook } from '../sections.ts';
import { withCalls } from '../step-call.ts';
import {
  findCompanyUser,
  lookAtUser,
  lookUpOwner,
  observeCompanyUser,
  toObservedColumns,
} from '../user/account.ts';

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
  const calls = { resource_id: row.id };
  const called = await findOne(store.read, 'own_calls', calls, { order: 'at desc' });
  // What the audit log tells is seen at once.
  const until = called && detector !== 'audit' ? called.at + policy.settleMs : 0;
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
    const current = await compareRow(tx, fresh, policy.deactivation);
    const seeing = { kind: 'seen', detector, isSure: isShown, now } as const;
    const { opened: drifts } = await recordDifferences(tx, current, seeing);
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
/** Shortest and longest wait, in milliseconds, before a failed look is made again: as long as its event is old. */
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
  const { upstream_id: id, desired } = state;
  const { appsPermissions, temporarilyInactive } = desired;
  const isOwned = appsPermissions !== undefined || temporarilyInactive !== undefined;
  const isListed = isOwned || deps.policy.deactivation === 'temporarilyInactive';
  if (!isListed || id === null) return looked;
  const found = await seenOr(findCompanyUser(deps, id, observed), undefined);
  const seen = found && observeCompanyUser(found, observed, deps.clock.now());
  return { kind: 'done', known: { observed: seen ?? observed } };
}

async function lookAtLists(deps: ReconcileDeps, row: GroupRow): Promise<Outcome> {
  const looked = await lookAtGroup(deps, toGroupState(row));
  if (looked.kind !== 'done' || looked.known.missing || isMoved(row, looked.known)) return looked;
  if (looked.known.group === undefined) return UNLINKED;
  const { known } = await readManagedLists(deps, row);
  return { kind: 'done', known: { ...looked.known, ...known } };
}

const UNLINKED: Outcome = { kind: 'later', problem: { code: 'not-found', words: '' } };

/** True for a group that was found under another id. */
function isMoved(row: GroupRow, { ids }: Known): boolean {
  return ids?.upstream_uid !== undefined && ids.upstream_uid !== row.upstream_uid;
}

/** Stores what a look has shown of a row that was not changed meanwhile. `now` is epoch milliseconds. */
async function observe(tx: Db, row: ResourceRow, known: Known, now: number): Promise<void> {
  if (known.missing) {
    const seen = row.observed;
    return seen === null ? undefined : updateRow(tx, row, { observed: { ...seen, goneAt: now } });
  }
  if (row.type === 'user') return updateRow(tx, row, toObservedColumns(row, known.observed));
  if (isMoved(row, known)) return updateRow(tx, row, toLookAgainColumns(row, now));
  return observeGroup(tx, row, known, { now });
}

/** Way in which differences are known. */
interface Seeing {
  /** `seen`: by a look or a list. `known`: as stored before, which confirms nothing; a repair ends by it alone. */
  readonly kind: 'seen' | 'known';
  /** What found new ones; undefined: they are not stored. */
  readonly detector: Detector | undefined;
  /** False for what stays as it is, because nothing certain is known of it. */
  readonly isSure: (kind: DriftKind, memberId: string) => boolean;
  /** Epoch milliseconds. */
  readonly now: number;
}

/** Brings the drifts of a user or group up to what differs now. Returns those that changed, new differences, and those that were stored. */
export async function recordDifferences(tx: Db, current: Current, seeing: Seeing) {
  const { detector, isSure, now } = seeing;
  const { id } = current.row;
  const differences = listDifferences(current);
  const news = differences.filter(({ kind, member_id }) => isSure(kind, member_id));
  const left = new Map(news.map((one) => [toChangeKey(one), one]));
  // Nothing else is known of what is not there.
  const isMissing = differences.some(({ kind }) => kind.endsWith('.missing'));
  const changed: DriftRow[] = [];
  for (const drift of await listActiveDrifts(tx, [id])) {
    const { kind, member_id } = drift;
    const key = toChangeKey(drift);
    const difference = left.get(key);
    left.delete(key);
    if (!isSure(kind, member_id) || (isMissing && difference === undefined)) continue;
    const next = toNext(current, drift, difference, seeing);
    if (next !== undefined) changed.push(...(await changeDrifts(tx, [drift], next)));
  }
  const held = left.size === 0 ? [] : await listHeldChanges(tx, [id]);
  const isHeld = ({ kind, member_id }: Difference) =>
    held.some((one) => one.kind === findRepair(kind) && one.member_id === member_id);
  // What a plan holds back is no drift.
  const fresh = [...left.values()].filter((one) => !isHeld(one));
  const opened = detector ? await insertDrifts(tx, fresh, { detector, now }) : [];
  return { changed, fresh, opened };
}

/** Finds what becomes of a drift; undefined: nothing is known of it. */
function toNext(
  current: Current,
  drift: DriftRow,
  difference: Difference | undefined,
  { kind, now }: Seeing,
): Partial<DriftRow> | undefined {
  const repair = toRepair(drift);
  const state = repair ? findState(current, repair) : 'over';
  if (drift.status === 'repairing') {
    if (kind === 'seen' || state === 'waits') return undefined;
    // A repair that did not hold: the next look decides anew.
    if (state === 'differs') return { status: 'open', plan_id: null };
    return { status: state === 'over' ? 'repaired' : 'gone', ended_at: now };
  }
  if (difference === undefined)
    return state === 'waits' ? undefined : { status: 'gone', ended_at: now };
  if (kind === 'known') return undefined;
  const { desired, observed } = difference;
  const seen = { desired, observed, last_seen_at: now };
  // What is ignored is left alone up to what it was then.
  const isMore = holdsMore({ ...difference, desired: drift.observed });
  const isNews = drift.status === 'ignored' && isMore;
  return isNews ? { ...seen, status: 'open', ignored_until: null } : seen;
}

/** Wait of one request: its remaining time in milliseconds, and its class. */
export interface BoundedWait {
  readonly waitMs: number;
  readonly class: 'remove' | 'change';
}

/**
 * Reads what no list showed before a provider takes an account or group: an owner's account, and a group with admins, is
 * privileged. What was written meanwhile stays unknown. @throws BridgeError `could-not-look`
 */
export async function readPrivilege(
  deps: ReconcileDeps,
  key: ResourceKey,
  { waitMs, class: callClass }: BoundedWait,
): Promise<void> {
  const row = await findRow(deps.store.read, key);
  if (row === undefined || row.deleted_at !== null) return;
  const about = row.type === 'user' ? 'the role of the account' : 'the admins of the group';
  const [answered, late] = [new AbortController(), new AbortController()];
  deps.clock.sleep(waitMs, answered.signal).then(
    () => late.abort(),
    () => undefined,
  );
  const calls = withCalls(deps, { class: callClass, key: keyText(key), signal: late.signal });
  try {
    await (row.type === 'user' ? readRole(calls, row) : readAdmins(calls, row));
  } catch (cause) {
    const message = `${about} could not be read (${classify(cause).problem.code})`;
    throw new BridgeError('could-not-look', message, { cause });
  } finally {
    answered.abort();
  }
}

async function readRole(deps: ReconcileDeps, row: UserRow): Promise<void> {
  const { upstream_id: id, observed } = row;
  if (id === null || !isRoleUnknown(row)) return;
  const owner = await lookUpOwner(deps, id, observed ?? undefined);
  await deps.store.write(async (tx) => {
    const locked = await lockRow(tx, row);
    const known = locked && isRoleUnknown(locked) ? locked.observed : null;
    if (known === null || locked?.upstream_id !== id) return;
    await updateRow(tx, locked, toObservedColumns(locked, { ...known, owner }));
  });
}

async function readAdmins(deps: ReconcileDeps, row: GroupRow): Promise<void> {
  const sentAt = deps.clock.now();
  const known = await lookAtAdmins(deps, row);
  await deps.store.write(async (tx) => {
    const locked = await lockRow(tx, row);
    const now = deps.clock.now();
    // Another request that asked for the same list, or a sweep, was faster.
    if (locked === undefined || (locked.admins_read_at ?? 0) >= sentAt) return;
    if (!known.missing) return storeSeen(tx, locked, known, { sentAt, now });
    if (locked.origin === null) await deleteRow(tx, locked, now);
  });
}

async function lookAtAdmins(deps: ReconcileDeps, row: GroupRow): Promise<Known> {
  const { upstream_uid: uid } = row;
  const listed = uid && (await seenOr(fetchList(deps, uid, 'admins'), undefined, 'missing'));
  if (listed) return listed;
  // A list may have shown the group while it went.
  const looked = await lookAtGroup(deps, toGroupState(row));
  if (looked.kind === 'done' && looked.known.missing) return looked.known;
  throw new BridgeError('could-not-look', 'the service does not show the admins of the group');
}
