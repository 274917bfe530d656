import type { WrittenPath } from '../../domain/kept-request.ts';
import { parseStored } from '../../store/engine/columns.ts';
import { listNewest } from '../../store/tables.ts';
import { InvalidRequest } from '../http/body.ts';
import { listRoute } from '../http/route.ts';
import { toView } from '../http/view.ts';
import { REQUESTS } from '../lists/records.ts';
import type { OpsSources } from '../sources.ts';

/** The request for the log of requests. */
export const requestRoutes = [
  listRoute(
    REQUESTS,
    async ({ store, recordsStored }: OpsSources, { resource, type, credential, status }, part) => {
      await recordsStored();
      const of = {
        resource_id: resource,
        resource_type: type,
        credential,
        status: status === undefined ? status : parseStatuses(status),
      };
      return listNewest(store.read, 'requests', of, part);
    },
    (row, { findRepairWords }) => {
      const { resource_type: type, resource_id: id } = row;
      return toView('Request', row, {
        resource: type === null || id === null ? null : { type, id },
        written: parseStored<WrittenPath[]>(row.written).map((one) => ({
          ...one,
          words: OF_REASON.has(one.op) ? findRepairWords(one.path) : null,
        })),
      });
    },
  ),
] as const;

/** What was written under the kind of a reason, and not under an attribute. */
const OF_REASON: ReadonlySet<WrittenPath['op']> = new Set(['drop', 'repair', 'refuse']);

/** @throws InvalidRequest */
function parseStatuses(text: string): { readonly '>=': number; readonly '<=': number } {
  if (/^[2-5]xx$/.test(text)) {
    const first = Number(text[0]) * 100;
    return { '>=': first, '<=': first + 99 };
  }
  if (/^[1-5]\d\d$/.test(text)) return { '>=': Number(text), '<=': Number(text) };
  throw new InvalidRequest('status is a number such as 409, or 2xx to 5xx.');
}
