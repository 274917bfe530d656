import { z } from 'zod';
import type { SandboxGroup } from '../model.ts';
import { isObject, parse, Refusal } from '../refusal.ts';
import type { SandboxList } from '../shape.ts';
import { type Call, cutPage, parseInteger } from './call.ts';

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
export function notAvailable({ op, path }: PatchOperation): Refusal {
  return new Refusal(400, `operation '${op}' is not available for path '${path}'`);
}

/**
 * The page of a list that `startIndex` (from 1) and `count` ask for. @throws Refusal 400 when either is no integer
 * @see RFC 7644 §3.4.2
 */
export function listPage<Row>(
  { query, shape }: Call,
  list: SandboxList,
  rows: readonly Row[],
  toResource: (row: Row) => object,
) {
  const startIndex = Math.max(1, parseInteger(query, 'startIndex') ?? 1);
  const { default: fallback, max } = shape.pages[list];
  const count = Math.max(0, parseInteger(query, 'count') ?? fallback);
  const offset = shape.offsetIgnoredBy.includes(list) ? 0 : startIndex - 1;
  const resources = cutPage(rows, { offset, limit: Math.min(count, max ?? count) }).map(toResource);
  return {
    schemas: ['urn:ietf:params:scim:api:messages:2.0:ListResponse'],
    Resources: resources,
    totalResults: rows.length,
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
export function toGroupId({ shape }: Call, { id, uid, scimId }: SandboxGroup): string | number {
  const forms = { 'rest-id-string': String(id), 'rest-id-number': id, uid, own: scimId };
  return forms[shape.groupId];
}
