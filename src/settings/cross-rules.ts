import { createMatcher } from '../domain/name.ts';
import type { SettingProblem } from './errors.ts';
import { SettingsError } from './errors.ts';
import { SAFE } from './kinds.ts';
import { settingRows } from './rows.ts';
import type { Settings } from './schema.ts';

/** Problems between settings that need or exclude each other; empty when there is none. */
export function listCrossProblems(settings: Settings): SettingProblem[] {
  const { upstream, scim, port, ops } = settings;
  const given = [ops.token, ops.readerToken].filter((one) => one !== undefined);
  const isShared = given.some((one) => scim.tokens.includes(one));
  return [
    ...listOidcProblems(settings),
    upstream.url !== undefined &&
      upstream.token === undefined &&
      missing('upstream.token', 'upstream.url is: a real service answers nobody without it'),
    upstream.url === undefined &&
      upstream.token !== undefined && {
        setting: 'upstream.url',
        message:
          'upstream.token is set, but upstream.url is not; set both for a real service, none for the sandbox.',
      },
    ops.port !== 0 &&
      ops.port === port && {
        setting: 'ops.port',
        message: `ops.port and port are both ${port}; leave ops.port out to serve everything on one port.`,
      },
    (isShared || new Set(given).size < given.length) && {
      setting: 'ops.token',
      message:
        'scim.tokens, ops.token and ops.readerToken have a token in common; each opens something else and has to be another.',
    },
    ...listReceiverProblems(settings),
  ].filter((problem) => problem !== false);
}

function listReceiverProblems({ notify }: Settings): SettingProblem[] {
  const isAllowed = createMatcher(notify.hosts);
  return notify.receivers.flatMap(({ name, url }) => {
    const { hostname, protocol } = new URL(url);
    if (!isAllowed([hostname])) {
      const message = `notify.receivers: ${name} is on a host that notify.hosts does not name.`;
      return [{ setting: 'notify.hosts', message }];
    }
    if (protocol === 'https:' || notify.privateAddresses === 'allow') return [];
    const message = `notify.receivers: ${name} has an http:// address, which notify.privateAddresses has to allow.`;
    return [{ setting: 'notify.privateAddresses', message }];
  });
}

/** A provider alone signs nobody in, and nobody is signed in without one. */
function listOidcProblems({ console: { url }, oidc }: Settings): SettingProblem[] {
  const { issuer, clientId, clientSecret, operatorGroups, readerGroups } = oidc;
  const [group] = [...operatorGroups, ...readerGroups];
  if (issuer === undefined) {
    const own = ['clientId', 'clientSecret', 'operatorGroups', 'readerGroups'] as const;
    const given = own.filter((name) => oidc[name]?.length);
    return given.slice(0, 1).map((name) => missing('oidc.issuer', `oidc.${name} is, and needs it`));
  }
  const needed = {
    'console.url': url,
    'oidc.clientId': clientId,
    'oidc.clientSecret': clientSecret,
    'oidc.operatorGroups': group,
  };
  const names = Object.entries(needed).filter(([, value]) => value === undefined);
  return names.map(([name]) => missing(name, 'oidc.issuer is, and needs it'));
}

/** Settings that are allowed but rarely meant. */
export function listWarnings({ upstream: { url }, publicUrl }: Settings): string[] {
  return [
    isPlainOffLoopback(url) &&
      `upstream.url is ${url}: the token and everybody's data travel unencrypted.`,
    isPlainOffLoopback(publicUrl) &&
      `publicUrl is ${publicUrl}: identity providers insist on https.`,
    url !== undefined &&
      publicUrl === undefined &&
      'publicUrl is not set: identity providers are shown addresses made of host and port.',
  ].filter((warning) => warning !== false);
}

/** A problem that names the variables which would end it: a file is read for secrets alone. */
function missing(setting: string, why: string): SettingProblem {
  const variables = settingRows
    .filter(({ name }) => name === setting)
    .flatMap((row) => [row.variable, row.fileVariable ?? []].flat());
  const message = `${setting} is not set, but ${why}. Set ${variables.join(' or ')}.`;
  return { setting, message };
}

function isPlainOffLoopback(address: string | undefined): boolean {
  return address !== undefined && !SAFE.test(address);
}

/** Refuses settings that cannot serve. @param isOpen the store has a credential @throws SettingsError */
export function assertServable({ upstream, scim, ops }: Settings, isOpen: boolean): void {
  if (upstream.url === undefined || scim.tokens.length > 0) return;
  if (ops.token !== undefined || isOpen) return;
  const message =
    'scim.tokens is not set, but upstream.url is, and there is no other credential: nobody could provision. Make one with scim-bridge token create, or set SCIM_TOKENS or SCIM_TOKENS_FILE.';
  throw new SettingsError([{ setting: 'scim.tokens', message }]);
}
