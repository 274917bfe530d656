import { SettingsError } from './errors.ts';
import type { Settings } from './schema.ts';

/**
 * What serving needs beyond good settings; a probe or a look at the settings does not.
 * @throws SettingsError when a real service would be open to nobody, or to everybody.
 */
export function assertServable({ upstream, scim }: Settings): void {
  if (upstream.url === undefined || scim.tokens.length > 0) return;
  const message =
    'scim.tokens is not set, but upstream.url is: otherwise nobody could provision, or everybody could. Set SCIM_TOKENS or SCIM_TOKENS_FILE.';
  throw new SettingsError([{ setting: 'scim.tokens', message }]);
}
