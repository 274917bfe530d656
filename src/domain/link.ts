import type { Fact } from './cell.ts';
import { claim, isWaiting, toSentAfter } from './cell.ts';
import type { UserId } from './values.ts';

/** Lists of users that a group has. */
export const LINK_LISTS = ['member', 'admin'] as const;

/** List of a group: its members, or its admins. */
export type LinkList = (typeof LINK_LISTS)[number];

/** One user in one list of a group. */
export interface LinkKey {
  readonly list: LinkList;
  readonly userId: UserId;
}

/** Text that tells the links of a group apart. */
export const toLinkText = ({ list, userId }: LinkKey) => `${list} ${userId}`;

/** One waiting change of a list, of a user who has an account. */
export interface LinkChange extends LinkKey, Pick<Fact, 'pending' | 'failure'> {
  readonly upstreamUserId: number;
  readonly wanted: boolean;
  /** It was so before the bridge asked, so the bridge did not put the user in. Absent: the bridge made it, or is to. */
  readonly madeByOthers?: true;
}

/** What is known of one user in one list of a group. Flags are 0 or 1. */
export interface Link extends Fact {
  /** 1 wanted, 0 unwanted, null: never named (not ours). */
  readonly desired: number | null;
  /** 1 seen, 0 seen absent, null: unknown. */
  readonly observed: number | null;
  /** 1: the bridge put the user in, or is to, so releasing the group or ending the rule takes the user out again. */
  readonly put_in: number;
  /** 1: a rule or an inner group wants it, and no provider named the user. */
  readonly by_rule: number;
}

/** Link of a user who is new to a list. */
export const NEW_LINK: Link = { desired: null, observed: 0, put_in: 0, by_rule: 0 };

interface LinkWrite {
  readonly wanted: boolean;
  readonly version: number;
  /** True when a call for the group may be on its way, or the outcome of the last one is unknown. */
  readonly isUnsure: boolean;
}

/**
 * The link after a provider's write; undefined: no change. A change that an earlier write still waits for is claimed,
 * so that undoing that write cannot take it away. A removal waits also where the user was seen to be out: others may
 * have put the user in again since.
 */
export function writeLink(
  before: Link | undefined,
  { wanted, version, isUnsure }: LinkWrite,
): Link | undefined {
  const known = before ?? NEW_LINK;
  if (!wanted) return { ...known, desired: 0, pending: version, by_rule: 0 };
  const waits = known.observed !== 1 || isWaiting(known);
  if (known.desired === 1 && !waits) return undefined;
  return { ...known, desired: 1, pending: waits || isUnsure ? version : undefined, by_rule: 0 };
}

/** The link after the rules; undefined: no change. Rules remove only users whom they put in. */
export function ruleLink(before: Link | undefined, write: LinkWrite): Link | undefined {
  const { wanted, version, isUnsure } = write;
  if (wanted === (before?.desired === 1)) return undefined;
  const after = writeLink(before, write);
  if (wanted) {
    const isFound = before?.desired == null && before?.observed === 1;
    // A removal that was not sent yet needs no call to be taken back.
    const pending = before?.observed === 1 && !isUnsure ? undefined : version;
    return after && { ...after, pending, by_rule: 1, put_in: isFound ? 0 : 1 };
  }
  if (before === undefined || before.by_rule === 0) return undefined;
  return before.put_in === 0 ? { ...before, desired: null, pending: undefined, by_rule: 0 } : after;
}

/** The link after a list was seen; undefined: it is forgotten. A lost call for an earlier write keeps it waiting. */
export function seeLink(before: Link, observed: number | null): Link | undefined {
  const seen = observed === before.observed ? before : { ...before, observed };
  const { pending, sent, desired, failure } = seen;
  const isCovered = isWaiting(seen) && (sent === undefined || sent === pending);
  if (isCovered && desired !== null && desired === observed) {
    return withoutOver({ ...seen, pending: undefined });
  }
  // What was refused is tried again; what failed keeps its time.
  const isRefused = failure !== undefined && failure.attempts === undefined;
  const isTried = isCovered && isRefused && failure.retryAt > 0;
  return withoutOver(isTried ? { ...seen, failure: { ...failure, retryAt: 0 } } : seen);
}

/** Forgets a link that is neither wanted nor there, and that nothing waits for. */
function withoutOver(link: Link): Link | undefined {
  const isOpen = isWaiting(link) || link.sent !== undefined;
  return !isOpen && link.observed === 0 && link.desired !== 1 ? undefined : link;
}

/** The link once calls that left cannot take effect any more: a difference that they made waits to be undone. */
export function endDoubt(before: Link, version: number): Link | undefined {
  const { desired, observed } = before;
  const isAsWanted = desired === null || desired === (observed ?? 0);
  return withoutOver({ ...(isAsWanted ? before : claim(before, version)), sent: undefined });
}

/** The link after its change was made; undefined: it is forgotten. `madeByOthers`: the bridge did not put the user in. */
export function endChange(
  before: Link,
  { wanted, madeByOthers }: { readonly wanted: boolean; readonly madeByOthers?: true },
  plannedVersion: number,
): Link | undefined {
  const { pending, sent } = before;
  const isNewer = pending !== undefined && pending > plannedVersion;
  if (!wanted && before.desired === 0 && !isNewer && sent === undefined) return undefined;
  return {
    ...before,
    observed: wanted ? 1 : 0,
    put_in: wanted && !madeByOthers ? 1 : 0,
    pending: isNewer ? pending : undefined,
    failure: undefined,
    sent: isNewer ? sent : toSentAfter(before),
  };
}

/** The link after a refused write was taken back; undefined: it is forgotten. What reached the service waits since `next`. */
export function revertLink(
  link: Link,
  before: Link | null,
  { version, next }: { readonly version: number; readonly next: number },
): Link | undefined {
  if (link.pending === version) return before ?? undefined;
  if (isWaiting(link)) return link;
  const desired = before === null ? 0 : before.desired;
  const pending = desired === null || desired === link.observed ? undefined : next;
  if (desired === 0 && pending === undefined) return undefined;
  return { ...link, desired, pending, by_rule: before?.by_rule ?? 0 };
}

/** The link after its change was dropped: who is to go and was never seen counts as in. */
export const dropChange = (before: Link): Link => ({
  ...before,
  pending: undefined,
  observed: before.observed ?? (before.desired === 0 ? 1 : null),
});

/** The link after the group or account disappeared from the service: pending again if wanted, otherwise undefined. */
export const restartLink = (before: Link, version: number): Link | undefined =>
  before.desired === 1 ? { ...claim(before, version), observed: 0, sent: undefined } : undefined;

/** The link after an adoption: who is seen in the group is wanted there. */
export const adoptLink = (before: Link): Link =>
  before.desired === null ? { ...before, desired: before.observed } : before;

/** The link after its group was released: users whom the bridge put in are removed, other links are forgotten. */
export const releaseLink = (before: Link, version: number): Link | undefined =>
  before.put_in === 0 && !isWaiting(before)
    ? undefined
    : { ...before, desired: 0, pending: version };

/** The link of a group that is not managed any more: it is only observed. */
export const disownLink = (before: Link): Link | undefined =>
  before.observed === 1 ? { ...before, desired: null, put_in: 0, by_rule: 0 } : undefined;
