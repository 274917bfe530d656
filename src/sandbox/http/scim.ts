import { z } from 'zod';
import type { SandboxGroup } from '../model.ts';
import { isObject, parse, Refusal } from '../refusal.ts';
import type { Call } from './call.ts';

const patch = z.object({ Operations: z.array(z.unknown()).min(1).max(10_000) });
const operation = z.object({
  op: z.enum(['add', 'replace', 'remove']),
  path: z.string(),
  value: z.unknown().optional(),
});

/** One entry of `Operations`, of a known op; its resource checks path and value. */
export type PatchOperation = z.infer<typeof operation>;

/**
 * The operations of a SCIM PATCH. The documented service knows only `op` in lower case with a `path`; the lenient one
 * also the other forms of RFC 7644 §3.5.2. @throws Refusal 400 when there are none or one is malformed
 */
export function parseOperations({ body, shape }: Call): PatchOperation[] {
  const { Operations: items } = parse(patch, body);
  const strict = shape.patchSyntax === 'lenient' ? items.flatMap(tighten) : items;
  return strict.map((item) => parse(operation, item));
}

function tighten(item: unknown): unknown[] {
  if (!isObject(item)) return [item];
  const { op: written, path, value } = item;
  const op = String(written).toLowerCase();
  if (path !== undefined || !isObject(value)) return [{ ...item, op }];
  return Object.entries(value).map(([name, part]) => ({ op, path: name, value: part }));
}

/** The error of an operation that the service does not take. */
export function toNotAvailable({ op, path }: PatchOperation): Refusal {
  return new Refusal(400, `operation '${op}' is not available for path '${path}'`);
}

/** One page of a SCIM list. @see RFC 7644 §3.4.2 */
export function toScimList(
  resources: readonly object[],
  { totalResults, startIndex }: { totalResults: number; startIndex: number },
) {
  return {
    schemas: ['urn:ietf:params:scim:api:messages:2.0:ListResponse'],
    Resources: resources,
    totalResults,
    itemsPerPage: resources.length,
    startIndex,
  };
}

/** What every resource begins with. */
export function toHead(
  { baseUrl }: Call,
  type: 'User' | 'Group',
  { id, created, updated }: { id: string | number; created: string; updated: string },
) {
  const location = `${baseUrl}/scim/v2/${type}s/${id}`;
  return {
    schemas: [`urn:ietf:params:scim:schemas:core:2.0:${type}`],
    id,
    meta: { resourceType: type, created, lastModified: updated, location },
  };
}

/** The id of a group in SCIM, in the form that the shape gives it. */
export function toGroupId({ shape }: Call, group: SandboxGroup): string | number {
  switch (shape.groupId) {
    case 'rest-id-string':
      return String(group.id);
    case 'rest-id-number':
      return group.id;
    case 'uid':
      return group.uid;
    case 'own':
      return group.scimId;
  }
}
