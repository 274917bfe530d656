import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sql } from 'kysely';
import { openStore } from '../../src/store/engine/database.ts';
import { opsToken } from '../bench/ask-ops.ts';
import type { LoadRequest } from '../bench/load-client.ts';
import { type BenchSandbox, startBenchSandbox } from '../bench/sandbox.ts';
import type { StartCommand } from '../bench/start-command.ts';
import type { SweepSize } from '../bench/sweep-company.ts';
import { startPostgres } from '../support/postgres.ts';
import { type BridgeProcess, startBridge } from '../support/server.ts';
import { adoptCompany } from './adopt-company.ts';
import { createDraws, type LoadCompany } from './draws.ts';
import { createMix } from './mix.ts';

/** Where bridges keep what they know. */
export type LoadEngine = 'sqlite' | 'postgres';

/** A service, a store that knows all of it, and the requests that are to come. */
export interface LoadStage {
  readonly sandbox: BenchSandbox;
  readonly next: () => LoadRequest;
  /** Starts a process and waits until it serves. @param requestsPerSecond to the service; 0: no limit */
  start(requestsPerSecond: number): Promise<BridgeProcess>;
  stop(): Promise<void>;
}

/** What a stage is made of. */
export interface StageOptions {
  readonly engine: LoadEngine;
  readonly size: SweepSize;
  readonly seed: number;
  readonly command: StartCommand;
}

/** How long a request may wait for the service, in milliseconds: the setting's default. */
export const writeWaitMs = 3_000;

const scimToken = 'the-token-of-the-load';
const firstReadMaxMs = 600_000;
/** As an operator runs it: a commit waits for the disk. */
const postgresSettings = ['max_connections=100'];

/** Sets a stage: seeds the service, has a bridge read it, and makes everybody managed. @throws Error without PostgreSQL. */
export async function setStage({ engine, size, seed, command }: StageOptions): Promise<LoadStage> {
  const folder = mkdtempSync(join(tmpdir(), 'scim-bridge-load-'));
  const endings: (() => Promise<unknown>)[] = [
    async () => rmSync(folder, { recursive: true, force: true }),
  ];
  const stop = async () => {
    for (const end of endings.splice(0).reverse()) await end();
  };
  try {
    const sandbox = await startBenchSandbox(size);
    endings.push(sandbox.stop);
    const url = engine === 'sqlite' ? `sqlite:${join(folder, 'bridge.db')}` : await openPostgres();
    const start = (requestsPerSecond: number) =>
      startHere({ folder, url, sandbox, command, requestsPerSecond });
    const reader = await start(0);
    await reader.stop();
    const company = await adoptStored(url);
    return { sandbox, next: createMix(createDraws(company, seed)), start, stop };
  } catch (error) {
    await stop();
    throw error;
  }

  async function openPostgres(): Promise<string> {
    const postgres = await startPostgres(postgresSettings);
    if (postgres === undefined) throw new Error('PostgreSQL is not installed here');
    endings.push(postgres.stop);
    return postgres.url;
  }
}

async function startHere({
  folder,
  url,
  sandbox,
  command,
  requestsPerSecond,
}: {
  folder: string;
  url: string;
  sandbox: BenchSandbox;
  command: StartCommand;
  requestsPerSecond: number;
}): Promise<BridgeProcess> {
  const bridge = await startBridge({
    folder,
    command: command.args,
    env: {
      LIMITS_PROVIDER: '0',
      ...command.env,
      DATABASE_URL: url,
      UPSTREAM_URL: sandbox.url,
      UPSTREAM_TOKEN: sandbox.token,
      UPSTREAM_REQUESTS_PER_SECOND: String(requestsPerSecond),
      SCIM_TOKENS: scimToken,
      SCIM_WRITE_WAIT: `${writeWaitMs}ms`,
      USERS_ADOPT_ON_DELETE: 'yes',
      OPS_TOKEN: opsToken,
      LOG_LEVEL: 'warn',
    },
  });
  try {
    await bridge.ready(firstReadMaxMs);
    return bridge;
  } catch (error) {
    await bridge.kill();
    throw error;
  }
}

async function adoptStored(url: string): Promise<LoadCompany> {
  const store = await openStore({ url });
  try {
    const company = await adoptCompany(store);
    // By itself it does so a minute later.
    if (store.engine === 'postgres') await sql`vacuum analyze`.execute(store.read);
    return company;
  } finally {
    await store.close();
  }
}
