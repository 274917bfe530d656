import { randomUUID } from 'node:crypto';
import type { RequestHandler } from 'express';
import type { Clock } from '../../domain/clock.ts';
import { events } from '../../telemetry/events.ts';
import type { Logger } from '../../telemetry/logger.ts';
import type { Metrics } from '../../telemetry/metrics.ts';
import { setRequestContext, toRequestId } from '../../telemetry/request-context.ts';

/** Parts for following requests. */
export interface FollowDeps {
  readonly clock: Clock;
  readonly logger: Logger;
  readonly metrics: Metrics;
}

/** Gives every request an id and a time of arrival, and tells log and metrics how it ended. */
export function followRequests({ clock, logger, metrics }: FollowDeps): RequestHandler {
  return (req, res, next) => {
    const arrivedAt = clock.now();
    const requestId = toRequestId(req.get('x-request-id'), randomUUID);
    setRequestContext(res, { requestId, arrivedAt });
    res.setHeader('X-Request-Id', requestId);
    res.once('finish', () => {
      const durationMs = clock.now() - arrivedAt;
      const { method } = req;
      const route = toRoute(req.baseUrl, req.route);
      const status = res.statusCode;
      metrics.countRequest({ method, route, status }, durationMs);
      logger.log(events.requestFinished({ requestId, method, route, status, durationMs }));
    });
    next();
  };
}

/** The pattern of the route, never the address: filters and ids would make endless series. */
function toRoute(baseUrl: string, route: unknown): string {
  if (typeof route !== 'object' || route === null || !('path' in route)) return 'none';
  return `${baseUrl}${String(route.path)}`;
}
