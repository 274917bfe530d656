import type { JsonObject, JsonValue } from '../../domain/json.ts';
import type { Filter } from '../filter/tree.ts';
import type { AttributePath, UserList } from '../schema/resource-schemas.ts';

/** Target of an operation of a PATCH. */
export interface PatchTarget {
  readonly path: AttributePath;
  /** Filter of the elements of a list; its names start at the element. undefined: the attribute itself, or all elements. */
  readonly where: Filter | undefined;
}

/**
 * One canonical operation of a PATCH; an operation of a provider becomes none, one or several.
 * - `set`: the value has the type of the target; parts of an object may be null, which unassigns them
 * - `clear`: no value any more
 * - `exclude`: leave out the elements of a list that are like one of these
 * - `users`, `users-where`: members or admins of a group, by id or by a filter on the element
 */
export type PatchStep = (AttributeStep | UserListStep) & Placed;

/** Place of a step in its request. */
interface Placed {
  /** The operation that it comes from, counted from 1; absent where that is the only one. */
  readonly operation?: number;
  /** The value as it was sent; errors count places in it. */
  readonly sent?: JsonValue | undefined;
}

/** An operation on anything but the lists of users of a group. */
export type AttributeStep =
  | {
      readonly kind: 'set';
      readonly op: 'add' | 'replace';
      readonly target: PatchTarget;
      readonly value: JsonValue;
    }
  | { readonly kind: 'clear'; readonly target: PatchTarget }
  | {
      readonly kind: 'exclude';
      readonly target: PatchTarget;
      readonly values: readonly JsonObject[];
    };

/** An operation on a list of users of a group. */
type UserListStep =
  | {
      readonly kind: 'users';
      readonly list: UserList;
      readonly op: 'add' | 'remove' | 'replace';
      readonly ids: readonly string[];
    }
  | { readonly kind: 'users-where'; readonly list: UserList; readonly filter: Filter };
