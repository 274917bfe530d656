import type { JsonObject } from '../../domain/json.ts';
import { type ActRow, listActs } from '../../store/audit/acts.ts';
import { parseStored } from '../../store/engine/columns.ts';
import { NEWEST, type PartQuery, readList } from '../http/list-query.ts';
import { toMoment } from '../http/moment.ts';
import { ok, route } from '../http/route.ts';
import { ACTS } from '../lists/records.ts';
import type { ActView } from '../schemas/acts.ts';
import type { OpsSources } from '../sources.ts';

/** Outcomes of acts, with the statuses that mean them. */
const STATUSES = {
  done: [200, 399],
  refused: [400, 499],
  failed: [500, 599],
} as const;

/** The request for the acts of operators. */
export const actRoutes = [
  route({
    ...ACTS,
    async handle({ store, recordsStored }: OpsSources, { query }) {
      await recordsStored();
      const { operator, target, outcome } = query.filters;
      const status = outcome === undefined ? undefined : STATUSES[outcome];
      const read = ({ from: beforeSeq, limit }: PartQuery) =>
        listActs(store.read, { operator, target, status, beforeSeq, limit });
      return ok(await readList(query, NEWEST, read, toActView));
    },
  }),
] as const;

function toActView(row: ActRow): ActView {
  return {
    id: `act-${row.id}`,
    at: toMoment(row.at),
    operator: row.operator,
    credential: row.credential || null,
    address: row.address || null,
    act: row.act,
    request: row.route === '' ? null : `${row.method} ${row.route}`,
    requestId: row.request_id || null,
    target: row.target || null,
    outcome: toOutcome(row.status),
    status: row.status,
    before: toState(row.state_before),
    after: toState(row.state_after),
  };
}

function toOutcome(status: number | null): ActView['outcome'] {
  // Something was changed, although there was no answer yet.
  if (status === null || status < 400) return 'done';
  return status < 500 ? 'refused' : 'failed';
}

function toState(text: string | null): JsonObject | null {
  return text === null ? null : parseStored<JsonObject>(text);
}
