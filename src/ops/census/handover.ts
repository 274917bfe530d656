import type { HandOver } from '../../reconcile/repair/decisions.ts';
import { LIVE_MANAGED } from '../../store/resources/rows.ts';
import { type ExportEntry, withEntries } from '../exports/read-entries.ts';
import { InvalidRequest } from '../http/body.ts';
import { ok, Problem, route } from '../http/route.ts';
import { HANDOVER } from '../lists/exports.ts';
import type { OpsJson } from '../schemas/schemas.ts';
import type { OpsSources } from '../sources.ts';
import { countBy, eachRow, type Matches, matchEntries } from './match.ts';

/** Gives people and groups of a provider to another one. */
export const handoverRoute = route({
  ...HANDOVER,
  async handle(sources: OpsSources, { params: { from }, query: { filters }, req }) {
    const { to, map, dryRun } = filters;
    if (to === undefined || to === from)
      throw new InvalidRequest('to is the name of another provider.');
    const reading = { map, idsOf: 'provider', providers: [from, to] } as const;
    return withEntries(sources, req, reading, async (entries) => {
      const { items, handovers } = await findOutcomes(sources, [from, to], entries);
      const shown = { from, to, counts: countBy(items, ({ outcome }) => outcome), items };
      if (dryRun === 'true' || handovers.length === 0)
        return { ...ok({ ...shown, planId: null, hash: null }), acts: [] };
      const reason = `what belongs to ${from} goes to ${to}`;
      const { kind, plan } = await sources.drifts.handOver(handovers, reason);
      const { id: planId, hash } = plan;
      if (kind === 'waits') {
        const message = `Plan ${planId} hands over already: approve or discard it.`;
        throw new Problem(409, 'waits', message, { more: { plan: planId } });
      }
      const change = { after: { to, planId, handedOver: handovers.length } };
      return { ...ok({ ...shown, planId, hash }), acts: [{ target: from, change }] };
    });
  },
});

/** Finds out who would go to the other provider; without entries everybody would. */
async function findOutcomes(
  { store: { read: db } }: OpsSources,
  [from, to]: readonly [string, string],
  entries: readonly ExportEntry[] | undefined,
) {
  const sought = { type: 'user', provider: from, idAttribute: 'formerExternalId' } as const;
  const matches = entries && (await matchEntries(db, entries, sought));
  const rowsOf = Map.groupBy(entries ?? [], ({ texts }) => texts.externalId);
  const items: OpsJson<'HandoverItem'>[] = [];
  const handovers: HandOver[] = [];
  const where = { provider: from, ...LIVE_MANAGED };
  for (const type of ['user', 'group'] as const) {
    for await (const { id, name, external_id: externalId } of eachRow(db, type, where)) {
      const found = matches && type === 'user' ? toOutcome(matches, id, rowsOf) : EVERYBODY;
      items.push({ type, id, name, ...found });
      if (found.outcome !== 'handed-over') continue;
      const next = { provider: to, externalId: found.externalId };
      handovers.push({ type, id, from: { provider: from, externalId }, to: next });
    }
  }
  return { items: [...items, ...(matches?.strangers ?? []).flatMap(toStranger)], handovers };
}

/** Somebody whom the other provider has, and who is nobody here. */
function toStranger({ row, texts, active }: ExportEntry): OpsJson<'HandoverItem'>[] {
  if (active === false) return [];
  const name = texts.userName || texts.email || null;
  const externalId = texts.externalId || null;
  return [{ type: 'user', id: null, name, outcome: 'only-file', by: null, row, externalId }];
}

type Outcome = Pick<OpsJson<'HandoverItem'>, 'outcome' | 'by' | 'row' | 'externalId'>;

/** Without a file nobody is compared, and the other provider is yet to give its ids. */
const EVERYBODY: Outcome = { outcome: 'handed-over', by: null, row: null, externalId: null };

function toOutcome(
  matches: Matches,
  id: string,
  rowsOf: ReadonlyMap<string | undefined, readonly ExportEntry[]>,
): Outcome {
  const found = matches.entryOf.get(id);
  if (found === undefined) return { ...EVERYBODY, outcome: 'only-here' };
  if (found === 'unsure') return { ...EVERYBODY, outcome: 'ambiguous' };
  const { row, texts } = found.entry;
  const externalId = texts.externalId || null;
  // Two people under one id would be one to the other provider.
  const isOne = externalId === null || rowsOf.get(externalId)?.length === 1;
  return { outcome: isOne ? 'handed-over' : 'ambiguous', by: found.by, row, externalId };
}
