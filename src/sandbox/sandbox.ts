import { once } from 'node:events';
import type { Server } from 'node:http';
import { CallLog } from './calls.ts';
import { answerControl, type Controlled } from './control.ts';
import type { Seed } from './directory.ts';
import { createDirectory } from './directory.ts';
import { Faults } from './faults.ts';
import { createRequestListener } from './http/serve.ts';
import { openJournal } from './journal.ts';
import { SandboxService } from './service.ts';
import {
  changeShape,
  type SandboxPreset,
  type SandboxShape,
  type SandboxShapeChange,
  sandboxPresets,
} from './shape.ts';
import type { Journal } from './state.ts';

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
  const file = options.file === undefined ? undefined : openJournal(options.file);
  try {
    return await serve(options, file);
  } catch (error) {
    file?.close();
    throw error;
  }
}

async function serve(options: SandboxOptions, file: Journal | undefined): Promise<Sandbox> {
  let shape = toShape(options.shape ?? {}, sandboxPresets.documented);
  const directory = createDirectory(file, options.clock ?? Date.now, () => shape);
  const service = new SandboxService(directory);
  if (options.seed && directory.state.users.size === 1) service.seed(options.seed);
  // Not imported, for the memory: see `guarded-server.ts`.
  const { createServer } = process.getBuiltinModule('node:http');
  const server = createServer({ keepAliveTimeout: 60_000 });
  const sandbox: Sandbox = {
    url: await listen(server, options),
    token: options.token ?? directory.state.company.token,
    service,
    calls: new CallLog(),
    faults: new Faults(),
    get shape() {
      return shape;
    },
    setShape(change) {
      shape = toShape(change, shape);
    },
    reset() {
      service.clear();
      sandbox.faults.clear();
      sandbox.calls.reset();
    },
    async stop() {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
      file?.close();
    },
  };
  const { url: baseUrl, token, calls, faults } = sandbox;
  const control = (request: string, body: unknown) => answerControl(sandbox, request, body);
  const listener = createRequestListener({ directory, faults, calls, token, baseUrl, control });
  server.on('request', listener);
  return sandbox;
}

function toShape(change: SandboxPreset | SandboxShapeChange, base: SandboxShape): SandboxShape {
  return typeof change === 'string' ? sandboxPresets[change] : changeShape(base, change);
}

async function listen(server: Server, { host = '127.0.0.1', port = 0 }: SandboxOptions) {
  server.listen(port, host);
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the sandbox has no port');
  const name = host.includes(':') ? `[${host}]` : host;
  return `http://${name}:${address.port}`;
}
