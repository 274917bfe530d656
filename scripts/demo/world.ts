import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { request } from 'undici';
import { serve } from '../../src/main.ts';
import { type Sandbox, startSandbox } from '../../src/sandbox/sandbox.ts';
import type { SandboxService } from '../../src/sandbox/service.ts';
import { loadSettings } from '../../src/settings/load.ts';

const POLL_MS = 50;
/** The machine may be busy. */
const PATIENCE_MS = 20_000;

/** The story did not go as it is told. */
export class DemoError extends Error {
  override readonly name = 'DemoError';
}

/** Nothing is told that is not so. @throws DemoError */
export function expectThat(isSo: boolean, what: string): void {
  if (!isSo) throw new DemoError(`expected that ${what}`);
}

/** Waits until it is so, and returns what was read then. @throws DemoError after 20 s */
export async function until<T>(
  what: string,
  read: () => Promise<T>,
  isSo: (value: T) => boolean,
): Promise<T> {
  const deadline = performance.now() + PATIENCE_MS;
  for (;;) {
    const value = await read();
    if (isSo(value)) return value;
    if (performance.now() > deadline) {
      const last = JSON.stringify(value);
      throw new DemoError(`waited ${PATIENCE_MS / 1_000} s in vain until ${what}: ${last}`);
    }
    await sleep(POLL_MS);
  }
}

/** A party that asks the bridge for something. */
export type Party = 'okta' | 'operator';

/** The administrator who changes things behind the providers' backs, and from where. */
export const ADMIN = { email: 'mallory@example.com', address: '198.51.100.7' } as const;

/** Person of whom no provider knows. */
export const ALAN = 'alan@example.com';
/** The group that Okta pushes. */
export const PAYROLL = 'Payroll';

/** A bridge in front of an imitation of the service, both served over HTTP on loopback. */
export interface World {
  /** The bridge, without a slash at the end. */
  readonly url: string;
  readonly tokens: Readonly<Record<Party, string>>;
  /** The service as its own pages show it. */
  readonly service: SandboxService;
  /** The service as the administrator changes it. */
  readonly behindTheBack: SandboxService;
  /** Leaves nothing behind. */
  stop(): Promise<void>;
}

/** Starts everything and waits until the bridge has read the service. @throws DemoError, or what the start throws */
export async function openWorld(): Promise<World> {
  const folder = mkdtempSync(join(tmpdir(), 'scim-bridge-demo-'));
  const tokens = { okta: newToken(), operator: newToken() };
  const sandbox = await startSandbox({ token: newToken() });
  sandbox.service.addUser({ email: ADMIN.email, fullName: 'Mallory Example' });
  sandbox.service.addUser({ email: ALAN, fullName: 'Alan Turing' });
  sandbox.service.createGroup({ name: PAYROLL });
  const bridge = serveBridge(toEnv(folder, { sandbox, tokens }));
  const stop = async () => {
    try {
      await bridge.stop();
    } finally {
      await sandbox.stop();
      rmSync(folder, { recursive: true, force: true });
    }
  };
  try {
    const url = await bridge.listening;
    await until(
      'the bridge has read the service',
      () => readStatus(url),
      (status) => status === 200,
    );
    const { service } = sandbox;
    const behindTheBack = service.as(ADMIN.email, ADMIN.address);
    return { url, tokens, service, behindTheBack, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** Begins so that whoever searches the output for a secret finds it. */
function newToken(): string {
  return `demo-secret-${randomBytes(16).toString('hex')}`;
}

/** Settings that an operator would change; the rest is as always. */
function toEnv(
  folder: string,
  { sandbox, tokens }: Pick<World, 'tokens'> & { readonly sandbox: Sandbox },
): Record<string, string> {
  return {
    HOST: '127.0.0.1',
    PORT: '0',
    LOG_LEVEL: 'silent',
    DATABASE_URL: `sqlite:${join(folder, 'bridge.db')}`,
    UPSTREAM_URL: sandbox.url,
    UPSTREAM_TOKEN: sandbox.token,
    UPSTREAM_REQUESTS_PER_SECOND: '100',
    SCIM_TOKENS: tokens.okta,
    OPS_TOKEN: tokens.operator,
    AUDIT_POLL_INTERVAL: '1s',
    DRIFT_POLICY: 'repair',
    DRIFT_SETTLE: '0s',
  };
}

/** `scim-bridge serve`, in this process; `listening` is its address, and rejects when it ends before that. */
function serveBridge(env: Record<string, string>) {
  const stopping = Promise.withResolvers<string>();
  const listening = Promise.withResolvers<string>();
  const settings = loadSettings({ env, readFile: () => '' });
  const running = serve(settings, {
    env: {},
    write(banner) {
      const url = /^SCIM base URL\s+(http\S+)\/scim\/v2$/m.exec(banner)?.[1];
      if (url !== undefined) listening.resolve(url);
    },
    untilStopped: () => stopping.promise,
  });
  running.then(
    () => listening.reject(new DemoError('the bridge ended before it listened')),
    listening.reject,
  );
  return {
    listening: listening.promise,
    async stop() {
      stopping.resolve('the end of the demo');
      await running;
    },
  };
}

async function readStatus(url: string): Promise<number> {
  const { statusCode, body } = await request(`${url}/readyz`);
  await body.dump();
  return statusCode;
}
