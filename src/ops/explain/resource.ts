import { GROUP_EXTENSION, USER_EXTENSION } from '../../domain/extensions.ts';
import type { GroupState } from '../../domain/group.ts';
import type { JsonObject } from '../../domain/json.ts';
import type { UserState } from '../../domain/user.ts';
import { parseStored } from '../../store/engine/columns.ts';
import type { ResourceRow } from '../../store/resources/rows.ts';
import { toMoment } from '../http/moment.ts';
import type { ExplainedField, Explanation } from '../schemas/resources.ts';

/** The part of an explanation that is about the resource as a whole. */
export function toHead(
  row: ResourceRow,
  { observed }: Pick<UserState | GroupState, 'observed'>,
): Omit<
  Explanation,
  'type' | 'name' | 'upstream' | 'fields' | 'groups' | 'members' | 'admins' | 'more'
> {
  return {
    id: row.id,
    managed: row.origin ?? 'no',
    provider: row.origin === null ? null : row.provider,
    handling: null,
    deleted: row.deleted_at !== null,
    version: row.version,
    seen: observed ? { at: toMoment(observed.at), by: observed.by } : null,
    dueAt: toMoment(row.due_at),
    problem: row.last_error === null ? null : parseStored(row.last_error),
  };
}

/** Attributes of a person that the service has a place for. */
export const HELD_OF_USER: ReadonlySet<string> = new Set([
  ...['userName', 'name', 'emails', 'active'],
  USER_EXTENSION,
]);

/** Attributes of a group that the service has a place for. */
export const HELD_OF_GROUP: ReadonlySet<string> = new Set(['displayName', GROUP_EXTENSION]);

/** The attributes that the service has no place for, so that the bridge alone keeps them. */
export function listKept(row: ResourceRow, known: ReadonlySet<string>): ExplainedField[] {
  if (row.origin === null) return [];
  const { schemas: _, ...attributes } = parseStored<JsonObject>(row.attributes);
  return Object.entries(attributes)
    .filter(([name]) => !known.has(name))
    .map(([field, desired]) => ({
      field,
      desired,
      observed: null,
      from: 'provider',
      standing: 'bridge only',
    }));
}
