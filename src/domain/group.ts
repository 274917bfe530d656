import { type Cells, type FieldValues, holds } from './cell.ts';
import type { EntityField, SeenEntities } from './entity.ts';
import { GROUP_EXTENSION, toExtension } from './extensions.ts';
import type { LinkKey } from './link.ts';
import { normaliseName } from './name.ts';
import type { ResourceState, Sightings } from './resource-state.ts';
import { type GroupId, type JsonObject, parseFields } from './values.ts';

/** Owned fields of a group: its own, and one for each entity of the rules. Members and admins wait row by row. */
export type GroupField = OwnGroupField | EntityField;

/** Field of a group's own. */
export type OwnGroupField =
  | 'existence'
  | 'displayName'
  | 'permissions'
  | 'addToCardsAndSpacesEnabled';

/** The service's names for one group. "SCIM id = REST id" or "= uid" is a thing to be learned. */
export interface UpstreamGroupIds {
  readonly scimId: string | undefined;
  readonly restId: number | undefined;
  readonly uid: string | undefined;
}

/** True when the service has the group, or had it at the last look. */
export const isInService = ({ scimId, restId, uid }: UpstreamGroupIds) =>
  (scimId ?? restId ?? uid) !== undefined;

/** Last observation of a group, without its members. */
export interface ObservedGroup extends Sightings {
  readonly displayName: string;
  readonly permissions?: number;
  readonly addToCardsAndSpacesEnabled?: boolean;
  /** When the service made the group, in its words: it tells groups apart. Empty: the service says it now so, now otherwise. */
  readonly created?: string;
}

/** The time of creation after the service has shown the user or group once more. */
export function withCreated(
  before: { readonly created?: string } | undefined,
  shown: string | undefined,
) {
  const created = before?.created ?? shown;
  if (created === undefined) return {};
  return { created: shown === undefined || shown === created ? created : '' };
}

/** True for another group than the one that was seen: it has neither its name nor its time of creation. */
export function isAnotherGroup(
  before: ObservedGroup | undefined,
  { displayName, created }: { readonly displayName: string; readonly created?: string | undefined },
): boolean {
  if (!created || !before?.created || created === before.created) return false;
  return normaliseName(displayName) !== normaliseName(before.displayName);
}

/** Desired group, as far as the service can hold it. */
export interface DesiredGroup {
  readonly displayName: string;
  readonly permissions: number | undefined;
  readonly addToCardsAndSpacesEnabled: boolean | undefined;
}

/** One waiting change of a list, of a user who has an account. */
export interface LinkChange extends LinkKey {
  readonly upstreamUserId: number;
  readonly wanted: boolean;
  readonly version: number;
  /** Number of failures in a row; of an outage the first alone counts. Absent: none. */
  readonly attempts?: number;
  /** It is stuck. Absent: it is not. */
  readonly stuck?: true;
  /** The service took it before and did not make it. Absent: it did not. */
  readonly ignored?: true;
}

/** A change that the service holds now. */
export interface DoneLink extends LinkChange {
  /** It was so before the bridge asked, so the bridge did not put the user in. */
  readonly madeByOthers?: true;
}

/** All that is known of one managed group, or of one whose removal is still under way. */
export interface GroupState extends ResourceState<GroupField> {
  readonly id: GroupId;
  readonly ids: UpstreamGroupIds;
  readonly desired: DesiredGroup;
  readonly observed: ObservedGroup | undefined;
  /** Absent: they were not listed yet, or a call of unknown outcome may have changed them since. */
  readonly entities?: SeenEntities | undefined;
  /** Only groups that the bridge created are removed; others are released. */
  readonly created: boolean;
  readonly links: readonly LinkChange[];
}

/** Maps the attributes of a managed group to the desired group. */
export function toDesiredGroup(attributes: JsonObject): DesiredGroup {
  const { displayName } = attributes;
  const { permissions, addToCardsAndSpacesEnabled: isAdded } = toExtension(
    attributes,
    GROUP_EXTENSION,
  );
  return {
    displayName: typeof displayName === 'string' ? displayName : '',
    permissions: typeof permissions === 'number' ? permissions : undefined,
    addToCardsAndSpacesEnabled: typeof isAdded === 'boolean' ? isAdded : undefined,
  };
}

/** Values of each field of a group's own, as an operator is shown them. */
export function toGroupValues(desired: DesiredGroup, observed: ObservedGroup) {
  return {
    existence: undefined,
    displayName: [desired.displayName, observed.displayName],
    permissions: [desired.permissions, observed.permissions],
    addToCardsAndSpacesEnabled: [
      desired.addToCardsAndSpacesEnabled,
      observed.addToCardsAndSpacesEnabled,
    ],
  } as const satisfies FieldValues<OwnGroupField>;
}

/** The owned fields in which the service does not hold what is desired; unset ones are not ours. */
export function listGroupDifferences(
  desired: DesiredGroup,
  observed: ObservedGroup,
  cells: Cells<GroupField>,
): OwnGroupField[] {
  const { displayName, existence: _, ...values } = toGroupValues(desired, observed);
  const [wanted, seen] = displayName.map(normaliseName);
  const isNamed = holds(cells.displayName, wanted ?? '', seen ?? '');
  const others = parseFields<keyof typeof values>(values).filter((field) => {
    const [want, have] = values[field];
    return want !== undefined && want !== have;
  });
  return [...(isNamed ? [] : (['displayName'] as const)), ...others];
}
