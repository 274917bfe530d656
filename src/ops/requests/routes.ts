import type { WrittenPath } from '../../domain/kept-request.ts';
import type { RequestRow } from '../../store/audit/requests.ts';
import { parseStored } from '../../store/engine/columns.ts';
import { listNewest } from '../../store/tables.ts';
import { InvalidRequest } from '../http/body.ts';
import { NEWEST, type PartQuery, readList } from '../http/list-query.ts';
import { toMoment } from '../http/moment.ts';
import { ok, route } from '../http/route.ts';
import { REQUESTS } from '../lists/records.ts';
import type { OpsJson } from '../schemas/schemas.ts';
import type { OpsSources } from '../sources.ts';

/** The request for the log of requests. */
export const requestRoutes = [
  route({
    ...REQUESTS,
    async handle({ store, findRepairWords, recordsStored }: OpsSources, { query }) {
      await recordsStored();
      const { resource, type, credential, status } = query.filters;
      const of = {
        resource_id: resource,
        resource_type: type,
        credential,
        status: status === undefined ? undefined : parseStatuses(status),
      };
      const read = (part: PartQuery) => listNewest(store.read, 'requests', of, part);
      const toView = (row: RequestRow) => toRequestView(row, findRepairWords);
      return ok(await readList(query, NEWEST, read, toView));
    },
  }),
] as const;

type FindRepairWords = OpsSources['findRepairWords'];

/** @throws InvalidRequest */
function parseStatuses(text: string): { readonly '>=': number; readonly '<=': number } {
  if (/^[2-5]xx$/.test(text)) {
    const first = Number(text[0]) * 100;
    return { '>=': first, '<=': first + 99 };
  }
  if (/^[1-5]\d\d$/.test(text)) return { '>=': Number(text), '<=': Number(text) };
  throw new InvalidRequest('status is a number such as 409, or 2xx to 5xx.');
}

function toRequestView(row: RequestRow, findRepairWords: FindRepairWords): OpsJson<'Request'> {
  const { resource_type: type, resource_id: id } = row;
  return {
    at: toMoment(row.at),
    requestId: row.request_id,
    method: row.method,
    route: row.route,
    resource: type === null || id === null ? null : { type, id },
    written: parseStored<WrittenPath[]>(row.written).map((one) => withWords(one, findRepairWords)),
    status: row.status,
    scimType: row.scim_type,
    refusal: row.refusal,
    durationMs: row.duration_ms,
    client: row.client,
    credential: row.credential,
  };
}

function withWords(written: WrittenPath, findRepairWords: FindRepairWords) {
  const isOfReason = written.op === 'drop' || written.op === 'repair' || written.op === 'refuse';
  return { ...written, words: isOfReason ? findRepairWords(written.path) : null };
}
