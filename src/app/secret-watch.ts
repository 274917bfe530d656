import { readFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import type { LoadedSettings } from '../settings/load.ts';
import { settingRows } from '../settings/rows.ts';
import type { Settings } from '../settings/schema.ts';
import { findAt } from '../settings/tree.ts';
import type { Events } from '../telemetry/events.ts';

/** Interval at which the files of secrets are looked at, in milliseconds. */
const LOOK_MS = 5_000;
/** Time for which a changed file has to stay as it is, so that none is read half written, in milliseconds. */
const SETTLED_MS = 100;

/** Settings that hold from the next request on, without a restart. */
const RENEWABLE = ['upstream.token', 'scim.tokens', 'ops.token', 'ops.readerToken', 'database.url'];

/** Parts of a watch. */
interface SecretWatchDeps {
  readonly loaded: LoadedSettings;
  /** Reads the settings again. @throws SettingsError */
  readonly reload: () => LoadedSettings;
  readonly events: Events;
}

/** Watch of the files that hold secrets. */
export type SecretWatch = ReturnType<typeof createSecretWatch>;

/** Creates a watch: what cannot be used changes nothing, and is logged once. */
export function createSecretWatch({ loaded, reload, events }: SecretWatchDeps) {
  const files = loaded.secretFiles;
  let current = loaded.settings;
  let onChange: (settings: Settings) => void = () => undefined;
  let seen: string | undefined;
  let timer: NodeJS.Timeout | undefined;
  let isStopped = false;

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

  async function look(): Promise<void> {
    const before = await readAll(files);
    if (before !== undefined && before !== seen) {
      await sleep(SETTLED_MS);
      if ((await readAll(files)) === before) {
        const isFirst = seen === undefined;
        seen = before;
        if (!isFirst) reloadNow();
      }
    }
    if (!isStopped) timer = setTimeout(look, LOOK_MS).unref();
  }

  return {
    /** The settings of the start with the secrets of now. */
    current: () => current,
    /** Has `hear` called at each change from now on. */
    listen(hear: (settings: Settings) => void) {
      onChange = hear;
    },
    start() {
      if (files.length > 0) void look();
    },
    stop() {
      isStopped = true;
      clearTimeout(timer);
    },
    /** Reads the settings again at once, as SIGHUP asks. */
    reload: reloadNow,
  };
}

/** Everything that the files say; undefined while one of them cannot be read. */
async function readAll(paths: readonly string[]): Promise<string | undefined> {
  try {
    return JSON.stringify(await Promise.all(paths.map((path) => readFile(path, 'utf8'))));
  } catch {
    return undefined; // It may be replaced just now; the value of before holds until then.
  }
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
