import { parsePendingFields } from '../../domain/pending.ts';
import { type Deactivation, isObservedActive, listUserDifferences } from '../../domain/user.ts';
import { type GroupRow, toGroupState } from '../../store/groups.ts';
import type { Remarks, WaitingPeople } from '../../store/resource-lists.ts';
import type { Origin } from '../../store/schema.ts';
import { toUserState, type UserRow } from '../../store/users.ts';
import { HELD_OF_GROUP, HELD_OF_USER, listKept, toHead } from '../explain/resource.ts';

/** What an operator is shown of a person and of a group alike. Moments are ISO 8601; names may be personal. */
interface ResourceItem {
  /** The SCIM id. */
  readonly id: string;
  readonly name: string;
  /** How it came to be managed; null: it is only observed. */
  readonly origin: Origin | null;
  readonly deleted: boolean;
  /** The ETag, as a number. */
  readonly version: number;
  readonly createdAt: string;
  readonly modifiedAt: string;
  /** When the service was last seen to hold it; null: never. */
  readonly seenAt: string | null;
  /** What the service does not hold yet: fields, and `members` or `admins` where somebody waits in the list. */
  readonly pending: readonly string[];
  /** What only the bridge keeps. */
  readonly bridgeOnly: readonly string[];
  /** When something is done next; null: nothing is to be done. */
  readonly dueAt: string | null;
  /** Attempts in a row that failed. */
  readonly attempts: number;
  /** Why the last one did, in the service's words. */
  readonly problem: { readonly code: string; readonly words: string } | null;
  /** Since when something acknowledged is refused by the service. */
  readonly stuckSince: string | null;
  /** Differences in the service that nobody asked for. */
  readonly drifts: number;
  readonly disputed: boolean;
}

/** One person. */
export interface UserItem extends ResourceItem {
  /** The id of the account; null: there is none yet. */
  readonly upstreamId: number | null;
  /** Whether the person is to work, and does; null: unknown, or not ours to say. */
  readonly active: { readonly desired: boolean | null; readonly observed: boolean | null };
}

/** One group. */
export interface GroupItem extends ResourceItem {
  readonly upstreamIds: {
    readonly scimId: string | null;
    readonly restId: number | null;
    readonly uid: string | null;
  };
}

/** A person as an operator is shown them. */
export function toUserItem(row: UserRow & Remarks, deactivation: Deactivation): UserItem {
  const { upstreamId, desired, observed, pending, echoes } = toUserState(row);
  const differing = observed ? listUserDifferences(desired, observed, echoes, deactivation) : [];
  const isAddressKept = row.origin !== null && differing.includes('address') && !pending.address;
  const kept = listKept(row, HELD_OF_USER).map(({ field }) => field);
  return {
    ...toItem(row, observed?.at),
    name: row.user_name,
    upstreamId: upstreamId ?? null,
    active: {
      desired: row.origin === null ? null : desired.active,
      observed: observed === undefined ? null : isObservedActive(observed, deactivation),
    },
    pending: parsePendingFields(pending),
    bridgeOnly: [...(isAddressKept ? ['address'] : []), ...kept],
  };
}

/** A group as an operator is shown it. */
export function toGroupItem(
  row: GroupRow & Remarks,
  { members = 0, admins = 0 }: Partial<WaitingPeople> = {},
): GroupItem {
  const { ids, observed, pending } = toGroupState(row, { members: [], admins: [] });
  return {
    ...toItem(row, observed?.at),
    name: row.display_name,
    upstreamIds: {
      scimId: ids.scimId ?? null,
      restId: ids.restId ?? null,
      uid: ids.uid ?? null,
    },
    pending: [
      ...parsePendingFields(pending),
      ...(members > 0 ? ['members'] : []),
      ...(admins > 0 ? ['admins'] : []),
    ],
    bridgeOnly: listKept(row, HELD_OF_GROUP).map(({ field }) => field),
  };
}

function toItem(row: (UserRow | GroupRow) & Remarks, seenAt: number | undefined) {
  const { id, deleted, version, dueAt, problem } = toHead(row);
  return {
    ...{ id, deleted, version, dueAt, problem },
    origin: row.origin,
    createdAt: toMoment(row.created_at),
    modifiedAt: toMoment(row.modified_at),
    seenAt: seenAt === undefined ? null : toMoment(seenAt),
    attempts: row.attempts,
    stuckSince: row.stuck_at === null ? null : toMoment(row.stuck_at),
    drifts: row.drifts,
    disputed: row.disputes > 0,
  };
}

function toMoment(ms: number): string {
  return new Date(ms).toISOString();
}
