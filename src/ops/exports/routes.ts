import type { Application, RequestHandler } from 'express';
import express from 'express';
import { unknownProvider } from '../../access/credentials.ts';
import { isLinked } from '../../domain/kinds.ts';
import { DEFAULT_PROVIDER } from '../../domain/provider.ts';
import type { HandOver } from '../../reconcile/repair/decisions.ts';
import { isProvider } from '../../store/credentials.ts';
import { lockUntilCommit } from '../../store/engine/dialect.ts';
import { findHolders, findNames, insertFormerIds } from '../../store/resources/names.ts';
import type { ResourceRow } from '../../store/resources/rows.ts';
import { LIVE_MANAGED } from '../../store/resources/rows.ts';
import type { Db } from '../../store/store.ts';
import { whenClosed } from '../../telemetry/request-context.ts';
import { InvalidRequest, Problem } from '../http/body.ts';
import { ok, route } from '../http/route.ts';
import { CENSUS, HANDOVER, ID_IMPORT, LEAVING } from '../lists/exports.ts';
import type { OpsJson } from '../schemas/schemas.ts';
import type { OpsSources } from '../sources.ts';
import type { Matches } from './census.ts';
import { countBy, eachRow, findRepeated, matchEntries, takeCensus } from './census.ts';
import type { ExportEntry, IdsOf } from './read-entries.ts';
import { readEntries, refuseNothing } from './read-entries.ts';

const busy = new WeakSet<Application>();

/** Each file is kept in memory as a whole. */
const takeOneAtATime: RequestHandler = ({ app }, res, next) => {
  if (busy.has(app)) throw new Problem(429, 'too-many', 'Another file is being compared.');
  busy.add(app);
  whenClosed(res, () => busy.delete(app));
  next();
};

/** The readers of a file as it is, not compressed. */
const readers = [
  takeOneAtATime,
  express.raw({ type: () => true, inflate: false, limit: 100_000_000 }),
];

/** Requests with a provider's export. What only tells and changes nothing is no act. */
export const exportRoutes = [
  route({ ...CENSUS, readers }, async (sources, { query: { filters }, req }) => {
    const { provider = DEFAULT_PROVIDER } = filters;
    if (sources.leadership.news().firstRead)
      throw new Problem(503, 'could-not-look', 'The service is not read yet.');
    const reading = { idsOf: 'provider', providers: [provider] } as const;
    const entries = (await parseFile(sources, req, reading)) ?? refuseNothing();
    return { ...ok(await takeCensus(sources, entries, provider)), acts: [] };
  }),
  route({ ...HANDOVER, readers }, (sources, { params: { from }, query, req }) =>
    planHandover(sources, { from, how: 'keep', ...query.filters }, req),
  ),
  route(LEAVING, (sources, { params: { from }, query: { filters } }) =>
    planHandover(sources, { from, how: 'keep', to: DEFAULT_PROVIDER, ...filters }, {}),
  ),
  route({ ...ID_IMPORT, readers }, async (sources, { params: { provider }, query, req }) => {
    const { type = 'user', dryRun } = query.filters;
    const reading = { idsOf: 'server', providers: [provider] } as const;
    const entries = (await parseFile(sources, req, reading)) ?? refuseNothing();
    const sought = { type, provider, idAttribute: 'externalId' } as const;
    const matches = await matchEntries(sources.store.read, entries, sought);
    const isDryRun = dryRun === 'true';
    const find = (db: Db) => findImports(db, type, entries, matches);
    const items = await (isDryRun ? find(sources.store.read) : importIds(sources, sought, find));
    const counts = countBy(items, ({ outcome }) => outcome);
    const change = { after: { imported: counts.imported ?? 0 } };
    const acts = isDryRun ? [] : [{ target: provider, change }];
    return { ...ok({ provider, dryRun: isDryRun, counts, items }), acts };
  }),
] as const;

interface HandoverRequest {
  readonly from: string;
  readonly to?: string | undefined;
  readonly how: 'keep' | 'deactivate' | 'release';
  readonly dryRun?: 'true' | 'false' | undefined;
}

/** Plans that what belongs to a provider goes to another one, deactivated or not, or to none. @throws Problem, InvalidRequest */
async function planHandover(
  sources: OpsSources,
  { from, to, how, dryRun }: HandoverRequest,
  req: { readonly body?: unknown },
) {
  if (to === undefined || to === from)
    throw new InvalidRequest('`to` is the name of another provider.');
  const reading = { idsOf: 'provider', providers: [from, to] } as const;
  const entries = await parseFile(sources, req, reading);
  const { items, handovers } = await findHandovers(sources.store.read, { from, to, how }, entries);
  const shown = { from, to, counts: countBy(items, ({ outcome }) => outcome), items };
  if (dryRun === 'true' || handovers.length === 0)
    return { ...ok({ ...shown, planId: null, hash: null }), acts: [] };
  const goes = how === 'release' ? 'is released' : `goes to ${to}`;
  const reason = `what belongs to ${from} ${goes}${how === 'deactivate' ? ', deactivated' : ''}`;
  const { kind, plan } = await sources.drifts.handOver(handovers, reason);
  const { id: planId, hash } = plan;
  if (kind === 'waits') {
    const message = `Plan ${planId} hands over already: approve or discard it.`;
    throw new Problem(409, 'waits', message, { more: { plan: planId } });
  }
  const change = { after: { to, how, planId, handedOver: handovers.length } };
  return { ...ok({ ...shown, planId, hash }), acts: [{ target: from, change }] };
}

/** Parses the file of a request; undefined: there is none. @throws Problem for a provider that there is not; InvalidRequest */
async function parseFile(
  { store }: OpsSources,
  { body: file }: { readonly body?: unknown },
  { idsOf, providers }: { readonly idsOf: IdsOf; readonly providers: readonly string[] },
) {
  for (const name of providers) if (!(await isProvider(store.read, name))) throw unknownProvider();
  return file instanceof Uint8Array && file.length > 0 ? readEntries(file, idsOf) : undefined;
}

async function findHandovers(
  db: Db,
  leaving: HandoverRequest & { readonly to: string },
  entries: readonly ExportEntry[] | undefined,
) {
  const { from: provider } = leaving;
  const sought = { type: 'user', provider, idAttribute: 'formerExternalId' } as const;
  const matches = entries && (await matchEntries(db, entries, sought));
  // Two people under one id would be one to the other provider.
  const repeated = findRepeated(entries?.flatMap(({ texts }) => texts.externalId || []) ?? []);
  const items: OpsJson<'HandoverItem'>[] = [];
  const handovers: HandOver[] = [];
  for (const type of ['user', 'group'] as const) {
    for await (const row of eachRow(db, type, { provider, ...LIVE_MANAGED })) {
      const { id, name } = row;
      const found = matches && type === 'user' ? decide(matches.findOfId(id), repeated) : EVERYBODY;
      items.push({ type, id, name, ...found });
      if (found.outcome !== 'handed-over') continue;
      handovers.push(toHandOver(row, leaving, found.externalId));
    }
  }
  const strangers = matches?.strangers.filter(({ active }) => active !== false) ?? [];
  return { items: [...items, ...strangers.map(toStranger)], handovers };
}

function toHandOver(
  row: ResourceRow,
  { from, to, how }: HandoverRequest & { readonly to: string },
  externalId: string | null,
): HandOver {
  const { type, id, external_id, active } = row;
  // What the service does not have cannot be left to it.
  const provider = how === 'release' && isLinked(row) ? null : to;
  return {
    type,
    id,
    from: { provider: from, externalId: external_id },
    to: { provider, externalId },
    isDeactivated: how === 'deactivate' && type === 'user' && active === 1,
  };
}

type Outcome = Pick<OpsJson<'HandoverItem'>, 'outcome' | 'by' | 'row' | 'externalId'>;

/** Without a file nobody is compared, and the other provider is yet to give its ids. */
const EVERYBODY: Outcome = { outcome: 'handed-over', by: null, row: null, externalId: null };

function decide(found: ReturnType<Matches['findOfId']>, repeated: ReadonlySet<string>): Outcome {
  if (found === undefined) return { ...EVERYBODY, outcome: 'only-here' };
  if (found === 'unsure') return { ...EVERYBODY, outcome: 'ambiguous' };
  const { row, texts } = found.entry;
  const externalId = texts.externalId || null;
  const isOne = externalId === null || !repeated.has(externalId);
  return { outcome: isOne ? 'handed-over' : 'ambiguous', by: found.by, row, externalId };
}

function toStranger({ row, texts }: ExportEntry): OpsJson<'HandoverItem'> {
  const name = texts.userName || texts.email || null;
  const externalId = texts.externalId || null;
  return { type: 'user', id: null, name, outcome: 'only-file', by: null, row, externalId };
}

async function importIds(
  { store, clock, formerIds }: OpsSources,
  { type, provider }: { readonly type: 'user' | 'group'; readonly provider: string },
  find: (db: Db) => ReturnType<typeof findImports>,
) {
  const items = await store.write(async (tx) => {
    await lockUntilCommit(tx, 'former-ids');
    const found = await find(tx);
    const now = { resource_type: type, provider, created_at: clock.now() };
    const rows = found.flatMap(({ outcome, formerId: former_id, id }) =>
      outcome === 'imported' && id !== null ? [{ ...now, former_id, resource_id: id }] : [],
    );
    await insertFormerIds(tx, rows);
    return found;
  });
  // The others answer by them when they hear of it, whatever becomes of this process; this one at once.
  store.bell.ring('former-ids');
  await formerIds.refresh();
  return items;
}

/** Finds the outcome of each row as the store is now: an owner may be gone since, and an id taken. */
async function findImports(
  db: Db,
  type: 'user' | 'group',
  entries: readonly ExportEntry[],
  matches: Matches,
): Promise<OpsJson<'ImportItem'>[]> {
  const ids = entries.map(({ texts }) => texts.id ?? '');
  const repeated = findRepeated(ids);
  const holders = await findHolders(db, type, ids);
  const live = await findNames(
    db,
    matches.sure.map(({ id }) => id),
    type,
  );
  return entries.map((entry): OpsJson<'ImportItem'> => {
    const { id: formerId = '', userName, displayName, email } = entry.texts;
    const nobody = { id: null, name: userName || displayName || email || null };
    const item = { type, row: entry.row, formerId } as const;
    const match = matches.findOfEntry(entry);
    const isGone = match !== undefined && match !== 'unsure' && !live.has(match.id);
    if (match === undefined || isGone) return { ...item, ...nobody, outcome: 'only-file' };
    if (match === 'unsure' || repeated.has(formerId))
      return { ...item, ...nobody, outcome: 'ambiguous' };
    const { id, name } = match;
    const holder = holders.get(formerId);
    const outcome = holder === undefined ? 'imported' : holder === id ? 'known' : 'taken';
    return { ...item, id, name, outcome };
  });
}
