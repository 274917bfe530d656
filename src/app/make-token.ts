import { createTokens } from '../access/credentials.ts';
import { Refusal } from '../access/refusal.ts';
import { BridgeError } from '../domain/errors.ts';
import { makeToken } from '../ops/access/routes.ts';
import { parseBody } from '../ops/http/body.ts';
import { createActLog } from '../ops/records/logs.ts';
import { opsSchemas } from '../ops/schemas/schemas.ts';
import type { Settings } from '../settings/schema.ts';
import { toStoreUrl } from '../settings/store-url.ts';
import { openStore } from '../store/engine/database.ts';
import { openStoreClock } from '../store/engine/store-clock.ts';
import { StoreError } from '../store/engine/store-error.ts';
import { createRecorder } from '../store/recorder.ts';
import type { Store } from '../store/store.ts';
import { systemClock } from '../telemetry/system-clock.ts';
import { openMigratedStore } from './first-access.ts';

/** Who acts: whoever may write the store may do anything with it. */
const COMMAND = { operator: 'command', credential: 'command', requestId: '', remoteAddress: '' };

/**
 * Makes a token in the store, with an act as its record; a refusal leaves none. @param body of `POST /tokens` @throws
 * StoreError; BridgeError `ops-failed` for a taken name
 */
export async function makeTokenInStore(settings: Settings, body: object) {
  const opened = await openMigratedStore(settings).catch((error) => openBeside(settings, error));
  try {
    const { store, openRecord } = createRecorder(opened);
    const clock = await openStoreClock(store, systemClock);
    const nobody = () => undefined;
    const acts = createActLog({ store, openRecord, clock, report: nobody, onFailure: nobody });
    const act = { ...COMMAND, method: 'POST', route: '/ops/tokens', change: undefined };
    const record = acts.open(() => ({ ...act, status: undefined, target: undefined }));
    const tokens = createTokens({ store, clock });
    const given = parseBody(opsSchemas.TokenBody, body);
    const made = await record.run(() => makeToken(tokens, given, COMMAND.credential));
    record.end([{ ...act, status: 201, target: made.target }]);
    await acts.stored();
    return made.json;
  } catch (cause) {
    throw cause instanceof Refusal
      ? new BridgeError('ops-failed', cause.message, { cause })
      : cause;
  } finally {
    await opened.close();
  }
}

/** Opens the store of a bridge that runs. @throws StoreError */
async function openBeside(settings: Settings, error: unknown): Promise<Store> {
  if (!(error instanceof StoreError) || error.code !== 'store-in-use') throw error;
  return openStore({ url: toStoreUrl(settings), beside: true });
}
