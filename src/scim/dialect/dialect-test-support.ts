import type { RepairKind } from '../repairs.ts';
import { userSchema } from '../schema/resource-schemas.ts';
import { parseResource } from './parse-body.ts';

/** The URN of the core schema. */
export const core = 'urn:ietf:params:scim:schemas:core:2.0:User';
/** The URN of the enterprise extension. */
export const enterprise = 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User';
/** The URN of the service's own extension. */
export const workManagement = 'urn:ietf:params:scim:schemas:extension:workmanagement:2.0:User';

/** Parses a user as it comes off the wire, so that a `__proto__` key is one, and counts the repairs. */
export function parse(body: object | string) {
  const counts: Partial<Record<RepairKind, number>> = {};
  const count = (kind: RepairKind) => {
    counts[kind] = (counts[kind] ?? 0) + 1;
  };
  const json = typeof body === 'string' ? body : JSON.stringify(body);
  return { ...parseResource(JSON.parse(json), userSchema, { count }), counts };
}
