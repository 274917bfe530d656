import type { HandOver } from '../../reconcile/repair/plans.ts';
import { isProvider } from '../../store/credentials/providers.ts';
import { LIVE_MANAGED, readRows } from '../../store/resources/rows.ts';
import { unknownProvider } from '../access/tokens.ts';
import { countBy, type Matches } from '../census/match.ts';
import { listPeople, matchAll, type Reading } from '../census/routes.ts';
import { type ExportEntry, parseColumnMap, withEntries } from '../exports/read-entries.ts';
import { InvalidRequest } from '../http/body.ts';
import { ok, problem, route } from '../http/route.ts';
import { HANDOVER } from '../lists/exports.ts';
import type { OpsJson } from '../schemas/schemas.ts';
import type { OpsSources } from '../sources.ts';
import { importRoute } from './import-ids.ts';

/** Requests that give people and groups to another provider. */
export const handoverRoutes = [
  route({
    ...HANDOVER,
    async handle(sources: OpsSources, { params: { from }, query: { filters }, req }) {
      const { to, map = '', dryRun } = filters;
      if (to === undefined || to === from)
        throw new InvalidRequest('to is the name of another provider.');
      const reading = { map: parseColumnMap(map), idsOf: 'provider' } as const;
      for (const name of [from, to]) {
        if (!(await isProvider(sources.store.read, name))) return unknownProvider();
      }
      return withEntries(sources, req, reading, async (entries) => {
        const items: OpsJson<'HandoverItem'>[] = [];
        const handovers: HandOver[] = [];
        for await (const { item, handover } of walk(sources, { from, to, entries })) {
          items.push(item);
          if (handover !== undefined) handovers.push(handover);
        }
        const shown = { from, to, counts: countBy(items, ({ outcome }) => outcome), items };
        if (dryRun === 'true' || handovers.length === 0)
          return { ...ok({ ...shown, planId: null, hash: null }), acts: [] };
        const reason = `what belongs to ${from} goes to ${to}`;
        const { kind, plan } = await sources.drifts.handOver(handovers, reason);
        const { id: planId, hash } = plan;
        if (kind === 'waits') {
          const message = `Plan ${planId} hands over already: approve or discard it.`;
          return problem(409, 'waits', message, { plan: planId });
        }
        const change = { after: { to, planId, handedOver: handovers.length } };
        return { ...ok({ ...shown, planId, hash }), acts: [{ target: from, change }] };
      });
    },
  }),
  importRoute,
] as const;

interface SwitchRequest {
  readonly from: string;
  readonly to: string;
  /** People of the other provider; undefined: everybody is handed over. */
  readonly entries: readonly ExportEntry[] | undefined;
}

/** The outcome for one person or group, and how it is handed over; undefined: it stays. */
interface Walked {
  readonly item: OpsJson<'HandoverItem'>;
  readonly handover?: HandOver | undefined;
}

/** Finds out who would go to the other provider. It reads, and calls nobody. */
async function* walk(
  sources: Reading,
  { from, to, entries }: SwitchRequest,
): AsyncGenerator<Walked> {
  const sought = { provider: from, idAttribute: 'formerExternalId' } as const;
  const matches = entries && (await matchAll(sources, entries, sought));
  const rowsOf = Map.groupBy(entries ?? [], ({ texts }) => texts.externalId);
  for await (const { externalId, ...subject } of listSubjects(sources, from)) {
    const { type, id } = subject;
    const found = type === 'user' && matches ? findOutcome(matches, id, rowsOf) : EVERYBODY;
    const next = { provider: to, externalId: found.externalId };
    const isGoing = found.outcome === 'handed-over';
    const handover = isGoing
      ? { type, id, from: { provider: from, externalId }, to: next }
      : undefined;
    yield { item: { ...subject, ...found }, handover };
  }
  for (const { row, texts, active } of matches?.listStrangers() ?? []) {
    if (active === false) continue;
    const name = texts.userName || texts.email || null;
    const externalId = texts.externalId || null;
    const stranger = { type: 'user', id: null, name, by: null, row, externalId } as const;
    yield { item: { ...stranger, outcome: 'only-file' } };
  }
}

type Outcome = Pick<OpsJson<'HandoverItem'>, 'outcome' | 'by' | 'row' | 'externalId'>;

/** Without a file nobody is compared, and the other provider is yet to give its ids. */
const EVERYBODY: Outcome = { outcome: 'handed-over', by: null, row: null, externalId: null };

function findOutcome(
  matches: Matches,
  id: string,
  rowsOf: ReadonlyMap<string | undefined, readonly ExportEntry[]>,
): Outcome {
  const found = matches.findEntry(id);
  if (found === undefined) {
    return { ...EVERYBODY, outcome: matches.isClaimed(id) ? 'ambiguous' : 'only-here' };
  }
  const { row, texts } = found.entry;
  const externalId = texts.externalId || null;
  // Two people under one id would be one to the other provider.
  const isOne = externalId === null || rowsOf.get(externalId)?.length === 1;
  return { outcome: isOne ? 'handed-over' : 'ambiguous', by: found.by, row, externalId };
}

const GROUPS_PART = 100;

/** People and groups of a provider, with the externalId that it gave. */
async function* listSubjects({ store, deactivation }: Reading, from: string) {
  for await (const { provider, externalIds, id, name } of listPeople({ store, deactivation })) {
    const [externalId = null] = externalIds;
    if (provider === from) yield { type: 'user', id, name, externalId } as const;
  }
  const groups = readRows(store.read, 'group', { limit: GROUPS_PART, where: LIVE_MANAGED });
  for await (const rows of groups) {
    for (const { id, provider, name, external_id: externalId } of rows) {
      if (provider === from) yield { type: 'group', id, name, externalId } as const;
    }
  }
}
