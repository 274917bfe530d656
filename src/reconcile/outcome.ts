import type { Echo } from '../domain/cell.ts';
import type { SeenEntities } from '../domain/entity.ts';
import type {
  DoneLink,
  GroupField,
  LinkChange,
  ObservedGroup,
  UpstreamGroupIds,
} from '../domain/group.ts';
import type { Refusal } from '../domain/refusal.ts';
import type { ObservedUser, UserField } from '../domain/user.ts';

/** Reason of a failure, in words that may be shown to an operator and to the provider. */
export type Problem = Refusal;

/** Field of a user or group. */
export type Field = UserField | GroupField;

/** Subject of a refusal or failure: a field, or one user in a list of a group. */
export type Part = Field | LinkPart;

/** Change of one user in a list of a group. */
export interface LinkPart extends LinkChange {
  /** Words of the service about this user, where it gave them one by one. */
  readonly problem?: Problem;
}

/** A change of a list, and the service's words about it. */
export interface RefusedLink extends LinkPart {
  readonly problem: Problem;
}

/** Lists the fields among these parts. */
export function listFields(parts: readonly Part[]): Field[] {
  return parts.filter((part) => typeof part === 'string');
}

/** Lists the changes of users in lists among these parts. */
export function listLinkParts(parts: readonly Part[]): LinkPart[] {
  return parts.filter((part) => typeof part !== 'string');
}

/** Knowledge that a step gained about a user or group. */
export interface Known {
  /** True when the service says that the resource does not exist. */
  readonly missing?: true;
  /** True when the resource existed before, so that it is adopted, not created. */
  readonly adopted?: true;
  /** Account, when the step found or created it. */
  readonly upstreamId?: number;
  /** Ids of a group that the step learned; the others stay. */
  readonly ids?: Partial<UpstreamGroupIds>;
  /** The user as observed. */
  readonly observed?: ObservedUser;
  /** The group as observed. */
  readonly group?: ObservedGroup;
  /** Name as it was sent and as it came back. */
  readonly echo?: Echo;
  /** Fields whose step is done, whatever the observation says. */
  readonly doneFields?: readonly Field[];
  /** Members and admins whose change now holds, as planned. */
  readonly links?: readonly DoneLink[];
  /** Changes that the service refused alone, while it took the others. */
  readonly refusedLinks?: readonly RefusedLink[];
  /** Those at which the service failed again and again while it took others: they rest, and nothing is taken back. */
  readonly failedLinks?: readonly RefusedLink[];
  /** All members of the group, by numeric id, when the step listed them. */
  readonly memberIds?: readonly number[];
  /** The entities of the group, as they were listed, or changed since. */
  readonly entities?: SeenEntities | undefined;
  /** True when the service refuses an inactive user, so that the change waits for the activation. */
  readonly waits?: true;
}

/**
 * End of one upstream step.
 * - `done`: the service holds it, or held it already
 * - `refused`: the service says no about exactly these parts; repeating it would change nothing
 * - `later`: nothing was changed, and it may work another time. `failedLook`: a look failed, and what waits for it with it;
 *   `noSeat`: these parts wait for a free seat of the service
 * - `unknown`: it may or may not have been changed; the next step is a look. `parts` is what the call was to change,
 *   absent where the failure says nothing of it
 */
export type Outcome<New = Known> =
  | { readonly kind: 'done'; readonly known: New }
  | { readonly kind: 'refused'; readonly parts: readonly Part[]; readonly problem: Problem }
  | Postponed;

/** End of a step that is tried again. */
export type Postponed =
  | {
      readonly kind: 'later';
      readonly problem: Problem;
      readonly retryAfterMs?: number;
      readonly failedLook?: true;
      readonly noSeat?: readonly UserField[];
    }
  | {
      readonly kind: 'unknown';
      readonly problem: Problem;
      readonly parts?: readonly Part[];
      readonly lookNow?: true;
    };

/** End of a provider's write, as far as its request waits. */
export type Settlement =
  | { readonly kind: 'applied' }
  | { readonly kind: 'refused'; readonly problem: Problem }
  | { readonly kind: 'not-yet'; readonly reason: string };
