import { once } from 'node:events';
import type { Server } from 'node:http'; // Its values are not imported, for the memory: see guarded-server.ts.
import { CallLog } from './calls.ts';
import type { Controlled } from './control.ts';
import { answerControl } from './control.ts';
import { Faults } from './faults.ts';
import { createRequestListener } from './http/serve.ts';
import type { Seed } from './seed.ts';
import { SandboxService } from './service.ts';
import type { SandboxPreset, SandboxShape, SandboxShapeChange } from './shape.ts';
import { changeShape, sandboxPresets } from './shape.ts';
import { State } from './state.ts';

/** Options of a sandbox; every field has a default. */
export interface SandboxOptions {
  /** Default 127.0.0.1. */
  readonly host?: string | undefined;
  /** Default 0: any free port. */
  readonly port?: number | undefined;
  /** File of the state; without it the state ends with the sandbox. */
  readonly file?: string | undefined;
  /** Default: made once and kept in the file. */
  readonly token?: string | undefined;
  /** A preset, or changes to `documented`. */
  readonly shape?: SandboxPreset | SandboxShapeChange | undefined;
  /** Invented when there is no account but the owner yet. */
  readonly seed?: Seed | undefined;
  /** Milliseconds since 1970. */
  readonly clock?: (() => number) | undefined;
}

/** A running sandbox. */
export interface Sandbox extends Controlled {
  readonly shape: SandboxShape;
  setShape(change: SandboxPreset | SandboxShapeChange): void;
  /** The `{base_url}` of the service, without a slash at the end. */
  readonly url: string;
  readonly token: string;
  /** Cuts open connections and closes the file. */
  stop(): Promise<void>;
}

/**
 * Serves an imitation of the work-management service over HTTP: exactly the documented operations of `operations.ts`,
 * for a company with one owner account, `owner@example.com`, to whom the token belongs.
 * @throws Error when the port or the file is in use.
 */
export async function startSandbox(options: SandboxOptions = {}): Promise<Sandbox> {
  const state = new State(options.file);
  const nowMs = options.clock ?? Date.now;
  const shape = changeShape(sandboxPresets.documented, options.shape ?? {});
  const service = new SandboxService({ state, nowMs, shape });
  if (options.seed && state.users.nextId === 2) service.seed(options.seed);
  const server = process.getBuiltinModule('node:http').createServer({ keepAliveTimeout: 60_000 });
  const url = await listen(server, options).catch((error: unknown) => {
    state.close();
    throw error;
  });
  const token = options.token ?? state.company.token;
  const [calls, faults] = [new CallLog(), new Faults()];
  const sandbox: Sandbox = {
    url,
    token,
    service,
    calls,
    faults,
    get shape() {
      return service.shape;
    },
    setShape(change) {
      service.inputs.shape = changeShape(service.shape, change);
    },
    reset() {
      service.clear();
      faults.clear();
      calls.reset();
    },
    async stop() {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
      state.close();
    },
  };
  const control = (request: string, body: unknown) => answerControl(sandbox, request, body);
  const deps = { service, faults, calls, token, baseUrl: url, control };
  server.on('request', createRequestListener(deps));
  return sandbox;
}

async function listen(server: Server, { host = '127.0.0.1', port = 0 }: SandboxOptions) {
  server.listen(port, host);
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the sandbox has no port');
  const name = host.includes(':') ? `[${host}]` : host;
  return `http://${name}:${address.port}`;
}
