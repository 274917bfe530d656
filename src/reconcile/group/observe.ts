import type { ObservedGroup } from '../../domain/group.ts';
import type { JsonObject } from '../../domain/json.ts';
import { GROUP_SCHEMA_URI } from '../../domain/schemas.ts';

/** How an unmanaged group is shown, apart from who is in it: the name that the service holds. */
export function toUnmanagedGroupAttributes({ displayName }: ObservedGroup): JsonObject {
  return { schemas: [GROUP_SCHEMA_URI], displayName };
}
