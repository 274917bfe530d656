import { ask, askOnly, type Cells, mustWait, parseFields } from './cell.ts';
import { isEntityField, leaveEntities, listWantedEntities } from './entity.ts';
import { GROUP_EXTENSION, toWrittenName } from './extensions.ts';
import {
  type DesiredGroup,
  type GroupField,
  type GroupState,
  isInService,
  listGroupDifferences,
  type OwnGroupField,
  toDesiredGroup,
} from './group.ts';
import type { JsonObject } from './json.ts';
import { isGone } from './resource-state.ts';

/** Owned fields that a write names. */
export function toGroupFields(names: ReadonlySet<string>): GroupField[] {
  return parseFields<OwnGroupField>(NAMES).filter((field) => names.has(NAMES[field] ?? ''));
}

/** The name by which a write names each field of a group's own; undefined: none does. */
const NAMES: Readonly<Record<OwnGroupField, string | undefined>> = {
  existence: undefined,
  displayName: 'displayName',
  permissions: toWrittenName(GROUP_EXTENSION, 'permissions'),
  addToCardsAndSpacesEnabled: toWrittenName(GROUP_EXTENSION, 'addToCardsAndSpacesEnabled'),
};

/** A provider's write of a group, as it decides what is left to do. */
export interface GroupWrite {
  readonly state: Omit<GroupState, 'links'>;
  /** Cells with the sources of the values after it. */
  readonly cells: Cells<GroupField>;
  readonly attributes: JsonObject;
  readonly fields: readonly GroupField[];
  readonly version: number;
  /** A step for this group may be on its way now, so what is observed may be about to change. */
  readonly inFlight: boolean;
}

/** Cells after a write of the group itself; members and admins wait row by row. */
export function toCellsAfterGroupWrite(write: GroupWrite): Cells<GroupField> {
  const { state, cells, attributes, fields, version, inFlight } = write;
  if (!isInService(state.ids)) {
    return askOnly(cells, ['existence', ...listWantedEntities(cells)], version);
  }
  if (fields.length === 0) return cells;
  const desired = toDesiredGroup(attributes);
  const isUnsure = inFlight || state.mustLook || isGone(state.observed);
  const differing = new Set<GroupField>(
    state.observed === undefined ? fields : listGroupDifferences(desired, state.observed, cells),
  );
  const waiting = fields.filter((field) =>
    mustWait(cells[field], { differs: differing.has(field), isUnsure }),
  );
  // An entity is named where the rules want other roles in it.
  const owned = fields.filter(
    (field) => isEntityField(field) || (waiting.includes(field) && isOwned(desired, field)),
  );
  return ask(cells, owned, version);
}

/**
 * Cells of a deleted group. One that the bridge made is to go where the service may have it; another one leaves the
 * entities into which the rules put it.
 */
export function toCellsAfterGroupDeletion(
  cells: Cells<GroupField>,
  { isOwn, mayBeThere, version }: GroupDeletion,
): Cells<GroupField> {
  const existence = isOwn && mayBeThere ? (['existence'] as const) : [];
  const asked = askOnly<GroupField>(cells, existence, version);
  return isOwn ? asked : leaveEntities<GroupField>(asked, version);
}

/** Deletion of a group. */
export interface GroupDeletion {
  /** True for a group that the bridge made. */
  readonly isOwn: boolean;
  readonly mayBeThere: boolean;
  readonly version: number;
}

function isOwned(desired: DesiredGroup, field: OwnGroupField): boolean {
  return field === 'existence' || desired[field] !== undefined;
}
