import { Types } from 'scimmy';

/** One schema: its URN, name and attributes. The only thing we take from scimmy. */
export type SchemaDefinition = InstanceType<typeof Types.SchemaDefinition>;
/** One attribute of a schema with its characteristics (RFC 7643 §2.2). */
export type SchemaAttribute = InstanceType<typeof Types.Attribute>;

/** Characteristics of an attribute that differ from the defaults of RFC 7643 §2.2. */
interface AttributeOptions {
  readonly required?: boolean;
  readonly caseExact?: boolean;
  readonly mutability?: 'readOnly' | 'readWrite' | 'immutable' | 'writeOnly';
  readonly returned?: 'always' | 'never' | 'default' | 'request';
  readonly uniqueness?: 'none' | 'server' | 'global';
  /** Suggestions for the reader, not a closed list: providers send other types as well. */
  readonly canonicalValues?: readonly string[];
  readonly referenceTypes?: readonly string[];
}

type SimpleType = 'string' | 'boolean' | 'integer' | 'dateTime' | 'reference' | 'binary';

/** An attribute with one simple value. References and binary values are case exact. @see RFC 7643 §2.3.6, §2.3.7 */
export function attribute(
  type: SimpleType,
  name: string,
  description: string,
  options: AttributeOptions = {},
): SchemaAttribute {
  const caseExact = type === 'reference' || type === 'binary';
  const config = { description, caseExact, ...toConfig(options) };
  return new Types.Attribute(type, name, config);
}

/** An attribute with one complex value. */
export function complexAttribute(
  name: string,
  description: string,
  subAttributes: readonly SchemaAttribute[],
): SchemaAttribute {
  return new Types.Attribute('complex', name, { description }, [...subAttributes]);
}

/** An attribute with a list of complex values. */
export function multiValuedAttribute(
  name: string,
  description: string,
  subAttributes: readonly SchemaAttribute[],
  options: AttributeOptions = {},
): SchemaAttribute {
  const config = { description, multiValued: true, ...toConfig(options) };
  return new Types.Attribute('complex', name, config, [...subAttributes]);
}

/** Beginning of the URNs of the standard. @see RFC 7643 §10.2.1 */
const STANDARD = 'urn:ietf:params:scim:schemas:';

/** A schema that stands by itself: nothing is declared or extended process-wide. */
export function defineSchema(
  urn: string,
  name: string,
  description: string,
  attributes: readonly SchemaAttribute[],
): SchemaDefinition {
  const definition = new Types.SchemaDefinition(name, STANDARD, description, [...attributes]);
  // The constructor takes no URN of anybody else, such as Okta's.
  definition.id = urn;
  return definition;
}

function toConfig({ mutability, canonicalValues, referenceTypes, ...same }: AttributeOptions) {
  return {
    ...same,
    ...(mutability === undefined ? {} : { mutable: mutability }),
    // What would not come back as it was sent is known, but not advertised.
    shadow: mutability === 'writeOnly',
    ...(canonicalValues === undefined ? {} : { canonicalValues: [...canonicalValues] }),
    ...(referenceTypes === undefined ? {} : { referenceTypes: [...referenceTypes] }),
  };
}
