import type { RepairKind } from '../repairs.ts';
import { type UserList, userSchema } from '../schema/resource-schemas.ts';
import { type Content, parseResource } from './parse-body.ts';

/** The URN of the core schema. */
export const core = 'urn:ietf:params:scim:schemas:core:2.0:User';
/** The URN of the enterprise extension. */
export const enterprise = 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User';
/** The URN of the service's own extension. */
export const workManagement = 'urn:ietf:params:scim:schemas:extension:workmanagement:2.0:User';

/** Parses a user as it comes off the wire, so that a `__proto__` key is one, and counts the repairs. */
export function parse(body: object | string, schema = userSchema) {
  const counts: Partial<Record<RepairKind, number>> = {};
  const count = (kind: RepairKind) => {
    counts[kind] = (counts[kind] ?? 0) + 1;
  };
  const json = typeof body === 'string' ? body : JSON.stringify(body);
  return { ...parseResource(JSON.parse(json), schema, { count }), counts };
}

/** Ids that the last step of a list has; undefined: there is none. */
export function listIds({ steps }: Content, list: UserList): string[] | undefined {
  const step = steps.findLast((one) => one.kind === 'users' && one.list === list);
  return step?.kind === 'users' ? [...step.ids.keys()] : undefined;
}
