import { randomUUID } from 'node:crypto';
import { isIP } from 'node:net';
import type { Request, RequestHandler, Response } from 'express';
import { type Clock, readSteady } from '../../domain/clock.ts';
import type { Events } from '../../telemetry/events.ts';
import { ANSWERED, setRequestContext, toRequestId } from '../../telemetry/request-context.ts';
import type { Span, Tracing } from '../../telemetry/tracing.ts';

/** Parts for following requests. */
export interface FollowDeps {
  readonly clock: Clock;
  readonly events: Pick<Events, 'requestFinished'>;
  /** Absent: off. */
  readonly tracing?: Tracing | undefined;
}

/** Gives every request an id and a time of arrival, and reports how it ended. */
export function followRequests({ clock, events, tracing }: FollowDeps): RequestHandler {
  return (req, res, next) => {
    const arrivedAt = clock.now();
    const beganAtMs = readSteady(clock);
    const { ip = '', socket } = req;
    // A trusted proxy may hand on text that is no address; then the proxy's own is shown.
    const remoteAddress = isIP(ip) === 0 ? (socket.remoteAddress ?? '') : ip;
    const requestId = toRequestId(req.get('x-request-id'), randomUUID);
    setRequestContext(res, { requestId, arrivedAt, remoteAddress });
    tellAnswered(res);
    res.setHeader('X-Request-Id', requestId);
    res.setHeader('X-Content-Type-Options', 'nosniff');
    res.once(ANSWERED, () => {
      const durationMs = Math.round(readSteady(clock) - beganAtMs);
      const { method } = req;
      const route = toRoute(req.baseUrl, req.route);
      const status = res.statusCode;
      events.requestFinished({ requestId, method, route, status, durationMs });
    });
    if (tracing === undefined) return next();
    const span = beginSpan(tracing, req, requestId);
    res.once('close', () => endSpan(span, req, res));
    span.run(() => next());
  };
}

function tellAnswered(res: Response): void {
  const { end } = res;
  res.end = (...values: unknown[]) => {
    res.emit(ANSWERED);
    return Reflect.apply(end, res, values);
  };
}

function beginSpan(tracing: Tracing, req: Request, requestId: string): Span {
  const { method } = req;
  const attributes = { 'http.request.method': method, 'scim_bridge.request_id': requestId };
  return tracing.begin({
    name: method,
    kind: 'server',
    parent: req.get('traceparent'),
    attributes,
  });
}

/** Before the end nobody knows the pattern of the route. */
function endSpan(span: Span, req: Request, res: Response): void {
  const route = toRoute(req.baseUrl, req.route);
  const status = res.statusCode;
  span.end({
    name: `${req.method} ${route}`,
    attributes: { 'http.route': route, 'http.response.status_code': status },
    hasFailed: status >= 500,
  });
}

/** The pattern of the route, never the address: filters and ids would make endless series. */
function toRoute(baseUrl: string, route: unknown): string {
  if (typeof route !== 'object' || route === null || !('path' in route)) return 'none';
  return `${baseUrl}${String(route.path)}`;
}
