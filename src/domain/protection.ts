import { toExtension, toWrittenName } from './extensions.ts';
import type { DesiredGroup, ObservedGroup } from './group.ts';
import type { JsonObject } from './json.ts';
import { hasMoreBits } from './mask.ts';
import type { DesiredUser, ObservedUser } from './user.ts';

interface ProtectedChange<Desired, Observed> {
  /** Undefined: nothing was desired before. */
  readonly before: Desired | undefined;
  readonly after: Desired;
  /** Undefined: the service was never seen to hold it. */
  readonly observed: Observed | undefined;
  /** True when the service has it: what was not seen of it may be more than is wanted. */
  readonly isInService: boolean;
  /** Owned fields that the change names; it takes nothing of the others, also where they differ. */
  readonly fields: readonly string[];
}

/** Lists what a change takes from a user: access, or a licence, of what was desired or observed. */
export function listTakenFromUser(change: ProtectedChange<DesiredUser, ObservedUser>): string[] {
  const { before, after, observed } = change;
  const known = [before, observed].filter((one) => one !== undefined);
  return listTaken(change, {
    active: !after.active && known.some(({ active }) => active),
    temporarilyInactive:
      after.temporarilyInactive === true &&
      known.some(({ temporarilyInactive }) => temporarilyInactive !== true),
    appsPermissions: isLess(change, 'appsPermissions'),
  });
}

/** Lists what a change takes from a group: permissions, or the flag that lets it be given work. */
export function listTakenFromGroup(change: ProtectedChange<DesiredGroup, ObservedGroup>): string[] {
  const { before, after, observed, isInService } = change;
  const flag = 'addToCardsAndSpacesEnabled';
  const mayHold = observed?.[flag] ?? (isInService && before?.[flag] === undefined);
  return listTaken(change, {
    permissions: isLess(change, 'permissions'),
    [flag]: after[flag] !== true && (before?.[flag] === true || (after[flag] === false && mayHold)),
  });
}

function listTaken(
  { fields }: Pick<ProtectedChange<unknown, unknown>, 'fields'>,
  hasLess: Readonly<Record<string, boolean>>,
): string[] {
  return Object.keys(hasLess).filter((field) => fields.includes(field) && hasLess[field]);
}

/** Checks for lost bits. Clearing a wanted value takes all of it; of an unknown one each value may be less. */
function isLess<Field extends string>(
  { before, after, observed, isInService }: ProtectedChange<Masks<Field>, Masks<Field>>,
  field: Field,
): boolean {
  const [was, is, held] = [before?.[field], after[field], observed?.[field]];
  if (is === undefined) return (was ?? 0) > 0;
  if (was === undefined && held === undefined) return isInService;
  return hasMoreBits(was ?? 0, is) || hasMoreBits(held ?? 0, is);
}

type Masks<Field extends string> = { readonly [F in Field]?: number | undefined };

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
