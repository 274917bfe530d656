import type { Stats } from 'node:fs';
import { unwatchFile, watchFile } from 'node:fs';
import { isDeepStrictEqual } from 'node:util';
import { listCrossProblems } from '../settings/cross-rules.ts';
import type { SettingProblem } from '../settings/errors.ts';
import { SettingsError } from '../settings/errors.ts';
import type { LoadedSettings } from '../settings/load.ts';
import { findAt, settingRows, withValue } from '../settings/rows.ts';
import type { Settings } from '../settings/schema.ts';
import type { Events } from '../telemetry/events.ts';

/** Interval at which the files of secrets are looked at, in milliseconds. */
const LOOK_MS = 5_000;
/** Time after a change until it is read, so that no file is read half written, in milliseconds. */
const SETTLED_MS = 100;

/** Interval at which what cannot be used is read and logged again, in milliseconds. */
const REPEAT_MS = 5 * 60_000;

/** Settings that hold from the next request on, without a restart; of the database its password alone. */
const TOKENS = ['upstream.token', 'scim.tokens', 'ops.token', 'ops.readerToken'];

/** Watch of the files that hold secrets. */
export type SecretWatch = ReturnType<typeof createSecretWatch>;

/** Creates a watch, which begins at once: a secret that cannot be used is logged, stays as it was, and holds up no other. */
export function createSecretWatch(
  { settings, secretFiles, reread }: LoadedSettings,
  events: Pick<Events, 'restartNeeded' | 'secretsRenewed' | 'secretsRefused'>,
) {
  let current = settings;
  let onChange: (settings: Settings) => void = () => undefined;
  let timer: NodeJS.Timeout | undefined;

  function readAgain(): void {
    const { settings: next, problems, isUsable } = reread();
    const { renewed, refused } = renew(current, next, [...TOKENS, 'database.url'].filter(isUsable));
    const others = listChanges(renewed, next).filter((name) => !TOKENS.includes(name));
    const restart = others.filter(isUsable).join(', ');
    if (restart !== '') events.restartNeeded({ settings: restart });
    const names = listChanges(current, renewed);
    if (names.length > 0) {
      current = renewed;
      onChange(current);
      events.secretsRenewed({ settings: names.join(', ') });
    }
    const found = [...problems, ...refused];
    if (found.length === 0) return;
    events.secretsRefused({ error: new SettingsError(found) });
    readAgainIn(REPEAT_MS);
  }

  function readAgainIn(ms: number): void {
    clearTimeout(timer);
    timer = setTimeout(readAgain, ms).unref();
  }

  // A file that is not there is usually being replaced.
  const onFile = ({ nlink }: Stats) => readAgainIn(nlink === 0 ? LOOK_MS : SETTLED_MS);
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
    readAgain,
  };
}

/** Takes these secrets over: all at once, because two may change places, or else each that the others allow. */
function renew(before: Settings, after: Settings, secrets: readonly string[]) {
  let renewed = before;
  const refused: SettingProblem[] = [];
  for (const names of [secrets, ...secrets.map((name) => [name])]) {
    const tried = withSecrets(renewed, after, names);
    const problems = listCrossProblems(tried);
    if (problems.length === 0) renewed = tried;
    refused.push(...problems);
  }
  return { renewed, refused };
}

/** Names of settings that differ. */
function listChanges(before: Settings, after: Settings): string[] {
  return settingRows
    .filter(({ path }) => !isDeepStrictEqual(findAt(before, path), findAt(after, path)))
    .map(({ name }) => name);
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

/** The settings of before with those of after that have these names. */
function withSecrets(before: Settings, after: Settings, names: readonly string[]): Settings {
  const taken = names.filter((name) => name !== 'database.url' || isSameDatabase(before, after));
  return settingRows
    .filter(({ name }) => taken.includes(name))
    .reduce((settings, { path }) => withValue(settings, path, findAt(after, path)), before);
}
