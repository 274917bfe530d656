import { type Stats, unwatchFile, watchFile } from 'node:fs';
import { isDeepStrictEqual } from 'node:util';
import type { LoadedSettings } from '../settings/load.ts';
import { findAt, settingRows } from '../settings/rows.ts';
import type { Settings } from '../settings/schema.ts';
import type { Events } from '../telemetry/events.ts';

/** Interval at which the files of secrets are looked at, in milliseconds. */
const LOOK_MS = 5_000;
/** Time after a change until it is read, so that no file is read half written, in milliseconds. */
const SETTLED_MS = 100;

/** Settings that hold from the next request on, without a restart. */
const RENEWABLE = ['upstream.token', 'scim.tokens', 'ops.token', 'ops.readerToken', 'database.url'];

/** Watch of the files that hold secrets. */
export type SecretWatch = ReturnType<typeof createSecretWatch>;

/** Creates a watch, which begins at once: what cannot be used changes nothing, and is logged. */
export function createSecretWatch(
  { settings, secretFiles }: LoadedSettings,
  { reload, events }: { readonly reload: () => LoadedSettings; readonly events: Events },
) {
  let current = settings;
  let onChange: (settings: Settings) => void = () => undefined;
  let timer: NodeJS.Timeout | undefined;

  function reloadNow(): void {
    try {
      const next = reload().settings;
      const { secrets, others } = listChanges(current, next);
      if (others.length > 0) events.restartNeeded({ settings: others.join(', ') });
      if (secrets.length === 0) return;
      current = withSecrets(current, next);
      onChange(current);
      events.secretsRenewed({ settings: secrets.join(', ') });
    } catch (error) {
      events.secretsRefused({ error });
    }
  }

  function onFile(now: Stats): void {
    // A file that is not there is being replaced.
    if (now.nlink === 0) return;
    clearTimeout(timer);
    timer = setTimeout(reloadNow, SETTLED_MS).unref();
  }

  for (const file of secretFiles) watchFile(file, { interval: LOOK_MS, persistent: false }, onFile);
  return {
    /** The settings of the start with the secrets of now. */
    current: () => current,
    /** Has `hear` called at each change from now on. */
    listen(hear: (settings: Settings) => void) {
      onChange = hear;
    },
    stop() {
      for (const file of secretFiles) unwatchFile(file, onFile);
      clearTimeout(timer);
    },
    /** Reads the settings again at once, as SIGHUP asks. */
    reload: reloadNow,
  };
}

/** Names of settings that differ: those that hold at once, and those that need a restart. */
function listChanges(before: Settings, after: Settings) {
  const changed = settingRows
    .filter(({ path }) => !isDeepStrictEqual(findAt(before, path), findAt(after, path)))
    .map(({ name }) => name);
  const isRenewable = (name: string) =>
    RENEWABLE.includes(name) && (name !== 'database.url' || isSameDatabase(before, after));
  return {
    secrets: changed.filter(isRenewable),
    others: changed.filter((name) => !isRenewable(name)),
  };
}

/** True when only the credentials of the address differ: another database would be another store. */
function isSameDatabase(before: Settings, after: Settings): boolean {
  const [one, other] = [before, after].map(({ database }) => toPlace(database.url));
  return one !== undefined && one === other;
}

function toPlace(address: string | undefined): string | undefined {
  const url = URL.parse(address ?? '');
  if (url === null || !/^postgres/.test(url.protocol)) return undefined;
  url.username = '';
  url.password = '';
  return url.href;
}

/** The settings of before with the secrets of after. */
function withSecrets(before: Settings, after: Settings): Settings {
  const { token, readerToken } = after.ops;
  const { token: _operator, readerToken: _reader, ...ops } = before.ops;
  return {
    ...before,
    upstream: { ...before.upstream, ...(after.upstream.token && { token: after.upstream.token }) },
    scim: { ...before.scim, tokens: after.scim.tokens },
    ops: { ...ops, ...(token && { token }), ...(readerToken && { readerToken }) },
    database: isSameDatabase(before, after) ? after.database : before.database,
  };
}
