import { toExtension, USER_EXTENSION } from './extensions.ts';
import { foldCase } from './fold.ts';
import { isJsonObject, type JsonObject, type JsonValue } from './json.ts';

/** A right beyond groups, as governance assigns it: a value of `entitlements` or `roles`. */
export interface Assignment {
  /** The SCIM id; a prefix keeps it apart from what else providers write into these lists. */
  readonly id: string;
  readonly displayName: string;
  readonly description: string;
  /** Number that the service has for it: a bit of `apps_permissions`, or a role in the company. */
  readonly number: number;
}

const LICENCE = 'licence:';
const ROLE = 'role:';

/** Licences, each a bit of the service's `apps_permissions`. */
export const LICENCES: readonly Assignment[] = [
  {
    id: `${LICENCE}full`,
    displayName: 'Full licence',
    description: 'All of the applications, but for the service desk.',
    number: 1,
  },
  {
    id: `${LICENCE}guest`,
    displayName: 'Guest licence',
    description: 'The applications as a guest. Nobody has it beside the full licence.',
    number: 2,
  },
  {
    id: `${LICENCE}service-desk`,
    displayName: 'Service desk',
    description: 'The service desk, alone or beside another licence.',
    number: 4,
  },
];

/** Role that the service alone gives. */
const OWNER = `${ROLE}owner`;

/** Roles in the company, by the service's numbers. */
export const ROLES: readonly Assignment[] = [
  {
    id: OWNER,
    displayName: 'Owner',
    description: 'Owns the company. The service alone makes somebody an owner.',
    number: 1,
  },
  {
    id: `${ROLE}user`,
    displayName: 'User',
    description: 'Everybody who works in the company and does not own it.',
    number: 2,
  },
];

/** Lists the licences among the values of `entitlements`, by their ids. */
export function listLicences({ entitlements }: JsonObject): string[] {
  return listIds(entitlements, LICENCES);
}

/** Lists the roles of the service among the values of `roles`, by their ids. */
export function listRoles({ roles }: JsonObject): string[] {
  return listIds(roles, ROLES);
}

/** Lists the values of `entitlements` and `roles` that look like the service's and that it has not. */
export function listUnknown({ entitlements, roles }: JsonObject): string[] {
  return [
    ...listValues(entitlements).filter((value) => isUnknown(value, LICENCE, LICENCES)),
    ...listValues(roles).filter((value) => isUnknown(value, ROLE, ROLES)),
  ];
}

function isUnknown(value: string, prefix: string, known: readonly Assignment[]): boolean {
  return foldCase(value).startsWith(prefix) && findAssignment(value, known) === undefined;
}

/** Lists the ids that the values name. Values of these lists ignore case (RFC 7643 §4.1.2), so an id may be sent in any. */
function listIds(list: JsonValue | undefined, known: readonly Assignment[]): string[] {
  const found = listValues(list).map((value) => findAssignment(value, known));
  return found.flatMap((assignment) => (assignment === undefined ? [] : [assignment.id]));
}

function findAssignment(value: string, known: readonly Assignment[]): Assignment | undefined {
  const folded = foldCase(value);
  return known.find(({ id }) => id === folded);
}

function listValues(list: JsonValue | undefined): string[] {
  if (!Array.isArray(list)) return [];
  const values = list.map((element) => (isJsonObject(element) ? element.value : undefined));
  return values.filter((value) => typeof value === 'string');
}

/** True when roles name one that the service alone gives. */
export function namesOwner(roles: readonly string[]): boolean {
  return roles.includes(OWNER);
}

/** Number of the licences together, as the service has it. */
export function toAppsPermissions(licences: readonly string[]): number {
  return LICENCES.reduce((sum, { id, number }) => sum + (licences.includes(id) ? number : 0), 0);
}

/** Attributes whose `entitlements` have these licences beside what else they held; what stays is as it was sent. */
export function withLicences(
  attributes: JsonObject,
  appsPermissions: number | undefined,
): JsonObject {
  const given = LICENCES.filter(({ number }) => ((appsPermissions ?? 0) & number) !== 0);
  return withAssigned(attributes, { list: 'entitlements', known: LICENCES, given });
}

/** Attributes whose `entitlements`, where they name licences, name those of the extension. */
export function alignLicences(attributes: JsonObject): JsonObject {
  const { appsPermissions: number } = toExtension(attributes, USER_EXTENSION);
  if (typeof number !== 'number' || listLicences(attributes).length === 0) return attributes;
  return withLicences(attributes, number);
}

/** Attributes whose `roles` have this role of the service, and no other of it; undefined: none. */
export function withRole(attributes: JsonObject, role: number | undefined): JsonObject {
  const given = ROLES.filter(({ number }) => number === role);
  return withAssigned(attributes, { list: 'roles', known: ROLES, given });
}

/** The lists with what is assigned in them alone, as it was sent; without what is not there. */
export function onlyAssigned({ entitlements, roles }: JsonObject): JsonObject {
  const keep = (list: JsonValue | undefined, known: readonly Assignment[]) =>
    (Array.isArray(list) ? list : []).filter((element) => listIds([element], known).length > 0);
  const [licences, given] = [keep(entitlements, LICENCES), keep(roles, ROLES)];
  return {
    ...(licences.length === 0 ? {} : { entitlements: licences }),
    ...(given.length === 0 ? {} : { roles: given }),
  };
}

/** The assignments that a list names, and those that it is to name of all that the service has. */
interface Assigned {
  readonly list: 'entitlements' | 'roles';
  readonly known: readonly Assignment[];
  readonly given: readonly Assignment[];
}

function withAssigned(attributes: JsonObject, { list, known, given }: Assigned): JsonObject {
  const { [list]: sent, ...others } = attributes;
  const held = Array.isArray(sent) ? sent : [];
  const isGiven = (value: string) => given.some(({ id }) => id === value);
  const kept = held.filter((element) => listIds([element], known).every(isGiven));
  const named = listIds(kept, known);
  const type = list === 'roles' ? 'Role' : 'Entitlement';
  const added = given
    .filter(({ id }) => !named.includes(id))
    .map(({ id, displayName }) => ({ value: id, display: displayName, type }));
  const elements = [...kept, ...added];
  return elements.length === 0 ? others : { ...attributes, [list]: elements };
}
