import { toExtension, toWrittenName } from '../../domain/extensions.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../../domain/json.ts';
import { invalidValue } from '../errors.ts';
import { attempt, type Repairs } from '../repairs.ts';
import {
  type AttributePath,
  type ResourceSchema,
  toPathText,
  userSchema,
} from '../schema/resource-schemas.ts';
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
  /** Attributes that are left out: what was held of them stays (`withLeftOut`). */
  readonly leftOut: readonly AttributePath[];
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
  attempt(repairs, undefined, () => assertNamed(input.attributes, 'userName', userSchema));
  return { ...input, sent: toSentLists(entries) };
}

/** Attributes out of entries; one that says nothing that a provider can set counts as not mentioned. */
export function toInput(
  entries: readonly BodyEntry[],
  extensions: readonly string[],
  repairs: Repairs,
): Omit<UserInput, 'sent'> {
  const attributes: JsonObject = {};
  const mentioned = new Set(extensions);
  const leftOut: AttributePath[] = [];
  for (const { path, value } of entries) {
    if (path.sub && path.attribute.multiValued) {
      repairs.count('unknown-attribute-dropped', toPathText(path));
      continue;
    }
    const coerced = attempt(repairs, undefined, (inside) => ({
      value: coerceValue(path.sub ?? path.attribute, value, inside),
    }));
    if (coerced === undefined) leftOut.push(path);
    else if (coerced.value === null && path.attribute.name === 'active') {
      countBlankActive(value, repairs);
    } else if (coerced.value !== undefined) {
      mentioned.add(toWrittenName(path.extension, path.attribute.name));
      if (isAssigned(coerced.value)) assign(attributes, path.keys, coerced.value);
    }
  }
  return { attributes, mentioned, leftOut };
}

function isAssigned(value: JsonValue): boolean {
  return isJsonObject(value) ? hasContent(value) : value !== null;
}

/** The attributes of a PUT, with the values of before where it has one that is left out. */
export function withLeftOut(
  before: JsonObject,
  { attributes, leftOut }: Pick<UserInput, 'attributes' | 'leftOut'>,
): JsonObject {
  const kept = structuredClone(attributes);
  for (const { extension, attribute } of leftOut) {
    const { [attribute.name]: held } = extension ? toExtension(before, extension) : before;
    if (held !== undefined) assign(kept, [extension ?? [], attribute.name].flat(), held);
  }
  return kept;
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
