import { isIP } from 'node:net';
import type { Express, Request, RequestHandler } from 'express';
import type { Clock } from '../../domain/clock.ts';
import { readSteady } from '../../domain/clock.ts';
import type { Events } from '../../telemetry/events.ts';
import type { Tracing } from '../../telemetry/open-telemetry.ts';
import { ANSWERED, setRequestContext, toRequestId } from '../../telemetry/request-context.ts';

interface FollowDeps {
  readonly clock: Clock;
  readonly events: Pick<Events, 'requestFinished'>;
  readonly tracing?: Tracing | undefined;
}

/** Gives every request an id and a time of arrival, and reports how it ended. */
export function followRequests({ clock, events, tracing }: FollowDeps): RequestHandler {
  return (req, res, next) => {
    const arrivedAt = clock.now();
    const beganAtMs = readSteady(clock);
    const { ip = '', socket, method } = req;
    // A trusted proxy may hand on text that is no address; then the proxy's own is shown.
    const remoteAddress = isIP(ip) === 0 ? (socket.remoteAddress ?? '') : ip;
    const requestId = toRequestId(req.get('x-request-id'));
    setRequestContext(res, { requestId, arrivedAt, remoteAddress });
    res.set({ 'X-Request-Id': requestId, 'X-Content-Type-Options': 'nosniff' });
    res.once(ANSWERED, () => {
      const durationMs = Math.round(readSteady(clock) - beganAtMs);
      const { statusCode: status } = res;
      events.requestFinished({ requestId, method, route: toRoute(req), status, durationMs });
    });
    if (tracing === undefined) return next();
    const attributes = { 'http.request.method': method, 'scim_bridge.request_id': requestId };
    const parent = req.get('traceparent');
    const span = tracing.begin({ name: method, kind: 'server', parent, attributes });
    res.once('close', () => {
      // Before the end nobody knows the pattern of the route.
      const [route, status] = [toRoute(req), res.statusCode];
      span.end({
        name: `${method} ${route}`,
        attributes: { 'http.route': route, 'http.response.status_code': status },
        hasFailed: status >= 500,
      });
    });
    span.run(() => next());
  };
}

/** Has the answers of an application tell when they are complete. A function of each one would keep it in memory until the next full collection. */
export function tellAnswered({ response }: Express): void {
  const { end } = response;
  response.end = function (...values: unknown[]) {
    this.emit(ANSWERED);
    return Reflect.apply(end, this, values);
  };
}

/** The pattern of the route, never the address: filters and ids would make endless series. */
function toRoute({ baseUrl, route }: Request): string {
  if (typeof route !== 'object' || route === null || !('path' in route)) return 'none';
  return `${baseUrl}${String(route.path)}`;
}
