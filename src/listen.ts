import { once } from 'node:events';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { BridgeError } from './domain/errors.ts';
import { type ConnectionLimits, createGuardedServer } from './guarded-server.ts';

/** Where to listen, and what whoever connects may do. */
export interface ListenOptions {
  readonly host: string;
  readonly port: number;
  readonly limits: ConnectionLimits;
}

/**
 * Takes a port before anything else runs, so that one in use is told at once. The listener is added to those to be closed.
 * @throws BridgeError `listen-failed`
 */
export async function listen(
  { host, port, limits }: ListenOptions,
  listeners: Server[],
): Promise<Server> {
  const server = createGuardedServer(limits);
  listeners.push(server);
  server.listen(port, host);
  try {
    await once(server, 'listening');
  } catch (cause) {
    const why = cause instanceof Error && 'code' in cause ? String(cause.code) : 'unknown';
    const detail = why === 'EADDRINUSE' ? 'it is in use' : why;
    throw new BridgeError('listen-failed', `cannot listen on ${host}:${port}: ${detail}`, {
      cause,
    });
  }
  return server;
}

/** The port that a listener got. */
export function toPort(server: Server): number {
  return parseAddress(server.address()).port;
}

function parseAddress(address: ReturnType<Server['address']>): AddressInfo {
  return address as AddressInfo;
}
