import type { SchemaAttribute, SchemaDefinition } from './definition.ts';

/** The characteristics of one attribute or sub-attribute. @see RFC 7643 §2.2 */
export interface AttributeRule {
  /** In the spelling of the schema. The only text that ever becomes a property name. */
  readonly name: string;
  readonly type: string;
  readonly multiValued: boolean;
  readonly caseExact: boolean;
  /** True where the value names its resource. White space around it is no part of a name. */
  readonly isUnique: boolean;
  readonly required: boolean;
  readonly mutability: string;
  readonly returned: string;
  /** Empty for a simple attribute. */
  readonly subAttributes: AttributeMap;
}

/** Attributes by name: in the spelling of the schema and in lower case, so that most look-ups need no folding. */
type AttributeMap = ReadonlyMap<string, AttributeRule>;

/** The attributes of one schema. */
export interface SchemaTable {
  readonly urn: string;
  readonly attributes: AttributeMap;
}

// Every definition carries them; on a resource they belong to the core schema only.
const COMMON_NAMES: ReadonlySet<string> = new Set(['schemas', 'id', 'externalId', 'meta']);

/** The table of a core schema, with the common attributes of RFC 7643 §3.1. */
export function toCoreTable(definition: SchemaDefinition): SchemaTable {
  return toTable(definition.id, definition.attributes);
}

/** The table of an extension: its own attributes alone. */
export function toExtensionTable(definition: SchemaDefinition): SchemaTable {
  const own = definition.attributes.filter(({ name }) => !COMMON_NAMES.has(name));
  return toTable(definition.id, own);
}

/** An extension as the one complex attribute that it is on a resource, with its own attributes as parts. */
export function toWhole({ urn, attributes }: SchemaTable): AttributeRule {
  return {
    name: urn,
    type: 'complex',
    multiValued: false,
    caseExact: false,
    isUnique: false,
    required: false,
    mutability: 'readWrite',
    returned: 'default',
    subAttributes: attributes,
  };
}

/** The attribute with this name, compared without case (RFC 7643 §2.1), or undefined. */
export function findRule(attributes: AttributeMap, name: string): AttributeRule | undefined {
  return attributes.get(name) ?? attributes.get(name.toLowerCase());
}

/** Each attribute once, in the order of the schema. */
export function listRules(attributes: AttributeMap): AttributeRule[] {
  return [...new Set(attributes.values())];
}

function toTable(urn: string, attributes: readonly SchemaAttribute[]): SchemaTable {
  return Object.freeze({ urn, attributes: toMap(attributes) });
}

function toMap(attributes: readonly SchemaAttribute[]): AttributeMap {
  const map = new Map<string, AttributeRule>();
  for (const attribute of attributes) {
    const rule = toRule(attribute);
    map.set(rule.name, rule);
    map.set(rule.name.toLowerCase(), rule);
  }
  return map;
}

function toRule(attribute: SchemaAttribute): AttributeRule {
  const described = attribute.toJSON();
  return Object.freeze({
    name: described.name,
    type: described.type,
    multiValued: described.multiValued,
    caseExact: described.caseExact ?? false,
    isUnique: (described.uniqueness ?? 'none') !== 'none',
    // Of a list only the resource as a whole tells whether it may be empty: an address may be the userName.
    required: described.required && !described.multiValued,
    mutability: described.mutability ?? 'readWrite',
    returned: described.returned ?? 'default',
    subAttributes: toMap(attribute.subAttributes ?? []),
  });
}
