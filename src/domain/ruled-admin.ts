import { type LinkFacts, toLinkAfterWrite } from './group-write.ts';

/** How a rule came to want an admin: it put the person in, or found them there. null: no rule wants them. */
export type AdminByRule = 'put' | 'found' | null;

/** State of one user in an admin list. */
export interface AdminFacts extends LinkFacts {
  readonly byRule: AdminByRule;
}

/** Decision of the rules about one user in an admin list. */
export interface AdminRule {
  readonly wanted: boolean;
  readonly version: number;
  /** A call for the group may be on its way, or nobody knows what the last one did. */
  readonly unsure: boolean;
}

/**
 * The facts after the rules; undefined: they change nothing. Only what a rule put in is taken out by a rule;
 * whom it found there is let go, and whom a provider or the takeover wants is not its business.
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
