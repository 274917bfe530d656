/**
 * Ways in which a provider takes access from somebody:
 * - `deactivated`, `deleted`: no work at all from then on
 * - `suspended`: no work until the suspension ends
 * - `licence`: fewer licences than before
 */
export const REMOVAL_KINDS = ['deactivated', 'deleted', 'suspended', 'licence'] as const;

/** Way in which a provider takes access from somebody. */
export type RemovalKind = (typeof REMOVAL_KINDS)[number];

/**
 * State of a removal of access:
 * - `waits`: the service was not seen to hold it
 * - `out`: it was seen to hold it
 * - `refused`: it refused it, and the write was taken back
 * - `withdrawn`: somebody wanted the person in again before it held it
 */
export const LEAVER_STATUSES = ['waits', 'out', 'refused', 'withdrawn'] as const;

/** State of a removal of access. */
export type LeaverStatus = (typeof LEAVER_STATUSES)[number];

/** Request that asked for a change. */
export interface Asker {
  /** Time of its arrival (epoch milliseconds). */
  readonly at: number;
  /** Id of the credential. */
  readonly credential: string;
  readonly requestId: string;
}

/** Call that took the access. */
export interface SentRemoval {
  /** Row of the ledger. */
  readonly id: number;
  /** Epoch milliseconds. */
  readonly at: number;
  readonly operation: string;
}

/** Entry of the service's audit log about a removal; `silent`: the log was read beyond it and has none. */
export type LoggedRemoval =
  | {
      readonly kind: 'logged';
      readonly eventId: string;
      readonly at: number;
      readonly ours: boolean;
    }
  | { readonly kind: 'silent' };

/**
 * Parts of what may remain of somebody's access:
 * - `account`: the account itself, where it works by then
 * - `role`: the role of an owner
 * - `rights`: rights of the person alone
 * - `groups`: memberships of groups that the bridge does not manage
 * - `entities`: spaces and documents that those groups open
 * - `spaces`: spaces that the person entered directly
 * - `keys`: API keys
 */
export const REMAINS_PARTS = [
  'account',
  'role',
  'rights',
  'groups',
  'entities',
  'spaces',
  'keys',
] as const;

/** Part of what may remain of somebody's access. */
export type RemainsPart = (typeof REMAINS_PARTS)[number];

/** Something that remains. */
export interface Remainder {
  readonly id: string;
  readonly name: string | null;
}

/** Result of one look; `why` is set where nobody could look, and `found` says nothing then. */
export interface RemainsLook {
  readonly part: RemainsPart;
  readonly why: string | null;
  readonly found: readonly Remainder[];
}

/** Result of a look at all parts. */
export interface Remains {
  /** Epoch milliseconds. */
  readonly at: number;
  readonly parts: readonly RemainsLook[];
}
