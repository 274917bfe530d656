import { ACTIVE_STATUSES, type DRIFT_KINDS } from '../../domain/drift.ts';
import type { JsonValue } from '../../domain/json.ts';
import { type Author, findDriftAuthors } from '../../reconcile/audit/find-author.ts';
import type { ReadProgress } from '../../reconcile/read/reading.ts';
import { type DriftView, listDriftViews } from '../../store/drifts.ts';
import { parseStored } from '../../store/engine/columns.ts';
import { findRow, listRows } from '../../store/resources/rows.ts';
import type { Db } from '../../store/store.ts';
import { findOne, listNewest, type Row } from '../../store/tables.ts';
import {
  type ListAnswer,
  type ListQuery,
  NEWEST,
  OLDEST,
  type PartQuery,
  parseSeq,
  readPage,
} from '../http/list-query.ts';
import { listRoute, ok, problem, route } from '../http/route.ts';
import { toMoment, toView } from '../http/view.ts';
import { SWEEP } from '../lists/acts.ts';
import { type DRIFT_FILTERS, DRIFTS, UNMANAGED } from '../lists/drifts.ts';
import { toReadingView } from '../recovery/routes.ts';
import type { OpsJson } from '../schemas/schemas.ts';
import type { OpsSources } from '../sources.ts';

/** A drift with its author; undefined: the audit log does not say. */
type AuthoredDrift = DriftView & { readonly author: Author | undefined };

/** Requests about sweeps, and the list of what they found. */
export const sweepRoutes = [
  route({
    ...SWEEP,
    async handle({ requestSweep }: OpsSources) {
      const id = await requestSweep();
      return { status: 202, json: { id }, target: id };
    },
  }),
  listRoute(
    {
      method: 'get',
      path: '/sweeps',
      tag: 'Sweeps and drift',
      summary: 'Sweeps, the newest first.',
      filters: {},
      answers: { 200: 'SweepList' },
    },
    ({ store }: OpsSources, _filters, part) => listNewest(store.read, 'sweeps', {}, part),
    (row, { findReading }) => toSweepView(row, findReading()),
  ),
  route({
    method: 'get',
    path: '/sweeps/{id}',
    tag: 'Sweeps and drift',
    summary: 'One sweep.',
    answers: { 200: 'Sweep', 404: 'Problem' },
    async handle({ store: { read: db }, findReading }: OpsSources, { params }) {
      const row = await findOne(db, 'sweeps', { id: params.id });
      if (row !== undefined) return ok(toSweepView(row, findReading()));
      return problem(404, 'unknown-sweep', 'There is no sweep with this id.');
    },
  }),
  route({
    ...DRIFTS,
    handle: async ({ store: { read: db } }: OpsSources, { query }) =>
      ok(
        await readDrifts(db, true, query, (drifts) =>
          drifts.map((drift) => toView('Drift', drift, toDriftParts(drift))),
        ),
      ),
  }),
  route({
    ...UNMANAGED,
    handle: async (sources: OpsSources, { query }) =>
      ok(await readDrifts(sources.store.read, false, query, (some) => toUnmanaged(sources, some))),
  }),
] as const;

/** A page of the drifts of what is managed, or of what is not. */
function readDrifts<Item>(
  db: Db,
  isManaged: boolean,
  {
    filters,
    limit,
    cursor,
  }: ListQuery<typeof DRIFT_FILTERS & { readonly kind: typeof DRIFT_KINDS }>,
  toItems: (drifts: readonly AuthoredDrift[]) => Item[] | Promise<Item[]>,
): Promise<ListAnswer<Item>> {
  const { kind, status, order = 'newest', resource: resourceId, q: text } = filters;
  const isWord = status === 'active' || status === 'undecided';
  const statuses = isWord ? OF_WORD[status] : status && [status];
  const of = { isManaged, kind, statuses, order, resourceId, text };
  const from = parseSeq(cursor, order === 'newest' ? NEWEST : OLDEST);
  const read = async (part: PartQuery): Promise<AuthoredDrift[]> => {
    const drifts = await listDriftViews(db, { ...of, ...part });
    const authors = await findDriftAuthors(db, drifts);
    return drifts.map((drift, place) => ({ ...drift, author: authors[place] }));
  };
  return readPage({ limit, from }, read, toItems);
}

const OF_WORD = { active: ACTIVE_STATUSES, undecided: ['contested', 'open'] } as const;

/** Finds the newest sweep, which may run; null: there was none. */
export async function findLastSweep(
  db: Db,
  reading: ReadProgress | null,
): Promise<OpsJson<'Sweep'> | null> {
  const last = await findOne(db, 'sweeps', {}, { order: 'seq desc' });
  return last === undefined ? null : toSweepView(last, reading);
}

function toSweepView(row: Row<'sweeps'>, reading: ReadProgress | null): OpsJson<'Sweep'> {
  return toView('Sweep', row, {
    admins: row.reads_admins === 1,
    progress: row.status === 'running' ? toReadingView(reading) : null,
  });
}

/** The members of a drift that are named otherwise than in the store. */
function toDriftParts({ author, ...drift }: AuthoredDrift) {
  const { resource_type: type, resource_id: id, name, member_id, member_name, note } = drift;
  const until = toMoment(drift.ignored_until);
  return {
    resource: { type, id, name },
    member: member_id === '' ? null : { id: member_id, name: member_name },
    desired: parseStored<JsonValue>(drift.desired),
    observed: parseStored<JsonValue>(drift.observed),
    who: author ? toWho(author) : null,
    message: author?.message ?? null,
    firstSeen: toMoment(drift.first_seen_at),
    lastSeen: toMoment(drift.last_seen_at),
    note: note === null ? null : { text: note, by: drift.noted_by, until },
  };
}

function toWho({ authorId: id, username, address, at }: Author) {
  return { id, username, address, at: toMoment(at) };
}

async function toUnmanaged(
  { store: { read: db }, privileges }: OpsSources,
  drifts: readonly AuthoredDrift[],
): Promise<OpsJson<'Unmanaged'>[]> {
  const ids = drifts.map(({ resource_id }) => resource_id);
  const rows = await listRows(db, 'user', { id: ids });
  const reasons = new Map<string, string | undefined>(await privileges.listPrivileged(db, rows));
  for (const { resource_type: type, resource_id: id } of drifts) {
    const group = type === 'group' ? await findRow(db, { type, id }) : undefined;
    if (group) reasons.set(id, await privileges.findGroupPrivilege(db, group));
  }
  return drifts.map((drift) => {
    const privileged = reasons.get(drift.resource_id) ?? null;
    return toView('Unmanaged', drift, { ...toDriftParts(drift), privileged });
  });
}
