import type { JsonObject, JsonValue } from '../../domain/json.ts';
import { badRequest } from '../errors.ts';

/**
 * Stops a user from becoming larger than may be. Of one that is larger already, everything may be written that adds
 * no text: nobody is kept from being deactivated by how much is known of them.
 * @throws ScimError 400 `tooMany`
 */
export function assertFits(
  { resourceBytesMax: bytesMax }: { readonly resourceBytesMax: number },
  before: JsonObject | undefined,
  attributes: JsonObject,
): void {
  const length = measureText(attributes);
  // Text that many values share is long only once it is written out.
  if (length <= bytesMax && Buffer.byteLength(JSON.stringify(attributes)) <= bytesMax) return;
  if (before !== undefined && length <= measureText(before)) return;
  throw badRequest('tooMany', `The user would be larger than ${bytesMax} bytes.`);
}

/** Characters of all texts; schemas are no choice of the provider's. */
function measureText({ schemas: _, ...attributes }: JsonObject): number {
  return sum(attributes);
}

function sum(value: JsonValue | undefined): number {
  if (typeof value === 'string') return value.length;
  if (typeof value !== 'object' || value === null) return 0;
  let length = 0;
  for (const part of Object.values(value)) length += sum(part);
  return length;
}
