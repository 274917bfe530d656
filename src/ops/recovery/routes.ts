import { setImmediate as nextTurn } from 'node:timers/promises';
import { listFoldedEmails } from '../../domain/address.ts';
import type { Cell } from '../../domain/cell.ts';
import { isWaiting } from '../../domain/cell.ts';
import type { ChangeKind } from '../../domain/change.ts';
import { findWantedRoles, listEntityFields } from '../../domain/entity.ts';
import type { Deactivation } from '../../domain/kinds.ts';
import { listFieldChanges } from '../../domain/plan.ts';
import { findRecovery } from '../../reconcile/repair/recovery.ts';
import type { WaitingCount } from '../../store/resources/find.ts';
import { countWaitingLinks, findExisting } from '../../store/resources/find.ts';
import type { ResourceRow } from '../../store/resources/rows.ts';
import { toState } from '../../store/resources/state.ts';
import { listWhere } from '../../store/tables.ts';
import { listPrivileges } from '../drift/drifts.ts';
import type { Filters, ListQuery } from '../http/list-query.ts';
import { OLDEST, parseCursor } from '../http/list-query.ts';
import { ok, route } from '../http/route.ts';
import { FIRST_RUN } from '../lists/tables.ts';
import type { OpsJson } from '../schemas/schemas.ts';
import { toView } from '../schemas/schemas.ts';
import type { OpsSources } from '../sources.ts';
import { readSeats } from '../state/routes.ts';

/** Requests about the first run and recovery; their plans are decided like any other. */
export const recoveryRoutes = [
  route(FIRST_RUN, async (sources, { query }) => ok(await readFirstRun(sources, query))),
  route(
    { path: '/recovery', summary: 'Where recovery stands.', answers: { 200: 'Recovery' } },
    async (sources) => ok(await readRecovery(sources)),
  ),
] as const;

/** One page of the preview of the first run; the first counts to the end. @throws InvalidRequest for a wrong cursor */
async function readFirstRun(sources: OpsSources, { limit, cursor }: ListQuery<Filters>) {
  const items: OpsJson<'FirstRunItem'>[] = [];
  const counts: Record<string, number> = {};
  const kinds: Record<string, number> = {};
  const seats = { needs: 0, frees: 0 };
  let [last = OLDEST] = parseCursor(cursor);
  let hasMore = false;
  for await (const { item, seat, seq } of walk(sources, last)) {
    for (const { kind, count } of item.changes) add(kinds, kind, count);
    add(counts, `${item.type}.${item.outcome}`, 1);
    if (seat !== undefined) seats[seat] += 1;
    hasMore = items.length === limit;
    if (hasMore && cursor !== undefined) break;
    if (hasMore) continue;
    items.push(item);
    last = seq;
  }
  const page = { ...(await findPhase(sources)), items, nextCursor: hasMore ? String(last) : null };
  if (cursor !== undefined) return { ...page, counts: null, kinds: null, seats: null };
  const { free: has } = await readSeats(sources);
  return { ...page, counts, kinds, seats: { ...seats, has } };
}

async function findPhase(sources: OpsSources) {
  const { reason, planId } = await readRecovery(sources);
  if (sources.writes().mode === 'observe') return { phase: 'observing', planId: null } as const;
  if (reason?.code === 'first-run') return { phase: 'waiting', planId } as const;
  return { phase: 'none', planId: null } as const;
}

function add(sums: Record<string, number>, name: string, count: number): void {
  sums[name] = (sums[name] ?? 0) + count;
}

async function readRecovery({ store, leadership }: OpsSources): Promise<OpsJson<'Recovery'>> {
  const { detection, reading } = leadership.news();
  const state = await findRecovery(store.read);
  const none = { phase: 'none', since: null, reason: null, planId: null } as const;
  const progress = state?.phase === 'reading' ? reading : null;
  return toView('Recovery', { detection, ...(state ?? none), reading: progress }, {});
}

/** Rows that are classified in one turn of the event loop. */
const NEXT = { order: 'seq', limit: 100 } as const;

/** Classifies users and groups in order of creation, each with its change of the seats that are taken. */
async function* walk({ store: { read: db }, rules }: OpsSources, after: number) {
  // Between the parts others have their turn.
  for (let from: number | undefined = after; from !== undefined; await nextTurn()) {
    const next = { seq: { '>': from } };
    const rows: ResourceRow[] = await listWhere(db, 'resources', next, NEXT);
    const { user: users = [], group: groups = [] } = Object.groupBy(rows, ({ type }) => type);
    const existing = {
      user: await findExisting(db, 'user', users.flatMap(listNames)),
      group: await findExisting(db, 'group', groups.flatMap(listNames)),
    };
    const observed = rows.filter(({ origin }) => origin === null).map(({ id }) => id);
    const privileges = await listPrivileges(db, rules, observed);
    const ids = rows.map(({ id }) => id);
    const waiting = await countWaitingLinks(db, ids);
    for (const row of rows) {
      const [match] = listNames(row).flatMap((name) => existing[row.type].get(name) ?? []);
      const item = classify(row, match, privileges.get(row.id));
      if (item === undefined) continue;
      // A user may take an account over.
      const takes = row.type === 'user' && match?.type === 'user';
      const shown = takes ? { ...row, observed: row.observed ?? match.observed } : row;
      const changes = listWaitingChanges(shown, waiting.get(row.id) ?? [], rules.deactivation);
      const seat = findSeatChange(row, match, item.outcome);
      yield { item: { ...item, changes }, seat, seq: row.seq };
    }
    from = rows.at(-1)?.seq;
  }
}

/** The names by which the service may have what a managed user or group would take over. */
function listNames(row: ResourceRow): string[] {
  if (row.origin === null) return [];
  if (row.type === 'group') return [row.name_folded];
  if (row.upstream_id !== null || row.deleted_at !== null) return [];
  return [row.name_folded, ...listFoldedEmails(row.attributes)];
}

/** Lists the changes of a user or group that wait. */
function listWaitingChanges(
  row: ResourceRow,
  links: readonly WaitingCount[],
  deactivation: Deactivation,
) {
  if (row.origin === null) return [];
  const { cells } = row;
  const isAsked = (cell: Cell | undefined) => isWaiting(cells.account) || isWaiting(cell);
  const own = listFieldChanges(toState(row), deactivation, isAsked);
  const entities = listEntityFields(cells).filter((field) => isWaiting(cells[field]));
  const removed = entities.filter((field) => findWantedRoles(cells[field]) === '').length;
  const counted: readonly { kind: ChangeKind; count: number }[] = [
    ...links,
    { kind: 'entity.remove', count: removed },
    { kind: 'entity.change', count: entities.length - removed },
  ];
  const some = counted.filter(({ count }) => count > 0);
  return [
    ...own.map((change) => ({ ...change, count: 1 })),
    ...some.map(({ kind, count }) => ({ kind, count, desired: null, observed: null })),
  ];
}

type Outcome = OpsJson<'FirstRunItem'>['outcome'];

/** Finds out if a user needs a seat of the service, or frees one; undefined: neither. */
function findSeatChange(
  row: ResourceRow,
  match: ResourceRow | undefined,
  outcome: Outcome,
): 'needs' | 'frees' | undefined {
  if (row.type === 'group' || outcome === 'privileged') return undefined;
  const takes = (row.upstream_id === null ? match : row)?.takes_seat === 1;
  const isWanted = row.active === 1 && outcome !== 'remove';
  if (takes === isWanted) return undefined;
  return isWanted ? 'needs' : 'frees';
}

/** Classifies a user or group; undefined: no provider asked for it, and nothing stands in the way. */
function classify(row: ResourceRow, match: ResourceRow | undefined, privilege: string | undefined) {
  const known = toUpstreamId(row);
  const upstreamId = known ?? (match ? toUpstreamId(match) : null);
  const to = (outcome: Outcome, reason: string | null = null) => ({
    type: row.type,
    id: row.id,
    name: row.name,
    outcome,
    upstreamId,
    reason,
  });
  if (row.origin === null) return privilege === undefined ? undefined : to('privileged', privilege);
  if (row.deleted_at !== null) return row.due_at === null ? undefined : to('remove');
  if (known !== null) return to(row.origin === 'adopted' ? 'adopt' : 'linked');
  if (match !== undefined) return to('adopt');
  return to(row.active === 1 ? 'create' : 'inactive');
}

function toUpstreamId({ upstream_uid, upstream_id, upstream_scim_id }: ResourceRow): string | null {
  const id = upstream_uid ?? upstream_id ?? upstream_scim_id;
  return id === null ? null : String(id);
}
