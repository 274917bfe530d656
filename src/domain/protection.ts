import { isWaiting, listWaiting } from './cell.ts';
import { holdsMore } from './change.ts';
import { leavesEntity } from './entity.ts';
import { toExtension, toWrittenName, withExtension } from './extensions.ts';
import type { DesiredGroup, DesiredUser, GroupState, UserState } from './kinds.ts';
import type { JsonObject } from './values.ts';

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

const HELD_FIELDS = [
  'active',
  'temporarilyInactive',
  'appsPermissions',
  'permissions',
  'addToCardsAndSpacesEnabled',
] as const;

/** Lists the fields in which a change takes something from a user or group of what was desired or observed. */
export function listTaken(change: ProtectedChange): string[] {
  return HELD_FIELDS.filter((field) => change.fields.includes(field) && takes(change, field));
}

function takes(
  { before, after, observed, isInService }: ProtectedChange,
  field: (typeof HELD_FIELDS)[number],
): boolean {
  const isSuspension = field === 'temporarilyInactive';
  // Who is not said to be suspended works.
  const toValue = (one: Holding | undefined) =>
    one && (one[field] ?? (isSuspension ? false : undefined));
  const [was, is, seen] = [toValue(before), after[field], toValue(observed)];
  const isMore = (value: boolean | number | undefined) =>
    value !== undefined &&
    holdsMore({ desired: { [field]: is ?? null }, observed: { [field]: value } });
  // Clearing a wanted value takes all of it, and nothing else that the service holds.
  if (is === undefined || was !== undefined || seen !== undefined)
    return isMore(was) || (is !== undefined && isMore(seen));
  // What is unknown may be all.
  return isInService && (typeof is === 'number' || isMore(!isSuspension));
}

/** Lists the fields that wait and in which the service was seen to grant more than is wanted. */
export function listLosses({ desired: after, observed, cells }: Waiting): string[] {
  const known = { before: undefined, after, observed, isInService: false };
  return listTaken({ ...known, fields: listWaiting<string>(cells) });
}

type Waiting = Pick<UserState | GroupState, 'desired' | 'observed' | 'cells'>;

/** True when a change that waits and can be made now removes access: such a user or group goes first. */
export function removesAccess(
  state:
    | Pick<UserState, 'type' | keyof Waiting>
    | Pick<GroupState, 'type' | keyof Waiting | 'deleted' | 'links'>,
): boolean {
  if (listLosses(state).length > 0) return true;
  if (state.type === 'group') {
    const { deleted, cells, links } = state;
    return deleted || leavesEntity(cells) || links.some(({ wanted }) => !wanted);
  }
  const { desired, cells } = state;
  const isOut = !desired.active && (isWaiting(cells.active) || isWaiting(cells.account));
  return isOut || (desired.temporarilyInactive === true && isWaiting(cells.temporarilyInactive));
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
