import { once } from 'node:events';
import type { RequestListener, Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { BridgeError } from '../domain/errors.ts';
import { type ConnectionLimits, createGuardedServer } from './guarded-server.ts';

/** Where to listen, and what whoever connects may do. */
export interface ListenOptions {
  readonly host: string;
  readonly port: number;
  readonly limits: ConnectionLimits;
  /** Answers from the first request on, until another one does. */
  readonly app: RequestListener;
}

/** A port that is open, on which every request is answered. */
export interface Listener {
  readonly server: Server;
  /** Has this application answer from now on. */
  serve(app: RequestListener): void;
}

/**
 * Takes a port before anything else runs, so that one in use is told at once. The server is added to those to be closed.
 * @throws BridgeError `listen-failed`
 */
export async function listen(
  { host, port, limits, app }: ListenOptions,
  servers: Server[],
): Promise<Listener> {
  const server = createGuardedServer(limits);
  servers.push(server);
  let current = app;
  server.on('request', (req, res) => current(req, res));
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
  return {
    server,
    serve(next) {
      current = next;
    },
  };
}

/** The port that a listener got. */
export function toPort(server: Server): number {
  return parseAddress(server.address()).port;
}

function parseAddress(address: ReturnType<Server['address']>): AddressInfo {
  return address as AddressInfo;
}
