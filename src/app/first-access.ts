import { randomBytes } from 'node:crypto';
import { assertServable } from '../settings/cross-rules.ts';
import type { Settings } from '../settings/schema.ts';
import { listLiveCredentials } from '../store/credentials/tokens.ts';
import { findFact, saveFact } from '../store/facts.ts';
import type { Store, StoreOptions } from '../store/store.ts';
import { systemClock } from '../telemetry/system-clock.ts';
import { openMigratedStore } from './compose.ts';

/**
 * Opens the store of the settings and makes sure that somebody may ask.
 * @throws StoreError; SettingsError when nobody could ever use a real service through the bridge
 */
export async function openServableStore(
  settings: Settings,
  watch: Pick<StoreOptions, 'patience' | 'onConnectionLost'>,
): Promise<Store> {
  const store = await openMigratedStore(settings, watch);
  try {
    const purposes = (await listLiveCredentials(store.read)).map(({ purpose }) => purpose);
    const hasProvider = purposes.includes('scim') || purposes.includes('client');
    assertServable(settings, { hasProvider, hasOperator: purposes.includes('operator') });
    return store;
  } catch (error) {
    await store.close();
    throw error;
  }
}

const TOKEN_FACT = 'first-run-token';

/** The tokens of the settings, or in front of the sandbox the one that the first run made up and the store keeps. */
export async function readScimTokens(
  { scim, upstream }: Settings,
  store: Store,
): Promise<readonly string[]> {
  if (scim.tokens.length > 0 || upstream.url !== undefined) return scim.tokens;
  const kept = await findFact<string>(store.read, TOKEN_FACT);
  if (kept !== undefined) return [kept];
  const token = randomBytes(24).toString('base64url');
  const now = systemClock.now();
  await store.write((tx) => saveFact(tx, { name: TOKEN_FACT, value: token, now }));
  return [token];
}
