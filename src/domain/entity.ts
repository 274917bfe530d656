import { ask, type Cell, type Cells, edit, holds, isWaiting, release } from './cell.ts';
import { parseFields } from './values.ts';

/** Field of a group: its roles in one entity (a space or document of the service), which has a cell of its own. */
export type EntityField = `entity:${string}`;

const PREFIX = 'entity:';

/** Makes the field of an entity. */
export const toEntityField = (uid: string): EntityField => `entity:${uid}`;

/** True for the field of an entity. */
export function isEntityField(field: string): field is EntityField {
  return field.startsWith(PREFIX);
}

/** The uid of the entity that a field is about. */
export const toEntityUid = (field: EntityField) => field.slice(PREFIX.length);

/** Roles as the text of a value: sorted, each once. No role has a space in it. */
export const toRoleText = (roles: readonly string[]) => [...new Set(roles)].sort().join(' ');

/** The roles of such a text. */
export const parseRoles = (text: string | undefined) => (text ? text.split(' ') : []);

/** The entities of a group, as the service last listed them. */
export interface SeenEntities {
  /** Time at which they were listed (epoch milliseconds). */
  readonly at: number;
  /** The group's own roles in each, as text; empty: it has roles there through another entity alone. */
  readonly roles: { readonly [Entity in EntityField]?: string };
}

/** The entities that have a cell. */
export function listEntityFields<F extends string>(cells: Cells<F>): (F & EntityField)[] {
  return parseFields(cells).filter((field): field is F & EntityField => isEntityField(field));
}

/** The roles that are wanted, as text; empty: the group is to have none; undefined: no rule speaks of the entity. */
export function findWantedRoles(cell: Cell | undefined): string | undefined {
  const value = cell?.source?.value;
  return typeof value === 'string' ? value : undefined;
}

/** True when the service holds the wanted roles, or what was accepted instead of them. */
export function holdsRoles(cell: Cell | undefined, seen: string | undefined): boolean {
  const wanted = findWantedRoles(cell);
  return wanted === undefined || holds(cell, wanted, seen ?? '');
}

/** True for an entity that may have been there before the rules: the list of the service says so, or was not read yet. */
export const wasThere = (cell: Cell | undefined) => cell?.source?.by === 'service';

/** True when the list shows that the group has no roles of its own in the entity. */
const isOut = (seen: SeenEntities | undefined, field: EntityField) =>
  seen !== undefined && !seen.roles[field];

/** True when some of these roles are not among the others. */
export function losesRoles(before: string | undefined, after: string | undefined): boolean {
  const left = new Set(parseRoles(after));
  return parseRoles(before).some((role) => !left.has(role));
}

/** Cells after the rules want these roles. What a rule put in goes once no rule wants it; what was there stays. */
export function wantEntities<F extends string>(
  cells: Cells<F | EntityField>,
  wanted: ReadonlyMap<EntityField, string>,
  seen: SeenEntities | undefined,
) {
  const fields = new Set<EntityField>([...listEntityFields(cells), ...wanted.keys()]);
  const news = [...fields].filter(
    (field) => findWantedRoles(cells[field]) !== (wanted.get(field) ?? ''),
  );
  const isLetGo = (field: EntityField) => {
    const cell = cells[field];
    return !wanted.has(field) && (wasThere(cell) || (isOut(seen, field) && !isWaiting(cell)));
  };
  const changed = news.filter((field) => !isLetGo(field));
  const left = release<F | EntityField>(cells, news.filter(isLetGo));
  // What was accepted, and what the service refused, was about the roles of before.
  const next = edit<F | EntityField>(left, changed, ({ pending, source }, field) => {
    const value = (isEntityField(field) && wanted.get(field)) || '';
    return { pending, source: { value, by: source?.by ?? 'service' } };
  });
  return { changed, cells: next };
}

/** Cells of a group that is released: what the rules put in is to go since `version`. */
export function leaveEntities<F extends string>(cells: Cells<F | EntityField>, version: number) {
  const left = wantEntities<F>(cells, new Map(), undefined);
  return ask<F | EntityField>(left.cells, left.changed, version);
}

/** Cells after the service listed the entities: what it does not show was not there before the rules. */
export function seeEntities<F extends string>(cells: Cells<F>, seen: SeenEntities): Cells<F> {
  const out = listEntityFields(cells).filter((field) => isOut(seen, field));
  return edit<F>(cells, out, (cell) => ({
    ...cell,
    source: cell.source && { ...cell.source, by: 'rule' },
  }));
}

function without<F extends string>(
  cells: Cells<F>,
  isOver: (cell: Cell | undefined, field: EntityField) => boolean,
): Cells<F> {
  const over = listEntityFields(cells).filter((field) => isOver(cells[field], field));
  return release<F>(cells, over);
}

/** Cells without those of entities that are out, and that nobody wants. */
export const endEntities = <F extends string>(cells: Cells<F>, seen: SeenEntities | undefined) =>
  without(cells, (cell, field) => !findWantedRoles(cell) && !isWaiting(cell) && isOut(seen, field));

/** Cells of a group that is to be made anew: nothing has to be taken out of it. */
export const restartEntities = <F extends string>(cells: Cells<F>) =>
  without(cells, (cell) => !findWantedRoles(cell));

/** The entities in which roles are wanted. */
export const listWantedEntities = (cells: Cells<string>) =>
  listEntityFields(cells).filter((field) => findWantedRoles(cells[field]));

/** True when the group is to leave an entity, and that waits. */
export const leavesEntity = (cells: Cells<string>) =>
  listEntityFields(cells).some(
    (field) => isWaiting(cells[field]) && findWantedRoles(cells[field]) === '',
  );

/** The cells of entities alone, for another row that takes the group up. */
export const onlyEntities = (cells: Cells<string>): Cells<EntityField> =>
  release(
    cells,
    parseFields(cells).filter((field) => !isEntityField(field)),
  );

/** True when the rules put the group into an entity, or may have. */
export const hasEntityPutIn = (cells: Cells<string>) =>
  listEntityFields(cells).some((field) => !wasThere(cells[field]));
