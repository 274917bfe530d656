import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { BridgeError } from './domain/errors.ts';

/**
 * Takes a port before anything else runs, so that one in use is told at once. The listener is added to those to be closed.
 * @throws BridgeError `listen-failed`
 */
export async function listen(host: string, port: number, listeners: Server[]): Promise<Server> {
  const server = createServer();
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
