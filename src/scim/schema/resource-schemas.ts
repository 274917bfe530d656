import type { ResourceName } from '../../domain/extensions.ts';
import type { Attribute, Schema } from './descriptions.ts';
import {
  assignmentsDescription,
  COMMON,
  enterpriseDescription,
  entitlementDescription,
  groupDescription,
  roleDescription,
  toAttribute,
  userDescription,
  workManagementGroupDescription,
  workManagementUserDescription,
} from './descriptions.ts';

/** One attribute or sub-attribute as it is described. Its name is the only text that ever becomes a property name. */
export interface AttributeRule extends Omit<Attribute, 'subAttributes'> {
  /** True where the value names its resource. White space around it is no part of a name. */
  readonly isUnique: boolean;
  readonly subAttributes: AttributeMap;
}

/** Attributes by name: in the spelling of the schema and in lower case, so that most look-ups need no folding. */
type AttributeMap = ReadonlyMap<string, AttributeRule>;

/** The attributes of one schema. */
export interface SchemaTable {
  readonly urn: string;
  readonly attributes: AttributeMap;
}

/** An extension as the one complex attribute that it is on a resource, with its own attributes as parts. */
export function toWhole({ urn, attributes }: SchemaTable): AttributeRule {
  return { ...toRule(toAttribute(urn, { type: 'complex' })), subAttributes: attributes };
}

/** The attribute with this name, compared without case (RFC 7643 §2.1), or undefined. */
export function findRule(attributes: AttributeMap, name: string): AttributeRule | undefined {
  return attributes.get(name) ?? attributes.get(name.toLowerCase());
}

/** Each attribute once, in the order of the schema. */
export function listRules(attributes: AttributeMap): AttributeRule[] {
  return [...new Set(attributes.values())];
}

function toMap(attributes: readonly Attribute[] = []): AttributeMap {
  const rules = attributes.map(toRule);
  return new Map(
    rules.flatMap((rule) => [[rule.name, rule] as const, [rule.name.toLowerCase(), rule] as const]),
  );
}

function toRule({ subAttributes, ...attribute }: Attribute): AttributeRule {
  const { uniqueness = 'none', required, multiValued } = attribute;
  return Object.freeze({
    ...attribute,
    isUnique: uniqueness !== 'none',
    // Of a list only the resource as a whole tells whether it may be empty: an address may be the userName.
    required: required && !multiValued,
    subAttributes: toMap(subAttributes),
  });
}

/** Place of a value in a resource. */
export interface AttributePath {
  /** The URN of the extension that holds it; undefined: the core schema. */
  readonly extension: string | undefined;
  readonly attribute: AttributeRule;
  readonly sub: AttributeRule | undefined;
  /** List of users that it leads into; undefined: it leads to an ordinary attribute. */
  readonly userList: UserList | undefined;
  /** The property names that lead to it, e.g. `['name', 'givenName']`. */
  readonly keys: readonly string[];
}

/** Lists of users of a group. */
export type UserList = 'members' | 'admins';

/** The schemas of one type of resource. */
export interface ResourceSchema {
  readonly name: ResourceName;
  readonly core: SchemaTable;
  readonly extensions: readonly SchemaTable[];
  /** Descriptions of the core schema and the extensions, in this order. */
  readonly descriptions: readonly Schema[];
  readonly urns: readonly string[];
  /** Every name an attribute goes by, in lower case: `name.givenname`, `urn:…:user:department`, `urn:…:user.department`, … */
  readonly paths: ReadonlyMap<string, AttributePath>;
  /** The schemas by URN in lower case, misspelt and pre-release URNs included. */
  readonly tables: ReadonlyMap<string, SchemaTable>;
}

const STANDARD = 'urn:ietf:params:scim:schemas:';

/** Separators of a schema and its attribute; some clients write a dot. */
const SEPARATORS = [':', '.'];

/** The schemas of a User. */
export const userSchema = toResourceSchema('User', userDescription, [
  enterpriseDescription,
  workManagementUserDescription,
]);

/** The schemas of a Group. */
export const groupSchema = toResourceSchema('Group', groupDescription, [
  workManagementGroupDescription,
]);

/** The schemas of what providers write. */
export const SCHEMAS = { user: userSchema, group: groupSchema };

/** The schemas of a Role. */
export const roleSchema = toResourceSchema('Role', roleDescription, [assignmentsDescription]);

/** The schemas of an Entitlement. */
export const entitlementSchema = toResourceSchema('Entitlement', entitlementDescription, [
  assignmentsDescription,
]);

/** The place of the named attribute, in any case, qualified or not, with `.subAttribute` or not; undefined: no schema has it. @see RFC 7644 §3.10 */
export function findAttribute(schema: ResourceSchema, name: string): AttributePath | undefined {
  return schema.paths.get(name.toLowerCase());
}

/** The path as the standard writes it: a colon stands between a schema and its attribute. @see RFC 7644 §3.10 */
export function toPathText({ extension, attribute, sub }: AttributePath): string {
  const name = sub === undefined ? attribute.name : `${attribute.name}.${sub.name}`;
  return extension === undefined ? name : `${extension}:${name}`;
}

/** The schema that a URN means for this type of resource, or undefined. */
export function findTable(schema: ResourceSchema, urn: string): SchemaTable | undefined {
  return schema.tables.get(urn.toLowerCase());
}

/** True when the name is qualified by a URN, known or not. Microsoft's marker schema is an http URL. */
export function isQualified(name: string): boolean {
  return /^(?:urn:|https?:)/i.test(name);
}

/** True when the qualified name belongs to a schema of the resource, even if the attribute is unknown. */
export function isKnownSchema({ tables }: ResourceSchema, name: string): boolean {
  const folded = name.toLowerCase();
  const isBelow = (urn: string) =>
    SEPARATORS.some((separator) => folded.startsWith(`${urn}${separator}`));
  return tables.keys().some(isBelow);
}

function toResourceSchema(
  name: ResourceName,
  described: Schema,
  extended: readonly Schema[],
): ResourceSchema {
  const core = { urn: described.id, attributes: toMap([...COMMON, ...described.attributes]) };
  const extensions = extended.map(({ id, attributes }) => ({
    urn: id,
    attributes: toMap(attributes),
  }));
  const paths = new Map<string, AttributePath>();
  const tables = new Map<string, SchemaTable>();
  for (const table of [core, ...extensions]) {
    const extension = table === core ? undefined : table.urn;
    for (const urn of listUrns(table.urn)) {
      tables.set(urn, table);
      for (const separator of SEPARATORS) {
        addPaths(paths, table, { extension, prefix: `${urn}${separator}` });
      }
    }
    // Entra writes "manager" and "department" without the URN; no core schema has these names.
    if (table === core || table.urn === enterpriseDescription.id) {
      addPaths(paths, table, { extension, prefix: '' });
    }
  }
  const descriptions = [described, ...extended];
  const urns = descriptions.map(({ id }) => id);
  return Object.freeze({ name, core, extensions, descriptions, urns, paths, tables });
}

/** The URN in lower case, and how providers misspell it or had it before the standard. */
function listUrns(urn: string): string[] {
  const folded = urn.toLowerCase();
  if (!folded.startsWith(STANDARD)) return [folded];
  const old = folded.replace('ietf:params:', '');
  const [version, type] = [/:2\.0:\w+$/, /:(\w+)$/];
  return [
    folded,
    folded.replace(type, '$1'),
    old,
    old.replace(version, ':2.0'),
    old.replace(version, ':1.0'),
  ];
}

function addPaths(
  paths: Map<string, AttributePath>,
  { attributes }: SchemaTable,
  { extension, prefix }: { extension: string | undefined; prefix: string },
): void {
  const add = (path: AttributePath) => {
    const dotted = [path.attribute, ...(path.sub ? [path.sub] : [])].map(({ name }) => name);
    const name = `${prefix}${dotted.join('.').toLowerCase()}`;
    if (!paths.has(name)) paths.set(name, Object.freeze(path));
  };
  const container = extension === undefined ? [] : [extension];
  for (const attribute of listRules(attributes)) {
    const { name } = attribute;
    const keys = [...container, name];
    const userList = name === 'members' || name === 'admins' ? name : undefined;
    add({ extension, attribute, userList, sub: undefined, keys });
    for (const sub of listRules(attribute.subAttributes)) {
      add({ extension, attribute, userList, sub, keys: [...keys, sub.name] });
    }
  }
}
