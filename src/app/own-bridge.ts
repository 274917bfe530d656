import { randomBytes } from 'node:crypto';
import type { Server } from 'node:http';
import type { BridgeError } from '../domain/errors.ts';
import type { Settings } from '../settings/schema.ts';
import { createLogger } from '../telemetry/logger.ts';
import { createMetrics } from '../telemetry/metrics.ts';
import { systemClock } from '../telemetry/system-clock.ts';
import { createBridge, openMigratedStore } from './compose.ts';
import { listen, toPort } from './guarded-server.ts';
import { createOpsClient, type OpsClient } from './ops-client.ts';
import { toConnectionLimits } from './settings.ts';
import { createStartingApp } from './starting-app.ts';
import { openTarget } from './target.ts';

const HOST = '127.0.0.1';

/**
 * Runs a bridge that serves no provider for as long as a job takes, which asks it as an operator does: for a
 * schedule where no bridge is running. Nothing happens in it that the job does not ask for.
 * @throws StoreError `store-in-use` when a running bridge has the store; BridgeError `other-service`
 */
export async function withOwnBridge<T>(
  settings: Settings,
  job: (client: OpsClient) => Promise<T>,
): Promise<T> {
  const token = randomBytes(24).toString('base64url');
  const store = await openMigratedStore(settings);
  const servers: Server[] = [];
  const logger = createLogger({ level: 'silent' });
  const metrics = createMetrics();
  const { target, close: closeTarget } = await openTarget(settings);
  try {
    const app = createStartingApp({ clock: systemClock, logger, metrics });
    const limits = toConnectionLimits(settings);
    const listener = await listen({ host: HOST, port: 0, limits, app }, servers);
    const port = toPort(listener.server);
    const own: Settings = {
      ...settings,
      host: HOST,
      ops: { token, port, readersSeeNames: 'yes' },
      sweep: { ...settings.sweep, interval: 0 },
      audit: { ...settings.audit, pollInterval: 0 },
    };
    const bridge = await createBridge({
      settings: own,
      // Its job asks for neither.
      about: { version: 'job', startedAt: systemClock.now(), settings: [] },
      store,
      target,
      // Only this process knows it, and SCIM is not listened to.
      scimTokens: [randomBytes(24).toString('base64url')],
      publicUrl: `http://${HOST}`,
      clock: systemClock,
      random: Math.random,
      logger,
      metrics,
      findOverload: () => undefined,
    });
    try {
      await bridge.start();
      listener.serve(bridge.opsApp);
      const broken = bridge.leadership.broken.then((error: BridgeError) => Promise.reject(error));
      return await Promise.race([job(createOpsClient(own)), broken]);
    } finally {
      bridge.drain();
      await bridge.stop();
    }
  } finally {
    for (const server of servers) {
      server.close();
      server.closeAllConnections();
    }
    await closeTarget();
    await store.close();
  }
}
