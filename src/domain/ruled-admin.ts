import { type LinkFacts, toLinkAfterWrite } from './group-write.ts';

/** Origin of a rule's admin: the rule put the user in, or found them there. null: no rule wants them. */
export type AdminByRule = 'put' | 'found' | null;

/** State of one user in an admin list. */
export interface AdminFacts extends LinkFacts {
  readonly byRule: AdminByRule;
}

/** Decision of the rules about one user in an admin list. */
export interface AdminRule {
  readonly wanted: boolean;
  readonly version: number;
  /** True when a call for the group may be on its way, or the outcome of the last one is unknown. */
  readonly unsure: boolean;
}

/**
 * Facts after the rules; undefined: they change nothing. A rule removes only an admin whom a rule put in; it releases
 * one whom it found there, and leaves one whom a provider or the takeover wants.
 */
export function toAdminAfterRules(
  before: AdminFacts | undefined,
  { wanted, version, unsure }: AdminRule,
): AdminFacts | undefined {
  if (wanted) return toWanted(before, version, unsure);
  if (before === undefined || before.byRule === null || before.desired !== 1) return undefined;
  if (before.byRule === 'found') return { ...before, desired: null, pending: null, byRule: null };
  const after = toLinkAfterWrite(before, { wanted: false, version, inFlight: unsure });
  return after && { ...after, byRule: null };
}

function toWanted(
  before: AdminFacts | undefined,
  version: number,
  unsure: boolean,
): AdminFacts | undefined {
  if (before?.desired === 1) return undefined;
  const byRule = before?.desired == null && before?.observed === 1 ? 'found' : 'put';
  // A removal that was not sent yet needs no call to be taken back.
  if (before?.observed === 1 && !unsure) {
    return { desired: 1, observed: 1, pending: null, byRule };
  }
  const after = toLinkAfterWrite(before, { wanted: true, version, inFlight: unsure });
  return after && { ...after, byRule };
}
