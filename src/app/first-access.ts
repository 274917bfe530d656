import { randomBytes } from 'node:crypto';
import { rm, writeFile } from 'node:fs/promises';
import { createRarely } from '../access/attempts.ts';
import { createTokens } from '../access/credentials.ts';
import { makeLink } from '../access/sessions.ts';
import { CONSOLE_PATH } from '../console/pages.ts';
import { makeToken } from '../ops/access/routes.ts';
import { parseBody } from '../ops/http/body.ts';
import { createActLog } from '../ops/records/logs.ts';
import { opsSchemas } from '../ops/schemas/schemas.ts';
import { assertServable } from '../settings/cross-rules.ts';
import { findStoreFile, toStoreUrl } from '../settings/load.ts';
import type { Settings } from '../settings/schema.ts';
import { listLiveCredentials } from '../store/credentials.ts';
import { openStore, openStoreClock } from '../store/engine/database.ts';
import { migrate } from '../store/engine/migrate.ts';
import { StoreError } from '../store/engine/store-error.ts';
import type { Store, StoreOptions } from '../store/store.ts';
import { createShared } from '../store/tables.ts';
import type { Events } from '../telemetry/events.ts';
import { systemClock } from '../telemetry/system-clock.ts';

/** Who acts: whoever may write the store may do anything with it. */
const COMMAND = { operator: 'command', credential: 'command', requestId: '', remoteAddress: '' };

/** Makes a token in the store, with an act as its record; a refusal leaves none. @param body of `POST /tokens` @throws StoreError, Refusal */
export async function makeTokenInStore(settings: Settings, body: object) {
  const store = await openMigratedStore(settings).catch((error) => openBeside(settings, error));
  try {
    const clock = await openStoreClock(store, systemClock);
    const nobody = () => undefined;
    const acts = createActLog({ store, clock, report: nobody, onFailure: nobody });
    const act = { ...COMMAND, method: 'POST', route: '/ops/tokens', act: 'token create' };
    const record = acts.open(() => ({ ...act, status: undefined, target: undefined }));
    const tokens = createTokens({ store, clock });
    const given = parseBody(opsSchemas.TokenBody, body);
    const made = await record.run(() => makeToken(tokens, given, COMMAND.credential));
    record.end([{ ...act, status: 201, target: made.target }]);
    await acts.stored();
    return made.json;
  } finally {
    await store.close();
  }
}

/** Opens the store of a bridge that runs. @throws StoreError */
async function openBeside(settings: Settings, error: unknown): Promise<Store> {
  if (!(error instanceof StoreError) || error.code !== 'store-in-use') throw error;
  return openStore({ url: toStoreUrl(settings), beside: true });
}

/** Opens the store of the settings and brings its schema up to date. @throws StoreError, and what `check` throws */
export async function openMigratedStore(
  settings: Settings,
  options: Pick<StoreOptions, 'deadline' | 'onConnectionLost' | 'findUrl'> = {},
  check: (store: Store) => Promise<void> = async () => undefined,
): Promise<Store> {
  const store = await openStore({ url: toStoreUrl(settings), ...options }).catch(refuseSecond);
  try {
    await migrate(store);
    await check(store);
    return store;
  } catch (error) {
    await store.close();
    throw error;
  }
}

/** Says to the second bridge on a file what several need. @throws the error */
function refuseSecond(error: unknown): never {
  if (!(error instanceof StoreError) || error.code !== 'store-in-use') throw error;
  const message = `${error.message}; several bridges on one store need PostgreSQL`;
  throw new StoreError(error.code, message, { cause: error });
}

/** Opens the store and makes sure that it can be used. @throws StoreError; SettingsError when no credential ever could */
export function openServableStore(
  settings: Settings,
  watch: Pick<StoreOptions, 'deadline' | 'onConnectionLost' | 'findUrl'>,
): Promise<Store> {
  return openMigratedStore(settings, watch, async ({ read }) => {
    const live = await listLiveCredentials(read);
    const isOpen = live.some(({ purpose }) => ['scim', 'client', 'operator'].includes(purpose));
    assertServable(settings, isOpen);
  });
}

/** Tokens that the settings give, or that the first run made. */
export type FirstTokens = Awaited<ReturnType<typeof readTokens>>;

/** Reads the tokens of the settings or, in front of the sandbox, those that the first run made up. */
export async function readTokens({ scim, ops, upstream }: Settings, store: Store) {
  const isSandbox = upstream.url === undefined;
  const isMade = isSandbox && scim.tokens.length === 0;
  const scimTokens = isMade ? [await keepMade(store, 'first-run-token')] : scim.tokens;
  if (!isSandbox || ops.token !== undefined) return { scimTokens, operator: undefined };
  return { scimTokens, operator: await keepMade(store, 'first-run-operator') };
}

/** The token that the store keeps under this name, made when it is asked for first. */
async function keepMade(store: Store, name: string): Promise<string> {
  const shared = createShared<string>(name);
  const kept = await shared.find(store.read);
  if (kept !== undefined) return kept;
  const value = randomBytes(24).toString('base64url');
  await store.write((tx) => shared.save(tx, value, systemClock.now()));
  return value;
}

/** Writes a link that signs an operator in, once, into a file beside the store, while nobody could otherwise; undefined: not. */
export async function writeSignInLink(
  settings: Settings,
  store: Store,
  { opsUrl, operator }: { readonly opsUrl: string; readonly operator: string | undefined },
): Promise<string | undefined> {
  const file = findStoreFile(settings);
  if (file === undefined) return undefined;
  const path = `${file}-sign-in`;
  await rm(path, { force: true });
  const { ops, oidc } = settings;
  const isGiven = [ops.token, oidc.issuer, operator].some((one) => one !== undefined);
  const live = await listLiveCredentials(store.read);
  if (isGiven || live.some(({ purpose }) => purpose === 'operator')) return undefined;
  const secret = await makeLink(store, systemClock.now());
  if (secret === undefined) return undefined;
  const link = `${settings.console.url ?? opsUrl}${CONSOLE_PATH}/link?once=${secret}\n`;
  await writeFile(path, link, { mode: 0o600, flag: 'wx' });
  return path;
}

/** Time that a start waits for a PostgreSQL that is not there yet, in milliseconds. */
const DEADLINE_MS = 60_000;

/** Waits for a database that starts beside the bridge, or is just changing over, until the bridge is stopped. */
export function toStoreWatch(
  events: Events,
  stopped: Promise<string>,
): Pick<StoreOptions, 'deadline' | 'onConnectionLost'> {
  const stopping = new AbortController();
  void stopped.then(() => stopping.abort());
  const rarely = createRarely();
  let isLogged = false;
  return {
    deadline: {
      ms: DEADLINE_MS,
      signal: stopping.signal,
      onWait(error) {
        if (!isLogged) events.storeAwaited({ error });
        isLogged = true;
      },
    },
    // A server that ends takes all of them.
    onConnectionLost(error) {
      if (rarely.take('connection', systemClock.now()) > 0)
        events.storeConnectionLost({ code: String(Object(error).code ?? 'unknown') });
    },
  };
}
