import { readFile } from 'node:fs/promises';
import { isDeepStrictEqual } from 'node:util';
import type { LoadedSettings } from '../settings/load.ts';
import { settingRows } from '../settings/rows.ts';
import type { Settings } from '../settings/schema.ts';
import { findAt } from '../settings/tree.ts';
import { events } from '../telemetry/events.ts';
import type { Logger } from '../telemetry/logger.ts';

/** Interval at which the files of secrets are looked at, in milliseconds. */
const LOOK_MS = 5_000;
/** Time for which a changed file has to stay as it is, so that none is read half written, in milliseconds. */
const SETTLED_MS = 100;

/** Settings that hold from the next request on, without a restart. */
const RENEWABLE: readonly string[] = [
  'upstream.token',
  'scim.tokens',
  'ops.token',
  'ops.readerToken',
  'database.url',
];

/** Parts of a watch. */
export interface SecretWatchDeps {
  readonly loaded: LoadedSettings;
  /** Reads the settings again. @throws SettingsError */
  readonly reload: () => LoadedSettings;
  readonly logger: Logger;
}

/** Watch of the files that hold secrets. */
export interface SecretWatch {
  /** The settings of the start with the secrets of now. */
  current(): Settings;
  /** Has `hear` told of each change from now on. */
  listen(hear: (settings: Settings) => void): void;
  start(): void;
  stop(): void;
  /** Reads the settings again at once, as SIGHUP asks. */
  reload(): void;
}

/** Creates a watch: what cannot be used changes nothing, and is told once. */
export function createSecretWatch({ loaded, reload, logger }: SecretWatchDeps): SecretWatch {
  let current = loaded.settings;
  let tell: (settings: Settings) => void = () => undefined;
  let seen: string | undefined;
  let timer: NodeJS.Timeout | undefined;
  let isLooking = false;

  function reloadNow(): void {
    try {
      const next = reload().settings;
      const { secrets, others } = listChanges(current, next);
      if (others.length > 0) logger.log(events.restartNeeded({ settings: others.join(', ') }));
      if (secrets.length === 0) return;
      current = withSecrets(current, next);
      tell(current);
      logger.log(events.secretsRenewed({ settings: secrets.join(', ') }));
    } catch (error) {
      logger.log(events.secretsRefused({ error }));
    }
  }

  async function look(): Promise<void> {
    const before = await readAll(loaded.secretFiles);
    const isFirst = seen === undefined;
    if (before === undefined || before === seen) return;
    await new Promise((resolve) => setTimeout(resolve, SETTLED_MS));
    if ((await readAll(loaded.secretFiles)) !== before) return;
    seen = before;
    if (!isFirst) reloadNow();
  }

  async function lookOnce(): Promise<void> {
    if (isLooking) return;
    isLooking = true;
    await look();
    isLooking = false;
  }

  return {
    current: () => current,
    listen(hear) {
      tell = hear;
    },
    start() {
      if (loaded.secretFiles.length === 0) return;
      void lookOnce();
      timer = setInterval(() => void lookOnce(), LOOK_MS).unref();
    },
    stop: () => clearInterval(timer),
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

/** Settings that differ: those that hold at once, and those that need a restart. */
function listChanges(
  before: Settings,
  after: Settings,
): { readonly secrets: readonly string[]; readonly others: readonly string[] } {
  const changed = settingRows.filter(
    ({ path }) => !isDeepStrictEqual(findAt(before, path), findAt(after, path)),
  );
  const names = changed.map(({ name }) => name);
  const isRenewable = (name: string) =>
    RENEWABLE.includes(name) && (name !== 'database.url' || isSameDatabase(before, after));
  return {
    secrets: names.filter(isRenewable),
    others: names.filter((name) => !isRenewable(name)),
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
    ops: {
      ...ops,
      ...(token && { token }),
      ...(readerToken && { readerToken }),
    },
    database: isSameDatabase(before, after) ? after.database : before.database,
  };
}
