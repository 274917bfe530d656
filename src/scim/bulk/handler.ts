import type { RequestHandler } from 'express';
import { workInTurns } from '../../domain/turns.ts';
import { getRequestContext } from '../../telemetry/request-context.ts';
import type { ScimDeps } from '../deps.ts';
import { assertOpen } from '../http/assert-open.ts';
import { sendJson } from '../http/respond.ts';
import { note } from '../requests/noted.ts';
import { assertUpstreamUp } from '../settle.ts';
import { toBulkResponse } from './bulk-response.ts';
import { parseBulk } from './parse-bulk.ts';
import { runBulk } from './run-bulk.ts';

/** POST /Bulk. @throws ScimError 400, 413, 503: nothing was performed. @see RFC 7644 §3.7 */
export function performBulk(deps: ScimDeps): RequestHandler {
  return async (req, res) => {
    assertAnyOpen(deps);
    const work = parseBulk(req.body, deps.policy.bulkOperationsMax);
    const request = await workInTurns(work, deps.turns);
    assertUpstreamUp(deps);
    const results = await runBulk(deps, request, getRequestContext(res));
    note(res, { operations: results });
    sendJson(res, 200, toBulkResponse(deps.baseUrl, results));
  };
}

/** Where one type is closed, the operations on the other can still be performed. */
function assertAnyOpen(deps: ScimDeps): void {
  if (deps.findClosed('group')) assertOpen(deps, 'user');
}
