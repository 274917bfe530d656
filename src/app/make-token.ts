import { createTokens } from '../access/tokens.ts';
import { BridgeError } from '../domain/errors.ts';
import { makeToken } from '../ops/access/tokens.ts';
import { parseBody } from '../ops/http/body.ts';
import { opsSchemas } from '../ops/schemas/schemas.ts';
import type { Settings } from '../settings/schema.ts';
import { openStoreClock } from '../store/engine/store-clock.ts';
import { StoreError } from '../store/engine/store-error.ts';
import type { Store } from '../store/store.ts';
import { systemClock } from '../telemetry/system-clock.ts';
import { openMigratedStore } from './compose.ts';

/**
 * Makes a token in the store alone, as before the first start. @param body of `POST /tokens`
 * @throws StoreError; BridgeError `ops-failed` when a running bridge has the store, or for a name that is taken
 */
export async function makeTokenInStore(settings: Settings, body: object) {
  const store = await openFreeStore(settings);
  try {
    const clock = await openStoreClock(store, systemClock);
    const tokens = createTokens({ store, clock, onRevoked: () => undefined });
    const answer = await makeToken(tokens, parseBody(opsSchemas.TokenBody, body), 'command');
    if (answer.status === 201) return answer.json;
    throw new BridgeError('ops-failed', answer.json.message);
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
