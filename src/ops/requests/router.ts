import { Router } from 'express';
import type { WrittenPath } from '../../domain/kept-request.ts';
import { parseStored } from '../../store/documents.ts';
import type { RequestQuery, RequestRow } from '../../store/requests.ts';
import { InvalidRequest } from '../invalid-request.ts';
import { parseListQuery, parseSeq, readPage } from '../list-query.ts';

/** Where the log of requests is read. */
export type ListRequests = (query: RequestQuery) => Promise<RequestRow[]>;

/** A request as an operator is shown it. Nothing in it is personal. */
export interface RequestView {
  readonly at: string;
  readonly requestId: string;
  readonly method: string;
  readonly route: string;
  /** null: it was for none, or made none. */
  readonly resource: { readonly type: 'user' | 'group'; readonly id: string } | null;
  readonly written: readonly WrittenPath[];
  readonly status: number;
  readonly scimType: string | null;
  readonly durationMs: number;
  readonly client: string | null;
  /** Whose it was: `settings-1` is the first of `scim.tokens`. */
  readonly credential: string;
}

/**
 * `GET /` lists what providers wrote and what they were refused, the newest first; `?resource=` (a SCIM id) and `?status=`
 * (`409`, or `4xx`) choose, `?limit=` and `?cursor=` page.
 */
export function createRequestsRouter(listRequests: ListRequests): Router {
  return Router().get('/', async (req, res) => {
    const { limit, cursor, filters } = parseListQuery(req.query, REQUEST_FILTERS);
    const query = {
      resourceId: filters.resource,
      status: filters.status === undefined ? undefined : parseStatuses(filters.status),
    };
    const answer = await readPage(
      { from: parseSeq(cursor, Number.MAX_SAFE_INTEGER), limit },
      ({ from: beforeSeq, limit: some }) => listRequests({ ...query, beforeSeq, limit: some }),
      (rows) => rows.map(toRequestView),
    );
    res.set('Cache-Control', 'no-store').json(answer);
  });
}

/** The filters of the log of requests. */
export const REQUEST_FILTERS = { resource: 'text', status: 'text' } as const;

/** @throws InvalidRequest */
function parseStatuses(text: string): readonly [number, number] {
  if (/^[2-5]xx$/.test(text)) {
    const first = Number(text[0]) * 100;
    return [first, first + 99];
  }
  if (/^[1-5]\d\d$/.test(text)) return [Number(text), Number(text)];
  throw new InvalidRequest('status is a number such as 409, or 2xx to 5xx.');
}

function toRequestView(row: RequestRow): RequestView {
  const { resource_type: type, resource_id: id } = row;
  return {
    at: new Date(row.at).toISOString(),
    requestId: row.request_id,
    method: row.method,
    route: row.route,
    resource: type === null || id === null ? null : { type, id },
    written: parseStored<WrittenPath[]>(row.written),
    status: row.status,
    scimType: row.scim_type,
    durationMs: row.duration_ms,
    client: row.client,
    credential: row.credential,
  };
}
