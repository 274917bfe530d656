import { toExtension, toWrittenName } from './extensions.ts';
import type { DesiredGroup } from './group.ts';
import { hasMoreBits } from './mask.ts';
import type { DesiredUser } from './user.ts';
import { type JsonObject, parseFields } from './values.ts';

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
  /** True when the service has it: what was not seen of it may be more than is wanted. */
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
  const hasLess: Readonly<Record<keyof Holding, boolean>> = {
    active: !after.active && known.some(({ active }) => active),
    temporarilyInactive:
      after.temporarilyInactive === true &&
      known.some(({ temporarilyInactive }) => temporarilyInactive !== true),
    appsPermissions: isLess(change, 'appsPermissions'),
    permissions: isLess(change, 'permissions'),
    [flag]: after[flag] !== true && (before?.[flag] === true || (after[flag] === false && mayHold)),
  };
  return parseFields<keyof Holding>(hasLess).filter(
    (field) => fields.includes(field) && hasLess[field],
  );
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
