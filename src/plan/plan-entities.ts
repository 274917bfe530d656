import { isWaiting, listUnsure } from '../domain/cell.ts';
import {
  type EntityField,
  findWantedRoles,
  holdsRoles,
  listEntityFields,
  parseRoles,
  wasThere,
} from '../domain/entity.ts';
import { findFailed } from '../domain/failure.ts';
import type { GroupState } from '../domain/group.ts';
import type { ChangeEntity, LookAtEntities } from './actions.ts';

/** Actions on the entities of a group, in the order of urgency. */
export interface EntityPlan {
  /** The entities that wait and in which the service does not hold the wanted roles for sure. */
  readonly open: readonly EntityField[];
  readonly removals: readonly ChangeEntity[];
  readonly others: readonly (LookAtEntities | ChangeEntity)[];
  /** Changes that failed before. */
  readonly tried: readonly (LookAtEntities | ChangeEntity)[];
}

/**
 * Plans a call for each entity. Before roles are given the entities are listed, so that what was there before the rules
 * is known; a removal needs no look, because repeating it does no harm.
 */
export function planEntities(state: GroupState): EntityPlan {
  const open = listOpen(state);
  const isTried = (field: EntityField) => findFailed(state.cells[field]) !== undefined;
  const isRemoval = (field: EntityField) => findWantedRoles(state.cells[field]) === '';
  const fresh = open.filter((field) => !isTried(field));
  return {
    open,
    removals: fresh.filter(isRemoval).map((field) => toChange(state, field)),
    others: planChanges(
      state,
      fresh.filter((field) => !isRemoval(field)),
    ),
    tried: planChanges(state, open.filter(isTried)),
  };
}

function listOpen(state: GroupState): EntityField[] {
  const { cells, entities } = state;
  const unsure = new Set<string>(listUnsure(state));
  return listEntityFields(cells).filter((field) => {
    const cell = cells[field];
    if (!isWaiting(cell) || findWantedRoles(cell) === undefined) return false;
    if (entities === undefined || unsure.has(field)) return true;
    return mayBeThere(state, field) || !holdsRoles(cell, entities.roles[field]);
  });
}

/** True for an entity that the last list does not show and that may have been there since before the rules. */
function mayBeThere({ cells, entities }: GroupState, field: EntityField): boolean {
  return wasThere(cells[field]) && !entities?.roles[field];
}

function planChanges(
  state: GroupState,
  fields: readonly EntityField[],
): (LookAtEntities | ChangeEntity)[] {
  const unseen = fields.filter((field) => {
    if (findWantedRoles(state.cells[field]) === '') return false;
    return state.entities === undefined || mayBeThere(state, field);
  });
  const changes = fields.filter((field) => !unseen.includes(field));
  const reason = 'the entities of the group are not known for sure';
  return [
    ...(unseen.length === 0 ? [] : [{ kind: 'look-at-entities', fields: unseen, reason } as const]),
    ...changes.map((field) => toChange(state, field)),
  ];
}

function toChange({ cells, entities }: GroupState, field: EntityField): ChangeEntity {
  const roles = parseRoles(findWantedRoles(cells[field]));
  return {
    kind: 'change-entity',
    field,
    roles,
    isListed: entities?.roles[field] !== undefined,
    reason: roles.length === 0 ? 'no roles in a space or document' : 'roles in a space or document',
  };
}
