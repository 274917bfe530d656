import { findCreationAddress, isAddress } from '../../domain/address.ts';
import { USER_EXTENSION } from '../../domain/extensions.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../../domain/json.ts';
import { findSentPlace, type ResourceInput, withLeftOut } from '../dialect/parse-resource.ts';
import { invalidValue } from '../errors.ts';
import { enterpriseDescription } from '../schema/descriptions.ts';
import { keepAssigned } from './assigned.ts';

/** What a request makes of a user. */
export interface AskedChange {
  /** Attributes after the change. */
  readonly attributes: JsonObject;
  /** Attributes that the request names (`toWrittenName`). */
  readonly names: ReadonlySet<string>;
  /** Finds the place of an address in the request. */
  placeOf(address: string): string | undefined;
}

/** Attributes after a PUT: all are replaced, except `active`, `name`, `emails` and what was assigned, which partial views leave out. @see RFC 7644 §3.5.1 */
export function toReplacement(before: JsonObject, input: ResourceInput): AskedChange {
  const { mentioned } = input;
  const kept: JsonObject = {};
  for (const name of ['active', 'name', 'emails'] as const) {
    const value = before[name];
    if (!mentioned.has(name) && value !== undefined) kept[name] = value;
  }
  const assigned = keepAssigned(before, mentioned);
  const after = { ...kept, ...assigned, ...withLeftOut(before, input) };
  return {
    attributes: keepReadOnly(before, after),
    names: mentioned,
    placeOf: (address) => findSentPlace('emails', input.sent.get('emails'), address),
  };
}

/** Attributes with the read-only values of the service, which survive every write. */
export function keepReadOnly(before: JsonObject, attributes: JsonObject): JsonObject {
  const held = before[USER_EXTENSION];
  if (!isJsonObject(held)) return attributes;
  const readOnly: JsonObject = {};
  for (const name of ['role', 'virtual'] as const) {
    const value = held[name];
    if (value !== undefined) readOnly[name] = value;
  }
  const sent = attributes[USER_EXTENSION];
  const extension = { ...(isJsonObject(sent) ? sent : {}), ...readOnly };
  return Object.keys(extension).length === 0
    ? attributes
    : { ...attributes, [USER_EXTENSION]: extension };
}

/** Largest user, in bytes of its JSON; a group has little text. */
const USER_BYTES_MAX = 256 * 1_024;

/**
 * Stops a user from growing beyond the limit. A user that is larger already accepts every write that adds no text,
 * so that its size never prevents its deactivation.
 * @throws ScimError 400 `invalidValue`
 */
export function assertFits(before: JsonObject | undefined, attributes: JsonObject): void {
  const length = measureText(attributes);
  // Text that many values share is long only once it is written out.
  if (length <= USER_BYTES_MAX && Buffer.byteLength(JSON.stringify(attributes)) <= USER_BYTES_MAX)
    return;
  if (before !== undefined && length <= measureText(before)) return;
  throw invalidValue(`The user would be larger than ${USER_BYTES_MAX} bytes.`);
}

/** Characters of all texts, without the schemas, which the provider does not choose. */
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

/**
 * Stops an e-mail address that no service can take, where it is the one that the account is known by.
 * @param before attributes before the change; an address that stays is not checked; undefined: a new user
 * @param placeOf finds the place of an address in the request; undefined: the request lacks it
 * @throws ScimError 400 `invalidValue`
 */
export function assertAddress(
  before: JsonObject | undefined,
  attributes: JsonObject,
  placeOf: (address: string) => string | undefined,
): void {
  const address = findCreationAddress(attributes);
  if (address === undefined || isAddress(address)) return;
  if (before !== undefined && address === findCreationAddress(before)) return;
  const place = placeOf(address) ?? 'The address that the user keeps';
  const form = 'text, one @, text, and no white space';
  throw invalidValue(`${place} is no e-mail address: ${form}.`);
}

/**
 * Attributes with the `$ref` of the manager as it is stored: relative where it leads to a resource of this bridge, so
 * that it outlives the public address. Answers make it absolute (`renderUser`), and providers may send it back so.
 * @param baseUrl of SCIM, without a slash at its end
 */
export function withStoredManagerRef(attributes: JsonObject, baseUrl: string): JsonObject {
  const extension = attributes[enterpriseDescription.id];
  const manager = isJsonObject(extension) ? extension.manager : undefined;
  if (!isJsonObject(extension) || !isJsonObject(manager)) return attributes;
  const { $ref } = manager;
  if (typeof $ref !== 'string' || !$ref.startsWith(`${baseUrl}/`)) return attributes;
  const stored = { ...manager, $ref: `..${$ref.slice(baseUrl.length)}` };
  return { ...attributes, [enterpriseDescription.id]: { ...extension, manager: stored } };
}
