import { randomBytes } from 'node:crypto';
import express from 'express';
import { createAccess } from '../access/access.ts';
import type { Credential } from '../domain/credential.ts';
import { BridgeError } from '../domain/errors.ts';
import { DEFAULT_PROVIDER } from '../domain/provider.ts';
import { createTokenCheck } from '../domain/token-check.ts';
import { createAccessRouter } from '../ops/access/router.ts';
import { requireOperator } from '../ops/http/operator.ts';
import type { Settings } from '../settings/schema.ts';
import { openStoreClock } from '../store/engine/store-clock.ts';
import { StoreError } from '../store/engine/store-error.ts';
import type { Store } from '../store/store.ts';
import { systemClock } from '../telemetry/system-clock.ts';
import { openMigratedStore } from './compose.ts';
import { listen, toPort } from './guarded-server.ts';
import { createOpsClient, type OpsClient } from './ops-client.ts';
import { toConnectionLimits, toKeyHosts, toSessionLimits } from './settings.ts';

const HOST = '127.0.0.1';
/** Only this process knows the token, and the way in is open for a moment. */
const NOT_COUNTED = { failed: async () => ({ kind: 'refused' }) as const };
/** Credential of a command that has the store, which needs no other. */
const COMMAND: Credential = {
  id: 'command',
  name: 'a command',
  purpose: 'operator',
  profile: 'lenient',
  provider: DEFAULT_PROVIDER,
};

/**
 * Answers a job about tokens and clients as a bridge does, from the store alone: for a machine where no bridge is
 * running, before its first start for instance. The service is not asked.
 * @throws StoreError; BridgeError `ops-failed` when a running bridge has the store
 */
export async function withOwnAccess(
  settings: Settings,
  job: (client: OpsClient) => Promise<void>,
): Promise<void> {
  const store = await openFreeStore(settings);
  try {
    await serveAccess(settings, store, job);
  } finally {
    await store.close();
  }
}

async function openFreeStore(settings: Settings): Promise<Store> {
  try {
    return await openMigratedStore(settings);
  } catch (cause) {
    if (!(cause instanceof StoreError) || cause.code !== 'store-in-use') throw cause;
    const message =
      'a bridge is running on this store and can be asked only as an operator: set OPS_TOKEN, for it and for this command';
    throw new BridgeError('ops-failed', message, { cause });
  }
}

async function serveAccess(
  settings: Settings,
  store: Store,
  job: (client: OpsClient) => Promise<void>,
): Promise<void> {
  const token = randomBytes(24).toString('base64url');
  const isOurs = createTokenCheck([token]);
  const access = createAccess({
    store,
    clock: await openStoreClock(store, systemClock),
    given: { scim: [], operator: undefined, reader: undefined, metrics: undefined },
    sessionLimits: toSessionLimits(settings),
    onFailure: () => undefined,
    keyHosts: toKeyHosts(settings),
    keysFailed: () => undefined,
  });
  const limits = toConnectionLimits(settings);
  const findCredential = async (presented: string) => (isOurs(presented) ? COMMAND : undefined);
  const letIn = requireOperator({ findCredential, attempts: NOT_COUNTED, sessions: undefined });
  const app = express().use('/ops', letIn, createAccessRouter(access));
  const { server } = await listen({ host: HOST, port: 0, limits, app }, []);
  try {
    const { url: _, readerToken: __, metricsToken: ___, commandToken: ____, ...ops } = settings.ops;
    await job(
      createOpsClient({ ...settings, host: HOST, ops: { ...ops, token, port: toPort(server) } }),
    );
  } finally {
    server.close();
    server.closeAllConnections();
  }
}
