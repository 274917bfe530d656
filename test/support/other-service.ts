import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { isJsonObject, type JsonObject } from '../../src/domain/json.ts';
import type { CallName, Counterpart } from './counterpart.ts';
import { retrieveAuditLogEvents } from './other-service/audit.ts';
import { foundCompany, type OtherCompany, OWNER } from './other-service/company.ts';
import { createFaults, isDone, type OtherFaults, spoil } from './other-service/faults.ts';
import { actAs } from './other-service/people.ts';
import * as rest from './other-service/rest.ts';
import type { Answer, Call } from './other-service/route.ts';
import * as scim from './other-service/scim.ts';
import { OTHER_SHAPE, type OtherShape } from './other-service/shape.ts';

/** What differs from `OTHER_SHAPE`, and the service's clock. */
export interface OtherServiceOptions {
  readonly shape?: Partial<OtherShape>;
  readonly clock?: () => number;
}

/** A second imitation of the service, written from its documents alone, that also says how fast it was called. */
export interface OtherService extends Counterpart {
  readonly calls: Counterpart['calls'] & {
    /** How many calls came when the service had taken as many as it takes in a second. */
    tooMany(): number;
  };
}

const TOKEN = '5f1c1a52-3c0e-4b9e-9f04-7d1f3a6f2f11';

/** Starts it on a free port of loopback, with its owner alone in it; all is in memory. */
export async function startOtherService(options: OtherServiceOptions = {}): Promise<OtherService> {
  const shape = { ...OTHER_SHAPE, ...options.shape };
  const company = foundCompany(shape, options.clock ?? Date.now);
  const faults = createFaults();
  const traffic = createTraffic(shape);
  const server = createServer((request, response) => {
    serve({ company, faults, traffic }, request, response).catch((error: unknown) =>
      response.destroy(error instanceof Error ? error : undefined),
    );
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the server has no port');
  return {
    url: `http://127.0.0.1:${address.port}`,
    token: TOKEN,
    service: actAs(company, OWNER),
    faults: faults.control,
    calls: traffic.calls,
    async stop() {
      faults.control.clear();
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

interface World {
  readonly company: OtherCompany;
  readonly faults: OtherFaults;
  readonly traffic: Traffic;
}

async function serve(world: World, request: IncomingMessage, response: ServerResponse) {
  const { company, faults, traffic } = world;
  const arrival = traffic.arrive();
  const body = await readBody(request);
  const url = new URL(request.url ?? '/', 'http://service');
  const route = findRoute(request.method ?? '', url.pathname);
  const operation = route?.name ?? 'unknown';
  const end = (answer: Answer) => {
    traffic.count(operation, answer.status);
    send(response, answer, arrival);
  };
  if (!arrival.isTaken) return end({ status: 429 });
  if (request.headers.authorization !== `Bearer ${TOKEN}`) {
    return end({ status: 401, body: 'Invalid token' });
  }
  if (!route) return end({ status: 404 });
  if (company.shape.slowMs > 0) await sleep(company.shape.slowMs);
  const call = { company, params: route.params, query: url.searchParams, body };
  const fault = faults.meet(operation);
  if (!fault) return end(route.handle(call));
  const answer = isDone(fault) ? route.handle(call) : { status: 200 };
  traffic.count(operation, spoil(faults, response, { fault, answer }));
}

async function readBody(request: IncomingMessage): Promise<JsonObject> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk);
  const text = Buffer.concat(chunks).toString();
  const body: unknown = text === '' ? {} : JSON.parse(text);
  return isJsonObject(body) ? body : {};
}

function send(response: ServerResponse, { status, body }: Answer, { headers }: Arrival): void {
  const type = { 'content-type': 'application/json; charset=utf-8' };
  response.writeHead(status, { ...headers, ...(body === undefined ? {} : type) });
  response.end(body === undefined ? '' : JSON.stringify(body));
}

type Handle = (call: Call) => Answer;

const ROUTES: readonly (readonly [CallName, method: string, path: string, Handle])[] = [
  ['scim.addUser', 'POST', '/scim/v2/Users', scim.addUser],
  ['scim.getUsers', 'GET', '/scim/v2/Users', scim.getUsers],
  ['scim.getUser', 'GET', '/scim/v2/Users/:user', scim.getUser],
  ['scim.updateUser', 'PATCH', '/scim/v2/Users/:user', scim.updateUser],
  ['scim.addGroup', 'POST', '/scim/v2/Groups', scim.addGroup],
  ['scim.getGroups', 'GET', '/scim/v2/Groups', scim.getGroups],
  ['scim.getGroup', 'GET', '/scim/v2/Groups/:group', scim.getGroup],
  ['scim.updateGroup', 'PATCH', '/scim/v2/Groups/:group', scim.updateGroup],
  ['companyUsers.getListOfUsers', 'GET', '/company/users', rest.getListOfUsers],
  ['companyUsers.updateUser', 'PATCH', '/company/users/:user', rest.updateUser],
  ['companyUsers.removeVirtualUser', 'DELETE', '/company/users/:user', rest.removeVirtualUser],
  ['groups.createGroup', 'POST', '/company/groups', rest.createGroup],
  ['groups.getListOfGroups', 'GET', '/company/groups', rest.getListOfGroups],
  ['groups.getGroup', 'GET', '/company/groups/:group', rest.getGroup],
  ['groups.updateGroup', 'PATCH', '/company/groups/:group', rest.updateGroup],
  ['groups.removeGroup', 'DELETE', '/company/groups/:group', rest.removeGroup],
  ['groupUsers.getListOfGroupUsers', 'GET', '/groups/:group/users', rest.listPeople('members')],
  ['groupUsers.addUserToGroup', 'POST', '/groups/:group/users', rest.addPerson('members')],
  [
    'groupUsers.removeUserFromGroup',
    'DELETE',
    '/groups/:group/users/:user',
    rest.removePerson('members'),
  ],
  ['groupAdmins.getListOfGroupAdmins', 'GET', '/groups/:group/admins', rest.listPeople('admins')],
  ['groupAdmins.addAdminToGroup', 'POST', '/groups/:group/admins', rest.addPerson('admins')],
  [
    'groupAdmins.removeAdminFromGroup',
    'DELETE',
    '/groups/:group/admins/:user',
    rest.removePerson('admins'),
  ],
  ['auditLogs.retrieveAuditLogEvents', 'GET', '/audit-logs', retrieveAuditLogEvents],
  ['users.retrieveCurrentUser', 'GET', '/users/current', rest.retrieveCurrentUser],
];

const PATTERNS = ROUTES.map(([name, method, path, handle]) => {
  const prefix = path.startsWith('/scim/') ? '' : '/api/(?:latest|v1)';
  const pattern = path.replaceAll(/:(\w+)/g, '(?<$1>[^/]+)');
  return { name, method, handle, pattern: new RegExp(`^${prefix}${pattern}$`) };
});

function findRoute(method: string, path: string) {
  for (const { pattern, ...route } of PATTERNS) {
    const match = route.method === method ? pattern.exec(path) : null;
    if (match) return { ...route, params: { ...match.groups } };
  }
  return undefined;
}

/** A call that came: whether it is within the rate, and what every answer says of the rate. */
interface Arrival {
  readonly isTaken: boolean;
  readonly headers: Readonly<Record<string, string>>;
}

interface Traffic {
  readonly calls: OtherService['calls'];
  arrive(): Arrival;
  count(operation: string, status: number): void;
}

function createTraffic({ callsPerSecond, tooMany }: OtherShape): Traffic {
  const counts = new Map<string, Map<number, number>>();
  let taken: number[] = [];
  let refused = 0;
  const total = (matches: (operation: string) => boolean) => {
    const rows = [...counts].filter(([operation]) => matches(operation));
    return rows.flatMap(([, row]) => [...row.values()]).reduce((sum, each) => sum + each, 0);
  };
  return {
    calls: {
      tooMany: () => refused,
      reset: () => counts.clear(),
      counts: () =>
        Object.fromEntries([...counts].map(([name, row]) => [name, Object.fromEntries(row)])),
      count: ({ operation, mutating } = {}) =>
        total(
          (name) =>
            (operation === undefined || name === operation) &&
            (mutating === undefined || mutating === isMutating(name)),
        ),
    },
    arrive() {
      if (callsPerSecond === 0) return { isTaken: true, headers: {} };
      const now = performance.now();
      taken = taken.filter((at) => at > now - 1_000);
      const isTaken = taken.length < callsPerSecond;
      if (isTaken) taken.push(now);
      else refused += 1;
      const left = { 'x-ratelimit-remaining': String(callsPerSecond - taken.length) };
      return { isTaken, headers: isTaken ? left : { ...left, ...toWait(tooMany) } };
    },
    count(operation, status) {
      const row = counts.get(operation) ?? new Map<number, number>();
      counts.set(operation, row.set(status, (row.get(status) ?? 0) + 1));
    },
  };
}

function isMutating(name: string): boolean {
  return ROUTES.some(([each, method]) => each === name && method !== 'GET');
}

/** How long to wait, in the unit of the shape. */
function toWait(unit: OtherShape['tooMany']): Record<string, string> {
  const until = Date.now() + 1_000;
  switch (unit) {
    case 'nothing':
      return {};
    case 'date':
      return { 'retry-after': new Date(until).toUTCString() };
    case 'seconds':
      return { 'retry-after': '1' };
    case 'epoch seconds':
      return { 'x-ratelimit-reset': String(Math.ceil(until / 1_000)) };
    case 'epoch ms':
      return { 'x-ratelimit-reset': String(until) };
  }
}
