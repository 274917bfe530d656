import type { WrittenPath } from '../../domain/kept-request.ts';
import { listRequests, type RequestRow } from '../../store/audit/requests.ts';
import { parseStored } from '../../store/engine/columns.ts';
import { InvalidRequest } from '../http/errors.ts';
import { NEWEST, type PartQuery, readList } from '../http/list-query.ts';
import { toMoment } from '../http/moment.ts';
import { ok, route } from '../http/route.ts';
import type { RequestView } from '../schemas/requests.ts';
import type { OpsSources } from '../sources.ts';

/** The request for the log of requests. */
export const requestRoutes = [
  route({
    method: 'get',
    path: '/requests',
    tag: 'Requests of providers',
    summary: 'What providers wrote and what they were refused, the newest first, without values.',
    filters: { resource: 'text', type: ['user', 'group'], credential: 'text', status: 'text' },
    meanings: {
      resource: 'Of this SCIM id.',
      type: 'Of users, or of groups.',
      credential: 'With the credential that has this id.',
      status: 'Answered with it: `409`, or `4xx`.',
    },
    answers: { 200: 'RequestList' },
    async handle({ store, findRepairWords, recordsStored }: OpsSources, { query }) {
      await recordsStored();
      const { resource: resourceId, status: text, ...filters } = query.filters;
      const status = text === undefined ? undefined : parseStatuses(text);
      const read = ({ from: beforeSeq, limit }: PartQuery) =>
        listRequests(store.read, { ...filters, resourceId, status, beforeSeq, limit });
      const toView = (row: RequestRow) => toRequestView(row, findRepairWords);
      return ok(await readList(query, NEWEST, read, toView));
    },
  }),
] as const;

type FindRepairWords = OpsSources['findRepairWords'];

/** @throws InvalidRequest */
function parseStatuses(text: string): readonly [number, number] {
  if (/^[2-5]xx$/.test(text)) {
    const first = Number(text[0]) * 100;
    return [first, first + 99];
  }
  if (/^[1-5]\d\d$/.test(text)) return [Number(text), Number(text)];
  throw new InvalidRequest('status is a number such as 409, or 2xx to 5xx.');
}

function toRequestView(row: RequestRow, findRepairWords: FindRepairWords): RequestView {
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
    refusal: findRefusalWords(row.status, row.scim_type),
    durationMs: row.duration_ms,
    client: row.client,
    credential: row.credential,
  };
}

function withWords(written: WrittenPath, findRepairWords: FindRepairWords) {
  const isOfReason = written.op === 'drop' || written.op === 'repair' || written.op === 'refuse';
  return { ...written, words: isOfReason ? findRepairWords(written.path) : null };
}

/** Reasons of refusals in words, by the error keyword. */
const REFUSALS: Readonly<Record<string, string>> = {
  invalidFilter: 'the filter is none, or compares what cannot be compared',
  tooMany: 'the search is too large',
  uniqueness: 'somebody else has the name or the address, or an operator has to decide about it',
  mutability: 'an attribute that only the bridge sets was written',
  invalidSyntax: 'the body is not one of SCIM',
  invalidPath: 'the path of an operation is none',
  noTarget: 'no value fits the path of an operation',
  invalidValue: 'a value is missing, has the wrong type, or the service refuses it',
  invalidCursor: 'the cursor is not one of the bridge',
  invalidCount: 'the page is too large',
};

/** Reasons of refusals without a keyword, by status. */
const STATUSES: Readonly<Record<number, string>> = {
  401: 'the token is none, or valid no more',
  403: 'what it was for is protected, or not to be taken over',
  404: 'what it was for is not there',
  412: 'it was changed meanwhile, as If-Match says',
  413: 'the body is too large',
  429: 'more was asked than the limits allow',
  501: 'the bridge does not do this',
  503: 'the bridge or the service could not do it then: the provider comes again',
};

/** Finds why a request was refused, in words; null: it was not, or nothing more is known. */
function findRefusalWords(status: number, scimType: string | null): string | null {
  if (status < 400) return null;
  return (scimType === null ? undefined : REFUSALS[scimType]) ?? STATUSES[status] ?? null;
}
