import { GROUP_EXTENSION, GROUP_SCHEMA_URI } from '../../domain/extensions.ts';
import type { ObservedGroup } from '../../domain/group.ts';
import type { JsonObject } from '../../domain/json.ts';
import { limitMarks } from '../../domain/text.ts';
import { toGroupColumns } from '../../store/engine/columns.ts';
import type { GroupRow } from '../../store/resources/rows.ts';
import { toObservedGroup } from '../../store/resources/state.ts';
import type { RestGroup } from '../../upstream/shapes/rest-group.ts';
import type { ReconcileDeps } from '../deps.ts';

/** Attributes of an unmanaged group without its members, as the service holds it. */
export function toUnmanagedGroupAttributes(observed: ObservedGroup): JsonObject {
  const { permissions, addToCardsAndSpacesEnabled } = observed;
  const displayName = limitMarks(observed.displayName);
  const extension: JsonObject = {
    ...(permissions === undefined ? {} : { permissions }),
    ...(addToCardsAndSpacesEnabled === undefined ? {} : { addToCardsAndSpacesEnabled }),
  };
  if (Object.keys(extension).length === 0) return { schemas: [GROUP_SCHEMA_URI], displayName };
  return {
    schemas: [GROUP_SCHEMA_URI, GROUP_EXTENSION],
    displayName,
    [GROUP_EXTENSION]: extension,
  };
}

/** Observation of a group in an answer of REST; `by` is the call. */
export function observeRestGroup(
  { clock }: Pick<ReconcileDeps, 'clock'>,
  group: RestGroup,
  { id: by }: { readonly id: string },
): ObservedGroup {
  const { name: displayName, permissions, addToCardsAndSpacesEnabled, created } = group;
  const at = clock.now();
  return {
    displayName,
    ...(permissions === undefined ? {} : { permissions }),
    ...(addToCardsAndSpacesEnabled === undefined ? {} : { addToCardsAndSpacesEnabled }),
    ...(created === undefined ? {} : { created }),
    listedAt: at,
    at,
    by,
  };
}

/** Row of a group whose adoption was refused: unmanaged again, and shown as the service holds it. */
export function toUnmanagedGroup(row: GroupRow): GroupRow {
  const observed = toObservedGroup(row);
  const shown = observed ? toGroupColumns(toUnmanagedGroupAttributes(observed)) : {};
  return { ...row, ...shown, origin: null, cells: '{}', entities: null, deleted_at: null };
}
