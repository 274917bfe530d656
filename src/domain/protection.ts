import { isWaiting, listWaiting } from './cell.ts';
import { leavesEntity } from './entity.ts';
import { toExtension, toWrittenName, withExtension } from './extensions.ts';
import type { DesiredGroup, DesiredUser, GroupState, UserState } from './kinds.ts';
import type { JsonObject } from './values.ts';
import { hasMoreBits, parseFields } from './values.ts';

type Holding = Partial<
  Pick<DesiredUser, 'active' | 'temporarilyInactive' | 'appsPermissions'> &
    Pick<DesiredGroup, 'permissions' | 'addToCardsAndSpacesEnabled'>
>;

interface ProtectedChange {
  /** Undefined: nothing was desired before. */
  readonly before: Holding | undefined;
  readonly after: Holding;
  /** Undefined: the service was never seen to hold it. */
  readonly observed: Holding | undefined;
  /** True when the service has it. A value that was not seen may then be more than what is wanted. */
  readonly isInService: boolean;
  /** Owned fields that the change names; it takes nothing of the others, also where they differ. */
  readonly fields: readonly string[];
}

/** Lists the fields in which a change takes something from a user or group of what was desired or observed. */
export function listTaken(change: ProtectedChange): string[] {
  const { before, after, observed, isInService, fields } = change;
  const known = [before, observed].filter((one) => one !== undefined);
  const flag = 'addToCardsAndSpacesEnabled';
  const mayHold = observed?.[flag] ?? (isInService && before?.[flag] === undefined);
  const mayWork = isInService && known.length === 0;
  const hasLess: Readonly<Record<keyof Holding, boolean>> = {
    active: !after.active && (mayWork || known.some(({ active }) => active)),
    temporarilyInactive:
      after.temporarilyInactive === true &&
      (mayWork || known.some(({ temporarilyInactive }) => temporarilyInactive !== true)),
    appsPermissions: isLess(change, 'appsPermissions'),
    permissions: isLess(change, 'permissions'),
    [flag]: after[flag] !== true && (before?.[flag] === true || (after[flag] === false && mayHold)),
  };
  return parseFields<keyof Holding>(hasLess).filter(
    (field) => fields.includes(field) && hasLess[field],
  );
}

/** Lists the fields that wait and in which the service was seen to grant more than is wanted. */
export function listLosses({ desired: after, observed, cells }: Waiting): string[] {
  const known = { before: undefined, after, observed, isInService: false };
  return listTaken({ ...known, fields: listWaiting<string>(cells) });
}

type Waiting = Pick<UserState | GroupState, 'desired' | 'observed' | 'cells'>;

/** True when a waiting change removes access: such a user goes first. */
export function removesUserAccess(state: Pick<UserState, 'desired' | 'observed' | 'cells'>) {
  const { desired, cells } = state;
  const waits = isWaiting(cells.active) || isWaiting(cells.account);
  const suspends = desired.temporarilyInactive && isWaiting(cells.temporarilyInactive);
  return (waits && !desired.active) || suspends === true || listLosses(state).length > 0;
}

/** True when a change that waits and can be made now removes access: such a group goes first. */
export function removesGroupAccess(
  state: Pick<GroupState, 'deleted' | 'desired' | 'observed' | 'cells' | 'links'>,
): boolean {
  const leaves = leavesEntity(state.cells) || state.links.some(({ wanted }) => !wanted);
  return state.deleted || leaves || listLosses(state).length > 0;
}

/** Checks for lost bits. Clearing a wanted value takes all of it; of an unknown one each value may be less. */
function isLess(
  { before, after, observed, isInService }: ProtectedChange,
  field: 'appsPermissions' | 'permissions',
): boolean {
  const [was, is, seen] = [before?.[field], after[field], observed?.[field]];
  if (is === undefined) return (was ?? 0) > 0;
  if (was === undefined && seen === undefined) return isInService;
  return hasMoreBits(was ?? 0, is) || hasMoreBits(seen ?? 0, is);
}

/** A change with nothing but the access it takes. @param urn of the extension @param taken `active`, or its fields */
export function onlyTaken(
  { before, after, urn }: { readonly before: JsonObject; readonly after: JsonObject; urn: string },
  taken: readonly string[],
): { attributes: JsonObject; names: ReadonlySet<string> } {
  const isOfExtension = (name: string) => name !== 'active' && taken.includes(name);
  const kept = Object.entries(toExtension(before, urn)).filter(([name]) => !isOfExtension(name));
  const asked = Object.entries(toExtension(after, urn)).filter(([name]) => isOfExtension(name));
  const attributes = withExtension(before, urn, Object.fromEntries([...kept, ...asked]));
  return {
    attributes: taken.includes('active') ? { ...attributes, active: false } : attributes,
    names: new Set(taken.map((name) => (name === 'active' ? name : toWrittenName(urn, name)))),
  };
}
