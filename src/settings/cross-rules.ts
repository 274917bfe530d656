import { createMatcher } from '../domain/matcher.ts';
import { type SettingProblem, SettingsError } from './errors.ts';
import { settingRows } from './rows.ts';
import type { Settings } from './schema.ts';

/** Problems between settings that need or exclude each other; empty when there is none. */
export function listCrossProblems(settings: Settings): SettingProblem[] {
  return [...listProblems(settings)];
}

function* listProblems(settings: Settings): Generator<SettingProblem> {
  const { upstream, scim, port, ops } = settings;
  yield* listOidcProblems(settings);
  if (upstream.url !== undefined && upstream.token === undefined) {
    const why = 'upstream.url is: a real service answers nobody without it';
    yield missing('upstream.token', why);
  }
  if (upstream.url === undefined && upstream.token !== undefined) {
    const message =
      'upstream.token is set, but upstream.url is not; set both for a real service, none for the sandbox.';
    yield { setting: 'upstream.url', message };
  }
  if (ops.port !== undefined && ops.port !== 0 && ops.port === port) {
    const message = `ops.port and port are both ${port}; leave ops.port out to serve everything on one port.`;
    yield { setting: 'ops.port', message };
  }
  const given = [ops.token, ops.readerToken].filter((one) => one !== undefined);
  if (new Set(given).size < given.length || given.some((one) => scim.tokens.includes(one))) {
    const message =
      'scim.tokens, ops.token and ops.readerToken have a token in common; each opens something else and has to be another.';
    yield { setting: 'ops.token', message };
  }
  yield* listReceiverProblems(settings);
}

function* listReceiverProblems({ notify }: Settings): Generator<SettingProblem> {
  const isAllowed = createMatcher(notify.hosts);
  for (const { name, url } of notify.receivers) {
    const { hostname, protocol } = new URL(url);
    if (!isAllowed([hostname])) {
      const message = `notify.receivers: ${name} is on a host that notify.hosts does not name.`;
      yield { setting: 'notify.hosts', message };
    } else if (protocol !== 'https:' && notify.privateAddresses === 'refuse') {
      const message = `notify.receivers: ${name} has an http:// address, which notify.privateAddresses has to allow.`;
      yield { setting: 'notify.privateAddresses', message };
    }
  }
}

/** A provider alone signs nobody in. */
function* listOidcProblems({ console, oidc }: Settings): Generator<SettingProblem> {
  if (oidc.issuer === undefined) return;
  const why = 'oidc.issuer is, and needs it';
  if (console.url === undefined) yield missing('console.url', why);
  if (oidc.clientId === undefined) yield missing('oidc.clientId', why);
  if (oidc.clientSecret === undefined) yield missing('oidc.clientSecret', why);
  if (oidc.operatorGroups.length + oidc.readerGroups.length === 0) {
    yield missing('oidc.operatorGroups', why);
  }
}

/** Settings that are allowed but rarely meant. */
export function listWarnings({ upstream, publicUrl }: Settings): string[] {
  const warnings: string[] = [];
  if (upstream.url !== undefined && isPlainOffLoopback(upstream.url)) {
    warnings.push(
      `upstream.url is ${upstream.url}: the token and everybody's data travel unencrypted.`,
    );
  }
  if (publicUrl !== undefined && isPlainOffLoopback(publicUrl)) {
    warnings.push(`publicUrl is ${publicUrl}: identity providers insist on https.`);
  }
  if (upstream.url !== undefined && publicUrl === undefined) {
    warnings.push(
      'publicUrl is not set: identity providers are shown addresses made of host and port.',
    );
  }
  return warnings;
}

/** A problem that names the variables which would end it: a file is read for secrets alone. */
function missing(setting: string, why: string): SettingProblem {
  const variables = settingRows
    .filter(({ name }) => name === setting)
    .flatMap((row) => [row.variable, row.fileVariable ?? []].flat());
  const message = `${setting} is not set, but ${why}. Set ${variables.join(' or ')}.`;
  return { setting, message };
}

function isPlainOffLoopback(address: string): boolean {
  const { protocol, hostname } = new URL(address);
  return protocol === 'http:' && !/^(localhost|127(\.\d+){3}|\[::1\])$/.test(hostname);
}

/** Kinds of credential that the store holds. */
interface KeptAccess {
  /** A named token for SCIM, or a client. */
  readonly hasProvider: boolean;
  /** A named token of an operator, who can make the others. */
  readonly hasOperator: boolean;
}

/**
 * Refuses settings that are good for a probe and useless for serving.
 * @throws SettingsError when no provider could ever use a real service through the bridge.
 */
export function assertServable({ upstream, scim, ops }: Settings, kept: KeptAccess): void {
  if (upstream.url === undefined || scim.tokens.length > 0) return;
  if (ops.token !== undefined || kept.hasProvider || kept.hasOperator) return;
  const message =
    'scim.tokens is not set, but upstream.url is, and there is no other credential: nobody could provision. Make one with scim-bridge token create, or set SCIM_TOKENS or SCIM_TOKENS_FILE.';
  throw new SettingsError([{ setting: 'scim.tokens', message }]);
}
