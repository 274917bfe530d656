import { toWrittenName } from '../../domain/extensions.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../../domain/json.ts';
import { invalidValue } from '../errors.ts';
import type { Repairs } from '../repairs.ts';
import { type ResourceSchema, userSchema } from '../schema/resource-schemas.ts';
import { coerceValue } from './coerce.ts';
import { hasContent, withoutNulls } from './elements.ts';
import { type BodyEntry, readResource } from './entries.ts';
import { countSchemas, openBody } from './parse-body.ts';
import { type SentLists, toSentLists } from './sent-place.ts';

/** Content of the body of a POST or PUT of a user. */
export interface UserInput {
  /** Canonical: names in the spelling of the schema, an extension's below its URN, nothing read-only, nothing null. */
  readonly attributes: JsonObject;
  /** Attributes (`toWrittenName`) and extensions that the body names, also those that it clears. */
  readonly mentioned: ReadonlySet<string>;
  readonly sent: SentLists;
}

/**
 * Reads the body of a POST or PUT of a user in any provider's dialect.
 * @throws ScimError 400 `invalidSyntax`: no object; `invalidValue`: userName missing, active not a boolean, see `openBody`
 */
export function parseUser(body: unknown, repairs: Repairs): UserInput {
  const object = openBody(body);
  countSchemas(object, userSchema.urns, repairs);
  const { entries, extensions } = readResource(object, userSchema, repairs);
  const input = toInput(entries, extensions, repairs);
  assertNamed(input.attributes, 'userName', userSchema);
  return { ...input, sent: toSentLists(entries) };
}

/** Attributes out of entries; an attribute that cannot hold the sent value counts as not mentioned. */
export function toInput(
  entries: readonly BodyEntry[],
  extensions: readonly string[],
  repairs: Repairs,
): Omit<UserInput, 'sent'> {
  const attributes: JsonObject = {};
  const mentioned = new Set(extensions);
  for (const { path, value } of entries) {
    if (path.sub && path.attribute.multiValued) {
      repairs.count('unknown-attribute-dropped');
      continue;
    }
    const coerced = coerceValue(path.sub ?? path.attribute, value, repairs);
    if (coerced === undefined) continue;
    if (coerced === null && path.attribute.name === 'active') {
      countBlankActive(value, repairs);
      continue;
    }
    mentioned.add(toWrittenName(path.extension, path.attribute.name));
    const isAssigned = isJsonObject(coerced) ? hasContent(coerced) : coerced !== null;
    if (isAssigned) assign(attributes, path.keys, coerced);
  }
  return { attributes, mentioned };
}

/** An account is on or off, and blank must not switch it. Null says no more than its absence (RFC 7643 §2.5). */
function countBlankActive(sent: JsonValue, repairs: Repairs): void {
  if (sent !== null) repairs.count('blank-active-dropped');
}

/** @throws ScimError 400 `invalidValue` when the name a resource cannot be without is missing or blank */
export function assertNamed(attributes: JsonObject, name: string, { name: type }: ResourceSchema) {
  const value = attributes[name];
  if (typeof value === 'string' && value.trim() !== '') return;
  throw invalidValue(`A ${type} needs a ${name}.`);
}

/** Sets a value below objects that are made on the way. The keys are names of a schema. */
function assign(target: JsonObject, keys: readonly string[], value: JsonValue): void {
  const [key, ...rest] = keys;
  if (key === undefined) return;
  const held = target[key];
  if (rest.length > 0) {
    const inner = isJsonObject(held) ? held : {};
    assign(inner, rest, value);
    target[key] = inner;
  } else if (isJsonObject(value)) {
    target[key] = { ...(isJsonObject(held) ? held : {}), ...withoutNulls(value) };
  } else {
    target[key] = value;
  }
}
