import { isWaiting } from '../../domain/cell.ts';
import type { Detector, DriftKind } from '../../domain/drift.ts';
import { listEntityFields, seeEntities } from '../../domain/entity.ts';
import { BridgeError } from '../../domain/errors.ts';
import type { GroupField } from '../../domain/group.ts';
import type { Deactivation } from '../../domain/user.ts';
import { findNewestCallAt } from '../../store/audit/own-calls.ts';
import type { DriftRow } from '../../store/drifts.ts';
import { parseCells } from '../../store/engine/columns.ts';
import { readParts } from '../../store/engine/dialect.ts';
import { changeLinks, observeLinks } from '../../store/links/links.ts';
import {
  endObserved,
  type GroupRow,
  listGroupsWith,
  lockRow,
  type ResourceRow,
  type UserRow,
  updateRow,
} from '../../store/resources/rows.ts';
import {
  toGroupState,
  toObservation,
  toObservedGroup,
  toUserState,
} from '../../store/resources/state.ts';
import type { Db } from '../../store/store.ts';
import { isBusy, isUnchanged, listDifferences } from '../differences.ts';
import { lookAtGroup, lookUpAdminIds, lookUpEntities } from '../group/look.ts';
import { toLookAgainColumns } from '../mark-to-look.ts';
import { decideMerge } from '../merge-decision.ts';
import { saveMembers } from '../read/group-entries.ts';
import type { ReadDeps, ReadRun } from '../read/reading.ts';
import { observeCompanyUser } from '../read/user-entries.ts';
import { findOwnAccount } from '../sections.ts';
import { withCalls } from '../step-call.ts';
import { lookAtUser } from '../user/apply.ts';
import { findCompanyUser, toObservedColumns, toSearchText } from '../user/observe.ts';
import { seenOr } from '../verdict.ts';
import { compareWithKnown, listKnown, storeDriftChanges } from './known-drifts.ts';

/** Look at one list of a group: its class, and its time, queue included, in milliseconds. */
const LIST_LOOK = { class: 'look', waitMs: 60_000 } as const;

/**
 * Part that a look at one resource reads.
 * - `ordinary`: state and name, and the members of a group
 * - `companyUser`: licence and suspension of a user
 */
export type LookPart = 'ordinary' | 'companyUser' | 'admins' | 'entities';

/** Lists the parts in which drift of these kinds can be seen. */
export function listPartsOf(kinds: readonly DriftKind[], deactivation: Deactivation): LookPart[] {
  const isSuspension = deactivation === 'temporarilyInactive';
  const ofCompany = isSuspension ? /^user\.(access|deactivated|activated)$/ : /^user\.access$/;
  const has = (pattern: RegExp) => kinds.some((kind) => pattern.test(kind));
  const parts: LookPart[] = ['ordinary'];
  if (has(ofCompany)) parts.push('companyUser');
  if (has(/^admin\./)) parts.push('admins');
  if (has(/^entity\./)) parts.push('entities');
  return parts;
}

/** Lists the managed parts of a user or group; the admins of a group are read by sweeps, which may take more calls. */
export function listManagedParts(row: ResourceRow, deactivation: Deactivation): LookPart[] {
  if (row.type === 'group') {
    return listEntityFields(parseCells(row)).length > 0 ? ['ordinary', 'entities'] : ['ordinary'];
  }
  const { appsPermissions, temporarilyInactive } = toUserState(row).desired;
  const isOwned = appsPermissions !== undefined || temporarilyInactive !== undefined;
  const isOfCompany = isOwned || deactivation === 'temporarilyInactive';
  return isOfCompany ? ['ordinary', 'companyUser'] : ['ordinary'];
}

interface Looking {
  readonly deps: ReadDeps;
  readonly signal: AbortSignal;
}

/** A look at one user or group. */
export interface Look {
  readonly parts: readonly LookPart[];
  readonly detector: Detector;
}

/** Result of a look that was compared; `found` are the new drifts, undefined: it was written meanwhile. */
export type Inspected =
  | { readonly kind: 'seen' | 'gone'; readonly found: readonly DriftRow[] | undefined }
  | { readonly kind: 'could-not-look'; readonly reason: string };

/**
 * Looks at one user or group, and stores what was seen and what differs. An unmanaged resource that is gone is forgotten.
 * Nothing is stored of one that was written since it was read, or that a worker has.
 */
export async function inspect(
  looking: Looking,
  row: ResourceRow,
  { parts, detector }: Look,
): Promise<Inspected> {
  const { store, clock, policy } = looking.deps;
  const observation = await observe(looking, row, parts);
  if (observation.kind === 'could-not-look') return observation;
  const found = await store.write(async (tx) => {
    const locked = await lockRow(tx, row);
    if (locked === undefined || !isUnchanged(locked, row)) return undefined;
    const now = clock.now();
    if (observation.kind === 'seen') await observation.store(tx, locked);
    else if (locked.observed !== null) {
      const observed = JSON.stringify({ ...toObservation(locked), goneAt: now });
      await updateRow(tx, row, { observed });
    }
    const fresh = (await lockRow(tx, row)) ?? locked;
    if (isBusy(fresh)) return undefined;
    const differences = await listDifferences(tx, fresh, policy.deactivation);
    const changes = compareWithKnown(differences, await listKnown(tx, [row.id]));
    const opened = await storeDriftChanges(tx, changes, { detector, now });
    if (observation.kind === 'gone' && row.origin === null) await endObserved(tx, fresh, now);
    return opened;
  });
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
function observe(
  looking: Looking,
  row: ResourceRow,
  parts: readonly LookPart[],
): Promise<Observation> {
  if (row.type === 'user') return lookAtUserAgain(looking, row, parts);
  return lookAtGroupAgain(looking, row, parts);
}

async function lookAtUserAgain(
  { deps, signal }: Looking,
  row: UserRow,
  parts: readonly LookPart[],
): Promise<Observation> {
  const state = toUserState(row);
  const looking = withCalls(deps, { class: 'look', key: `user:${row.id}`, signal });
  const { upstreamId } = state;
  let { observed } = state;
  if (parts.includes('ordinary')) {
    const outcome = await lookAtUser(looking, state);
    if (outcome.kind !== 'done') return toUnknown(outcome.problem.code);
    if (outcome.known.missing) return { kind: 'gone' };
    observed = outcome.known.observed;
  }
  if (observed === undefined) return toUnknown('not-found');
  if (parts.includes('companyUser')) {
    const text = toSearchText(observed);
    const finding = upstreamId !== undefined && findCompanyUser(looking, { upstreamId, text });
    const found = finding && (await seenOr(finding, undefined));
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
  parts: readonly LookPart[],
): Promise<Observation> {
  const looking = withCalls(deps, { class: 'look', key: `group:${row.id}`, signal });
  const outcome = parts.includes('ordinary')
    ? await lookAtGroup(looking, toGroupState(row))
    : ({ kind: 'done', known: {} } as const);
  if (outcome.kind !== 'done') return toUnknown(outcome.problem.code);
  const { missing, ids, group: observed, memberIds } = outcome.known;
  if (missing) return { kind: 'gone' };
  if (ids?.uid !== undefined && ids.uid !== row.upstream_uid) {
    const look = (locked: ResourceRow) => toLookAgainColumns(locked, deps.clock.now());
    return { kind: 'seen', store: (tx, locked) => updateRow(tx, locked, look(locked)) };
  }
  if (parts.includes('ordinary') && observed === undefined) return toUnknown('not-found');
  const look = <T>(part: LookPart, up: (...args: [ReadDeps, GroupRow, typeof LIST_LOOK]) => T) =>
    parts.includes(part) ? up(deps, row, LIST_LOOK) : undefined;
  try {
    const admins = await look('admins', lookUpAdminIds);
    const entities = await look('entities', lookUpEntities);
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
        if (entities === undefined) return;
        const cells = seeEntities(parseCells<GroupField>(locked), entities);
        const columns = { entities: JSON.stringify(entities), cells: JSON.stringify(cells) };
        await updateRow(tx, locked, columns);
      },
    };
  } catch (error) {
    if (!(error instanceof BridgeError)) throw error;
    return toUnknown(error.code);
  }
}

/** Groups of one read of the store. */
const PART = 200;

/**
 * Reads the admins and entities of every group in which they are managed, one call each, and returns which of them could
 * not be read of some groups: that says nothing of these groups. One that was changed meanwhile is read the next time, and a
 * group that the read did not show is looked for by itself.
 */
export async function readGroupLists(run: ReadRun): Promise<ReadonlySet<string>> {
  const { deps, reading, signal } = run;
  const { read, write } = deps.store;
  const unread = new Set<string>();
  for (const name of ['admins', 'entities'] as const) {
    for await (const rows of readParts(PART, (part) => listGroupsWith(read, name, part))) {
      for (const row of rows.filter((one) => reading.isSeen(one))) {
        signal.throwIfAborted();
        const askedAt = deps.clock.now();
        const observation = await observe(run, row, [name]);
        if (observation.kind !== 'seen') unread.add(name);
        else {
          await write(async (tx) => {
            const locked = await lockRow(tx, row);
            const isNews = locked && decideMerge(locked, askedAt) === 'merge';
            if (isNews) await observation.store(tx, locked);
          });
        }
      }
    }
  }
  return unread;
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
    link.desired === 0 && !isWaiting(link) ? { ...link, desired: null } : link,
  );
  await updateRow(tx, row, { admins_read_at: now });
}
