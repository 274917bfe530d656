import { systemClock } from '../telemetry/system-clock.ts';
import { operationGroups } from '../upstream/operations/all.ts';
import type { Operation } from '../upstream/operations/operation.ts';
import { createTransport, type Transport } from '../upstream/transport.ts';
import type { ClientOptions } from './client-options.ts';
import type { ClientCallOptions, OperationClient } from './client-types.ts';

/** The service, typed: each operation, and what they share. */
export interface Client extends OperationClient {
  /** Refuses what waits, lets what is on its way finish, closes the connections. May be called again. */
  close(): Promise<void>;
}

/** The rate that the service allows. */
const SERVICE_REQUESTS_PER_SECOND = 5;

/**
 * A client of the whole service: one token, one budget, one pool of connections.
 * @throws TypeError for a base URL, token or rate that cannot be.
 */
export function createClient(options: ClientOptions): Client;
// The types of the groups follow from the rows, which no compiler sees in a loop over them: hence two signatures.
export function createClient(options: ClientOptions): object {
  const { requestsPerSecond = SERVICE_REQUESTS_PER_SECOND, ...rest } = options;
  const transport = createTransport({
    ...rest,
    requestsPerSecond,
    clock: systemClock,
    random: Math.random,
  });
  return { ...createGroups(transport), close: () => transport.close() };
}

function createGroups(transport: Transport): object {
  const groups = Object.entries(operationGroups).map(([group, operations]) => [
    group,
    createGroup(transport, Object.entries(operations)),
  ]);
  return Object.fromEntries(groups);
}

function createGroup(transport: Transport, operations: [string, Operation][]): object {
  return Object.fromEntries(
    operations.map(([name, operation]) => [name, toMethod(transport, operation)]),
  );
}

function toMethod(transport: Transport, operation: Operation): object {
  const method = (args: unknown = {}, { signal, timeoutMs }: ClientCallOptions = {}) =>
    transport.callChecked(operation, args, { signal, withinMs: timeoutMs });
  return Object.assign(method, { operation });
}
