import type { HandoverOutcome } from '../../domain/handover.ts';
import type { HandOver } from '../../reconcile/repair/plans.ts';
import { isProvider } from '../../store/credentials/providers.ts';
import { LIVE_MANAGED, readRows } from '../../store/resources/rows.ts';
import { unknownProvider } from '../access/tokens.ts';
import type { Matches } from '../census/match.ts';
import { listPeople, matchAll, type Reading } from '../census/routes.ts';
import {
  type ExportEntry,
  parseColumnMap,
  refuseNothing,
  withEntries,
} from '../exports/read-entries.ts';
import { InvalidRequest } from '../http/body.ts';
import { ok, problem, route } from '../http/route.ts';
import type { OpsJson } from '../schemas/schemas.ts';
import type { OpsSources } from '../sources.ts';
import { importIds } from './import-ids.ts';

/** Requests that give people and groups to another provider. */
export const handoverRoutes = [
  route({
    method: 'post',
    path: '/providers/{id}/switch',
    tag: 'Providers',
    summary:
      'Plan that people and groups of this provider go to another one: everybody, or with a file of the other provider those whom it has. Nothing is changed before the plan is approved, and nothing in the service.',
    parameters: { to: 'text', map: 'text', dryRun: ['true', 'false'] },
    meanings: {
      to: 'The other provider.',
      map: '`column=attribute` with commas, as of a census.',
      dryRun: 'Tells, and makes no plan.',
    },
    file: 'text/csv',
    readers: [],
    answers: { 200: 'Handover', 404: 'Problem', 409: 'Problem', 429: 'Problem' },
    async handle(sources: OpsSources, { params: { id: from }, query: { filters }, req }) {
      const { to, map, dryRun } = filters;
      if (to === undefined || to === from)
        throw new InvalidRequest('to is the name of another provider.');
      const columns = parseColumnMap(map ?? '');
      const known = await Promise.all(
        [from, to].map((name) => isProvider(sources.store.read, name)),
      );
      if (known.includes(false)) return unknownProvider();
      const reading = { map: columns, idsOf: 'provider' } as const;
      return withEntries(sources, req, reading, (entries) =>
        answer(sources, { from, to, entries }, dryRun === 'true'),
      );
    },
  }),
  route({
    method: 'post',
    path: '/providers/{id}/import-ids',
    tag: 'Providers',
    summary:
      'Take the ids by which an earlier SCIM server knew people, or groups: the bridge answers by them too, so that the links of this provider go on working. A row that is not surely somebody, and an id that somebody else has, are left out.',
    parameters: { type: ['user', 'group'], map: 'text', dryRun: ['true', 'false'] },
    meanings: {
      type: 'What the file lists; `user` when left out.',
      map: '`column=attribute` with commas, as of a census.',
      dryRun: 'Tells, and imports nothing.',
    },
    file: 'text/csv',
    readers: [],
    answers: { 200: 'IdImport', 404: 'Problem', 429: 'Problem' },
    async handle(sources: OpsSources, { params, query: { filters }, req }) {
      const { id: provider } = params;
      const { type = 'user', map = '', dryRun } = filters;
      const columns = parseColumnMap(map);
      if (!(await isProvider(sources.store.read, provider))) return unknownProvider();
      const reading = { map: columns, idsOf: 'server' } as const;
      return withEntries(sources, req, reading, async (entries = refuseNothing()) => {
        const isDryRun = dryRun === 'true';
        const items = await importIds(sources, { type, provider, entries, isDryRun });
        const counts = countOutcomes(items);
        const json = { provider, dryRun: isDryRun, counts, items };
        const change = { after: { imported: counts.imported ?? 0 } };
        return { ...ok(json), acts: isDryRun ? [] : [{ target: provider, change }] };
      });
    },
  }),
] as const;

function countOutcomes<Outcome extends string>(
  items: readonly { readonly outcome: Outcome }[],
): Partial<Record<Outcome, number>> {
  const counts: Partial<Record<Outcome, number>> = {};
  for (const { outcome } of items) counts[outcome] = (counts[outcome] ?? 0) + 1;
  return counts;
}

async function answer(sources: OpsSources, request: SwitchRequest, isDryRun: boolean) {
  const { from, to } = request;
  const { items, handovers } = await findSwitch(sources, request);
  const shown = { from, to, counts: countOutcomes(items), items };
  if (isDryRun || handovers.length === 0)
    return { ...ok({ ...shown, planId: null, hash: null }), acts: [] };
  const planned = await sources.drifts.handOver(handovers, `what belongs to ${from} goes to ${to}`);
  if (planned.kind === 'waits') {
    const message = `Plan ${planned.plan.id} hands over already: approve or discard it.`;
    return problem(409, 'waits', message, { plan: planned.plan.id });
  }
  const { id: planId, hash } = planned.plan;
  const change = { after: { to, planId, handedOver: handovers.length } };
  return { ...ok({ ...shown, planId, hash }), acts: [{ target: from, change }] };
}

/** A switch that is asked for. */
interface SwitchRequest {
  readonly from: string;
  readonly to: string;
  /** People of the other provider; undefined: everybody is handed over. */
  readonly entries: readonly ExportEntry[] | undefined;
}

/** The outcome of a switch for each person and group, and who goes. */
interface Switching {
  readonly items: readonly OpsJson<'HandoverItem'>[];
  readonly handovers: readonly HandOver[];
}

/** Groups that are read at once. */
const GROUPS_PART = 100;

/** Finds out who would go to the other provider. It reads, and calls nobody. */
async function findSwitch(
  sources: Reading,
  { from, to, entries }: SwitchRequest,
): Promise<Switching> {
  const sought = { provider: from, idAttribute: 'formerExternalId' } as const;
  const matches = entries && (await matchAll(sources, entries, sought));
  const taken = countExternalIds(entries ?? []);
  const items: OpsJson<'HandoverItem'>[] = [];
  const handovers: HandOver[] = [];
  for await (const { externalId, ...subject } of listSubjects(sources, from)) {
    const { type, id } = subject;
    const found = type === 'user' ? findOutcome(matches, id, taken) : EVERYBODY;
    items.push({ ...subject, ...found });
    if (found.outcome !== 'handed-over') continue;
    const next = { provider: to, externalId: found.externalId };
    handovers.push({ type, id, from: { provider: from, externalId }, to: next });
  }
  for (const { row, texts, active } of matches?.listStrangers() ?? []) {
    if (active === false) continue;
    const name = texts.userName || texts.email || null;
    const externalId = texts.externalId || null;
    const stranger = { type: 'user', id: null, name, by: null, row, externalId } as const;
    items.push({ ...stranger, outcome: 'only-file' });
  }
  return { items, handovers };
}

interface Outcome {
  readonly outcome: HandoverOutcome;
  readonly by: OpsJson<'HandoverItem'>['by'];
  readonly row: number | null;
  readonly externalId: string | null;
}

/** Without a file nobody is compared, and the other provider is yet to give its ids. */
const EVERYBODY: Outcome = { outcome: 'handed-over', by: null, row: null, externalId: null };

function findOutcome(
  matches: Matches | undefined,
  id: string,
  taken: ReadonlyMap<string, number>,
): Outcome {
  if (matches === undefined) return EVERYBODY;
  const found = matches.findEntry(id);
  if (found === undefined) {
    return { ...EVERYBODY, outcome: matches.isClaimed(id) ? 'ambiguous' : 'only-here' };
  }
  const { row, texts } = found.entry;
  const externalId = texts.externalId || null;
  // Two people under one id would be one to the other provider.
  const isOne = externalId === null || taken.get(externalId) === 1;
  return { outcome: isOne ? 'handed-over' : 'ambiguous', by: found.by, row, externalId };
}

function countExternalIds(entries: readonly ExportEntry[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const { texts } of entries) {
    const id = texts.externalId ?? '';
    counts.set(id, (counts.get(id) ?? 0) + 1);
  }
  return counts;
}

/** People and groups of a provider. */
async function* listSubjects(sources: Reading, from: string): AsyncGenerator<Subject> {
  for await (const { provider, externalIds, id, name } of listPeople(sources)) {
    const [externalId = null] = externalIds;
    if (provider === from) yield { type: 'user', id, name, externalId };
  }
  const part = { limit: GROUPS_PART, where: LIVE_MANAGED };
  for await (const rows of readRows(sources.store.read, 'group', part)) {
    for (const { id, provider, name, external_id: externalId } of rows) {
      if (provider === from) yield { type: 'group', id, name, externalId };
    }
  }
}

interface Subject {
  readonly type: 'user' | 'group';
  readonly id: string;
  readonly name: string;
  /** The one of the earlier provider. */
  readonly externalId: string | null;
}
