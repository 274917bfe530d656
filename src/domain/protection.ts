import { parseFields } from './cell.ts';
import { toExtension, toWrittenName } from './extensions.ts';
import type { DesiredGroup, GroupField, ObservedGroup, OwnGroupField } from './group.ts';
import type { JsonObject } from './json.ts';
import { hasMoreBits } from './mask.ts';
import type { DesiredUser, ObservedUser, UserField } from './user.ts';

/** A change of a user or a group, as far as it can take something away. */
export interface ProtectedChange<Desired, Observed, Field> {
  /** Undefined: nothing was desired before. */
  readonly before: Desired | undefined;
  readonly after: Desired;
  /** Undefined: the service was never seen to hold it. */
  readonly observed: Observed | undefined;
  /** True when the service has it: what was not seen of it may be more than is wanted. */
  readonly isInService: boolean;
  /** Owned fields that the change names; it takes nothing of the others, also where they differ. */
  readonly fields: readonly Field[];
}

/** The fields of a user that can be taken from them. */
export type TakenUserField = Exclude<UserField, 'account' | 'name' | 'address'>;

/**
 * Lists what a change takes from a user: access (`active` off, `temporarilyInactive` on) or a licence (less of it, or
 * none any more). The change is compared with the desired and the observed value, because either may be more.
 */
export function listTakenFromUser(
  change: ProtectedChange<DesiredUser, ObservedUser, UserField>,
): TakenUserField[] {
  const { before, after, observed, isInService, fields } = change;
  const hasLess: Readonly<Record<TakenUserField, boolean>> = {
    active: !after.active && (before?.active === true || observed?.active === true),
    temporarilyInactive:
      after.temporarilyInactive === true &&
      ((before !== undefined && before.temporarilyInactive !== true) ||
        (observed !== undefined && observed.temporarilyInactive !== true)),
    appsPermissions: isLess(after.appsPermissions, {
      wanted: before?.appsPermissions,
      held: observed?.appsPermissions,
      isInService,
    }),
  };
  return parseFields<TakenUserField>(hasLess).filter(
    (field) => fields.includes(field) && hasLess[field],
  );
}

/**
 * A change with nothing but the access that it takes, for one whose rest is refused.
 * @param urn extension of the fields @param taken `active`, or fields of the extension
 */
export function onlyTaken(
  { before, after, urn }: { readonly before: JsonObject; readonly after: JsonObject; urn: string },
  taken: readonly string[],
): { attributes: JsonObject; names: ReadonlySet<string> } {
  const isOfExtension = (name: string) => name !== 'active' && taken.includes(name);
  const kept = Object.entries(toExtension(before, urn)).filter(([name]) => !isOfExtension(name));
  const asked = Object.entries(toExtension(after, urn)).filter(([name]) => isOfExtension(name));
  const extension = Object.fromEntries([...kept, ...asked]);
  const { [urn]: _, ...rest } = before;
  return {
    attributes: {
      ...rest,
      ...(taken.includes('active') ? { active: false } : {}),
      ...(Object.keys(extension).length > 0 ? { [urn]: extension } : {}),
    },
    names: new Set(taken.map((name) => (name === 'active' ? name : toWrittenName(urn, name)))),
  };
}

/** The fields of a group that can be taken from it. */
export type TakenGroupField = Exclude<OwnGroupField, 'existence' | 'displayName'>;

/**
 * Lists what a change takes from a group and so from all its members: permissions, or the flag that lets it be given
 * work.
 */
export function listTakenFromGroup(
  change: ProtectedChange<DesiredGroup, ObservedGroup, GroupField>,
): TakenGroupField[] {
  const { before, after, observed, isInService, fields } = change;
  const flag = 'addToCardsAndSpacesEnabled';
  const mayHold = observed?.[flag] ?? (isInService && before?.[flag] === undefined);
  const hasLess: Readonly<Record<TakenGroupField, boolean>> = {
    permissions: isLess(after.permissions, {
      wanted: before?.permissions,
      held: observed?.permissions,
      isInService,
    }),
    [flag]: after[flag] !== true && (before?.[flag] === true || (after[flag] === false && mayHold)),
  };
  return parseFields<TakenGroupField>(hasLess).filter(
    (field) => fields.includes(field) && hasLess[field],
  );
}

/** Values of a mask before a change. */
interface MaskBefore {
  readonly wanted: number | undefined;
  readonly held: number | undefined;
  readonly isInService: boolean;
}

/**
 * Checks for lost bits. Clearing a value that was wanted takes all of it. Where nobody has seen or asked for a value, each
 * one may be less.
 */
function isLess(after: number | undefined, { wanted, held, isInService }: MaskBefore): boolean {
  if (after === undefined) return (wanted ?? 0) > 0;
  if (wanted === undefined && held === undefined) return isInService;
  return hasMoreBits(wanted ?? 0, after) || hasMoreBits(held ?? 0, after);
}
