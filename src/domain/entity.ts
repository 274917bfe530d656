import {
  ask,
  type Cell,
  type Cells,
  edit,
  holds,
  isWaiting,
  parseFields,
  release,
  withEcho,
} from './cell.ts';

/** Field of a group: its roles in one entity (a space or document of the service), which has a cell of its own. */
export type EntityField = `entity:${string}`;

const PREFIX = 'entity:';

/** Makes the field of an entity. */
export function toEntityField(uid: string): EntityField {
  return `entity:${uid}`;
}

/** True for the field of an entity. */
export function isEntityField(field: string): field is EntityField {
  return field.startsWith(PREFIX);
}

/** The uid of the entity that a field is about. */
export function toEntityUid(field: EntityField): string {
  return field.slice(PREFIX.length);
}

/** Roles as the text of a value: sorted, each once. No role has a space in it. */
export function toRoleText(roles: readonly string[]): string {
  return [...new Set(roles)].sort().join(' ');
}

/** The roles of such a text. */
export function parseRoles(text: string | undefined): string[] {
  return text === undefined || text === '' ? [] : text.split(' ');
}

/** The entities of a group, as the service last listed them. */
export interface SeenEntities {
  /** Time at which they were listed (epoch milliseconds). */
  readonly at: number;
  /** The group's own roles in each, as text; empty: it has roles there through another entity alone. */
  readonly roles: { readonly [Entity in EntityField]?: string };
}

/** The entities that have a cell. */
export function listEntityFields(cells: Cells<string>): EntityField[] {
  return parseFields(cells).filter(isEntityField);
}

/** The roles that are wanted, as text; empty: the group is to have none; undefined: no rule speaks of the entity. */
export function findWantedRoles(cell: Cell | undefined): string | undefined {
  const value = cell?.source?.value;
  return typeof value === 'string' ? value : undefined;
}

/** True when the service holds the wanted roles, or what was accepted instead of them. */
export function holdsRoles(cell: Cell | undefined, held: string | undefined): boolean {
  const wanted = findWantedRoles(cell);
  return wanted === undefined || holds(cell, wanted, held ?? '');
}

/** True for an entity that may have been there before the rules: the list of the service says so, or was not read yet. */
export function wasThere(cell: Cell | undefined): boolean {
  return cell?.source?.by === 'service';
}

/** True when the list shows that the group has no roles of its own in the entity. */
function isOut(seen: SeenEntities | undefined, field: EntityField): boolean {
  return seen !== undefined && (seen.roles[field] ?? '') === '';
}

/** True when some of these roles are not among the others. */
export function losesRoles(before: string | undefined, after: string | undefined): boolean {
  const left = new Set(parseRoles(after));
  return parseRoles(before).some((role) => !left.has(role));
}

/** Cells after a change of what is wanted, with the entities in which other roles are wanted now. */
export interface ChangedEntities<Field extends string> {
  readonly cells: Cells<Field | EntityField>;
  readonly changed: readonly EntityField[];
}

/**
 * Cells after the rules want these roles, as text. What a rule put in is to go once no rule wants it; what was there
 * before is let go of.
 */
export function wantEntities<Field extends string>(
  cells: Cells<Field | EntityField>,
  wanted: ReadonlyMap<EntityField, string>,
  seen: SeenEntities | undefined,
): ChangedEntities<Field> {
  const fields = new Set([...listEntityFields(cells), ...wanted.keys()]);
  const news = [...fields].filter(
    (field) => findWantedRoles(cells[field]) !== (wanted.get(field) ?? ''),
  );
  const isLetGo = (field: EntityField) => {
    const cell = cells[field];
    return !wanted.has(field) && (wasThere(cell) || (isOut(seen, field) && !isWaiting(cell)));
  };
  const changed = news.filter((field) => !isLetGo(field));
  const left = release<Field | EntityField>(cells, news.filter(isLetGo));
  return {
    changed,
    // What was accepted, and what the service refused, was about the roles of before.
    cells: edit<Field | EntityField>(left, changed, ({ pending, source }, field) => ({
      pending,
      source: {
        value: (isEntityField(field) ? wanted.get(field) : undefined) ?? '',
        by: source?.by ?? 'service',
      },
      echo: undefined,
      failure: undefined,
    })),
  };
}

/** Cells of a group that is released: what the rules put in is to go since `version`. */
export function leaveEntities<Field extends string>(
  cells: Cells<Field | EntityField>,
  version: number,
): Cells<Field | EntityField> {
  const left = wantEntities<Field>(cells, new Map(), undefined);
  return ask<Field | EntityField>(left.cells, left.changed, version);
}

/** Cells after the service listed the entities: what it does not show was not there before the rules. */
export function seeEntities<Field extends string>(
  cells: Cells<Field | EntityField>,
  seen: SeenEntities,
): Cells<Field | EntityField> {
  const out = listEntityFields(cells).filter((field) => isOut(seen, field));
  return edit<Field | EntityField>(cells, out, (cell) => ({
    ...cell,
    source: cell.source && { ...cell.source, by: 'rule' },
  }));
}

/** Cells without those of entities that are out, and that nobody wants. */
export function endEntities<Field extends string>(
  cells: Cells<Field | EntityField>,
  seen: SeenEntities | undefined,
): Cells<Field | EntityField> {
  const over = listEntityFields(cells).filter((field) => {
    const isUnwanted = (findWantedRoles(cells[field]) ?? '') === '';
    return isUnwanted && !isWaiting(cells[field]) && isOut(seen, field);
  });
  return release<Field | EntityField>(cells, over);
}

/** The entities in which roles are wanted. */
export function listWantedEntities(cells: Cells<string>): EntityField[] {
  return listEntityFields(cells).filter((field) => findWantedRoles(cells[field]));
}

/** Cells of a group that is to be made anew: nothing has to be taken out of it. */
export function restartEntities<Field extends string>(
  cells: Cells<Field | EntityField>,
): Cells<Field | EntityField> {
  const wanted = new Set(listWantedEntities(cells));
  const over = listEntityFields(cells).filter((field) => !wanted.has(field));
  return release<Field | EntityField>(cells, over);
}

/** True when the group is to leave an entity, and that waits. */
export function leavesEntity(cells: Cells<string>): boolean {
  return listEntityFields(cells).some(
    (field) => isWaiting(cells[field]) && findWantedRoles(cells[field]) === '',
  );
}

/** The cells of entities alone, for another row that takes the group up. */
export function onlyEntities(cells: Cells<string>): Cells<EntityField> {
  const fields = new Set<string>(listEntityFields(cells));
  return release(
    cells,
    parseFields(cells).filter((field) => !fields.has(field)),
  );
}

/** True when the rules put the group into an entity, or may have. */
export function hasEntityPutIn(cells: Cells<string>): boolean {
  return listEntityFields(cells).some((field) => !wasThere(cells[field]));
}

/**
 * Cells after other roles were accepted: they stand for the wanted ones, until the rules want others. What no rule wants
 * is let go of.
 */
export function acceptRoles<Field extends string>(
  cells: Cells<Field | EntityField>,
  field: EntityField,
  back: string,
): Cells<Field | EntityField> {
  const sent = findWantedRoles(cells[field]);
  if (!sent) return release<Field | EntityField>(cells, [field]);
  return withEcho<Field | EntityField>(cells, field, { sent, back });
}
