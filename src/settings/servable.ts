import { SettingsError } from './errors.ts';
import type { Settings } from './schema.ts';

/** Kinds of credential that the store holds. */
export interface KeptAccess {
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
