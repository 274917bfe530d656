import type { ResourceName } from '../../domain/extensions.ts';
import { OWN_EXTENSION, toWrittenName } from '../../domain/extensions.ts';
import type { LinkList } from '../../domain/link.ts';
import type { JsonObject, JsonValue } from '../../domain/values.ts';
import { isJsonObject } from '../../domain/values.ts';
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
  readonly isNumber: boolean;
  readonly subAttributes: AttributeMap;
}

/** Attributes by name in lower case. */
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
  return attributes.get(name.toLowerCase());
}

function toMap(attributes: readonly Attribute[] = []): AttributeMap {
  return new Map(attributes.map((one) => [one.name.toLowerCase(), toRule(one)]));
}

function toRule({ subAttributes, ...attribute }: Attribute): AttributeRule {
  const { type, uniqueness = 'none', required, multiValued } = attribute;
  // A value without parts is read as `{"value": …}` while its list is changed.
  const isPlainList = multiValued && type !== 'complex' && type !== 'reference';
  const parts = isPlainList ? [{ ...attribute, name: 'value', multiValued: false }] : subAttributes;
  return Object.freeze({
    ...attribute,
    isUnique: uniqueness !== 'none',
    isNumber: type === 'integer' || type === 'decimal',
    // Of a list only the resource as a whole tells whether it may be empty: an address may be the userName.
    required: required && (isPlainList || !multiValued),
    subAttributes: toMap(parts),
  });
}

/** Place of a value in a resource. */
export interface AttributePath {
  /** The URN of the extension that holds it; undefined: the core schema. */
  readonly extension: string | undefined;
  readonly attribute: AttributeRule;
  readonly sub: AttributeRule | undefined;
  /** List of users that it leads into; undefined: it leads to an ordinary attribute. */
  readonly userList: LinkList | undefined;
  /** The property names that lead to it where it is shown, e.g. `['name', 'givenName']`. */
  readonly keys: readonly string[];
}

/** The schemas of one type of resource. */
export interface ResourceSchema {
  readonly name: ResourceName;
  readonly core: SchemaTable;
  readonly extensions: readonly SchemaTable[];
  /** Descriptions of the core schema and the extensions, in this order. */
  readonly descriptions: readonly Schema[];
  /** Attributes of declared extensions that stand for fields of the service. */
  readonly fields: readonly AttributePath[];
  /** Every name an attribute goes by, in lower case: `name.givenname`, `urn:…:user:department`, `urn:…:user.department`, … */
  readonly paths: ReadonlyMap<string, AttributePath>;
  /** The schemas by URN in lower case, misspelt and pre-release URNs included. */
  readonly tables: ReadonlyMap<string, SchemaTable>;
}

/** An extension as the settings declare it. */
export interface DeclaredExtension extends Omit<Schema, 'id' | 'attributes'> {
  readonly urn: string;
  readonly resource: 'User' | 'Group';
  readonly attributes: readonly (Partial<Attribute> & Pick<Attribute, 'name'>)[];
}

/** The schemas of what providers write. */
export type Schemas = ReturnType<typeof createSchemas>;

const STANDARD = 'urn:ietf:params:scim:schemas:';

const USER_LISTS: ReadonlyMap<string, LinkList> = new Map([
  ['members', 'member'],
  ['admins', 'admin'],
]);

/** Separators of a schema and its attribute; some clients write a dot. */
const SEPARATORS = [':', '.'];

/** The schemas of what providers write, with those that the settings declare. */
export function createSchemas(declared: readonly DeclaredExtension[]) {
  const ofUsers = [enterpriseDescription, workManagementUserDescription];
  const ofGroups = [workManagementGroupDescription];
  return {
    user: toResourceSchema('User', userDescription, ofUsers, declared),
    group: toResourceSchema('Group', groupDescription, ofGroups, declared),
  };
}

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

/** The value at a path, or undefined. */
export function findValue(
  resource: JsonObject,
  { extension, attribute }: AttributePath,
): JsonValue | undefined {
  const container = extension === undefined ? resource : resource[extension];
  return isJsonObject(container) ? container[attribute.name] : undefined;
}

/** The path as the standard writes it: a colon stands between a schema and its attribute. @see RFC 7644 §3.10 */
export function toPathText({ extension, keys }: AttributePath): string {
  return extension === undefined ? keys.join('.') : `${keys[0]}:${keys.slice(1).join('.')}`;
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
  const isBelow = (urn: string) => SEPARATORS.includes(folded.charAt(urn.length));
  return tables.keys().some((urn) => folded.startsWith(urn) && isBelow(urn));
}

function toResourceSchema(
  name: ResourceName,
  described: Schema,
  builtIn: readonly Schema[],
  declared: readonly DeclaredExtension[] = [],
): ResourceSchema {
  const own = declared.filter(({ resource }) => resource === name).map(toDescription);
  const descriptions = [described, ...builtIn, ...own];
  const core = { urn: described.id, attributes: toMap([...COMMON, ...described.attributes]) };
  const extensions = descriptions.slice(1).map(({ id, attributes }) => ({
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
  const fields = extensions.flatMap(({ urn, attributes }) => {
    const mapped = attributes.values().filter(({ field }) => field !== undefined);
    return [...mapped].flatMap((rule) => paths.get(`${urn}:${rule.name}`.toLowerCase()) ?? []);
  });
  return Object.freeze({ name, core, extensions, descriptions, fields, paths, tables });
}

function toDescription({ urn: id, resource, attributes, ...rest }: DeclaredExtension): Schema {
  const own = OWN_EXTENSION[resource === 'User' ? 'user' : 'group'];
  const described = attributes.map(({ field, ...one }) =>
    toAttribute(one.name, field ? { ...one, field: toWrittenName(own, field) } : one),
  );
  return { ...rest, id, attributes: described };
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
  const add = (name: string, path: AttributePath) => {
    const folded = `${prefix}${name}`.toLowerCase();
    if (!paths.has(folded)) paths.set(folded, Object.freeze(path));
  };
  for (const attribute of attributes.values()) {
    const { name, field } = attribute;
    const keys = extension === undefined ? [name] : [extension, name];
    const userList = USER_LISTS.get(name);
    const own: AttributePath = { extension, attribute, userList, sub: undefined, keys };
    // A field is kept in the bridge's own extension, and shown here too.
    const kept = field && paths.get(field.toLowerCase());
    add(name, kept ? { ...kept, keys } : own);
    for (const sub of attribute.subAttributes.values()) {
      const part = attribute.type === 'complex' ? [sub.name] : [];
      add(`${name}.${sub.name}`, { ...own, sub, keys: [...keys, ...part] });
    }
  }
}
