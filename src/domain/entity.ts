import type { Cell, Cells } from './cell.ts';
import { ask, edit, holds, isWaiting, release } from './cell.ts';
import { parseFields } from './values.ts';

/** Field of a group: its roles in one entity (a space or document of the service), which has a cell of its own. */
export type EntityField = `entity:${string}`;

const PREFIX = 'entity:';

/** Makes the field of an entity. */
export const toEntityField = (uid: string): EntityField => `entity:${uid}`;

/** True for the field of an entity. */
export const isEntityField = (field: string): field is EntityField => field.startsWith(PREFIX);

/** The uid of the entity that a field is about. */
export const toEntityUid = (field: EntityField) => field.slice(PREFIX.length);

/** Roles as the text of a value: sorted, each once. No role has a space in it. */
export const toRoleText = (roles: readonly string[]) => [...new Set(roles)].sort().join(' ');

/** The roles of such a text. */
export const parseRoles = (text: string | undefined) => (text ? text.split(' ') : []);

/** The group's own roles in each entity that the service last listed, as text; empty: it has roles there through another entity alone. */
export type SeenEntities = { readonly [Entity in EntityField]?: string };

/** The entities that have a cell. */
export const listEntityFields = (cells: Cells<string>) => parseFields(cells).filter(isEntityField);

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
  seen !== undefined && !seen[field];

/** Cells after the rules want these roles. What a rule put in goes once no rule wants it; what was there stays. */
export function wantEntities(
  cells: Cells<string>,
  wanted: ReadonlyMap<string, string>,
  seen: SeenEntities | undefined,
) {
  const fields = new Set([...listEntityFields(cells), ...[...wanted.keys()].filter(isEntityField)]);
  const news = [...fields].filter(
    (field) => findWantedRoles(cells[field]) !== (wanted.get(field) ?? ''),
  );
  const isLetGo = (field: EntityField) => {
    const cell = cells[field];
    return !wanted.has(field) && (wasThere(cell) || (isOut(seen, field) && !isWaiting(cell)));
  };
  const changed = news.filter((field) => !isLetGo(field));
  // What was accepted, and what the service refused, was about the roles of before.
  const next = edit(release(cells, news.filter(isLetGo)), changed, ({ pending, source }, field) => {
    return { pending, source: { value: wanted.get(field) ?? '', by: source?.by ?? 'service' } };
  });
  return { changed, cells: next };
}

/** Cells of a group that is released: what the rules put in is to go since `version`. */
export function leaveEntities(cells: Cells<string>, version: number) {
  const left = wantEntities(cells, new Map(), undefined);
  return ask(left.cells, left.changed, version);
}

/** Cells after the service listed the entities: what it does not show was not there before the rules. */
export function seeEntities(cells: Cells<string>, seen: SeenEntities) {
  const out = listEntityFields(cells).filter((field) => isOut(seen, field));
  return edit(cells, out, ({ source, ...cell }) => {
    return { ...cell, source: source && { ...source, by: 'rule' } };
  });
}

const listUnwanted = (cells: Cells<string>) =>
  listEntityFields(cells).filter((field) => !findWantedRoles(cells[field]));

/** Cells without those of entities that are out, and that nobody wants. */
export const endEntities = (cells: Cells<string>, seen: SeenEntities | undefined) =>
  release(
    cells,
    listUnwanted(cells).filter((field) => !isWaiting(cells[field]) && isOut(seen, field)),
  );

/** Cells of a group that is to be made anew: nothing has to be taken out of it. */
export const restartEntities = (cells: Cells<string>): Cells<string> =>
  release(cells, listUnwanted(cells));

/** The entities in which roles are wanted. */
export const listWantedEntities = (cells: Cells<string>) =>
  listEntityFields(cells).filter((field) => findWantedRoles(cells[field]));

/** True when the group is to leave an entity, and that waits. */
export const leavesEntity = (cells: Cells<string>) =>
  listUnwanted(cells).some((field) => isWaiting(cells[field]));

/** The cells of entities alone, for another row that takes the group up. */
export const onlyEntities = (cells: Cells<string>) =>
  release(
    cells,
    parseFields(cells).filter((field) => !isEntityField(field)),
  );

/** True when the rules put the group into an entity, or may have. */
export const hasEntityPutIn = (cells: Cells<string>) =>
  listEntityFields(cells).some((field) => !wasThere(cells[field]));
