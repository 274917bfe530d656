import { type LinkFacts, toLinkAfterWrite } from './group-write.ts';

/** Origin of a derived admin or member: a rule or an inner group put the user in, or found them there. null: none wants them. */
export type ByRule = 'put' | 'found' | null;

/** State of one user in a list that rules or inner groups fill. */
export interface RuledFacts extends LinkFacts {
  readonly byRule: ByRule;
}

/** Decision about one user in a list. */
interface LinkRule {
  readonly wanted: boolean;
  readonly version: number;
  /** True when a call for the group may be on its way, or the outcome of the last one is unknown. */
  readonly unsure: boolean;
}

/**
 * Facts after the rules; undefined: they change nothing. A rule removes only whom it put in; it releases whom it
 * found there, and leaves whom a provider or the takeover wants.
 */
export function toLinkAfterRules(
  before: RuledFacts | undefined,
  { wanted, version, unsure }: LinkRule,
): RuledFacts | undefined {
  if (wanted) return toWanted(before, version, unsure);
  if (before === undefined || before.byRule === null || before.desired !== 1) return undefined;
  if (before.byRule === 'found') return { ...before, desired: null, pending: null, byRule: null };
  const after = toLinkAfterWrite(before, { wanted: false, version, inFlight: unsure });
  return after && { ...after, byRule: null };
}

function toWanted(
  before: RuledFacts | undefined,
  version: number,
  unsure: boolean,
): RuledFacts | undefined {
  if (before?.desired === 1) return undefined;
  const byRule = before?.desired == null && before?.observed === 1 ? 'found' : 'put';
  // A removal that was not sent yet needs no call to be taken back.
  if (before?.observed === 1 && !unsure) {
    return { desired: 1, observed: 1, pending: null, byRule };
  }
  const after = toLinkAfterWrite(before, { wanted: true, version, inFlight: unsure });
  return after && { ...after, byRule };
}
