import { GROUP_EXTENSION } from '../../domain/extensions.ts';
import type { ObservedGroup } from '../../domain/group.ts';
import type { JsonObject } from '../../domain/json.ts';
import { GROUP_SCHEMA_URI } from '../../domain/schemas.ts';

/** Attributes of an unmanaged group without its members, as the service holds it. */
export function toUnmanagedGroupAttributes(observed: ObservedGroup): JsonObject {
  const { displayName, permissions, addToCardsAndSpacesEnabled } = observed;
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
