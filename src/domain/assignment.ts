import { toExtension, USER_EXTENSION } from './extensions.ts';
import { foldCase, isJsonObject, type JsonObject, type JsonValue } from './values.ts';

/** A right beyond groups, as governance assigns it: a value of `entitlements` or `roles`. */
export interface Assignment {
  /** The SCIM id; a prefix keeps it apart from what else providers write into these lists. */
  readonly id: string;
  readonly displayName: string;
  readonly description: string;
  /** Number that the service has for it: a bit of `apps_permissions`, or a role in the company. */
  readonly number: number;
}

/** Licences, each a bit of the service's `apps_permissions`. */
export const LICENCES: readonly Assignment[] = [
  {
    id: 'licence:full',
    displayName: 'Full licence',
    description: 'All of the applications, but for the service desk.',
    number: 1,
  },
  {
    id: 'licence:guest',
    displayName: 'Guest licence',
    description: 'The applications as a guest. Nobody has it beside the full licence.',
    number: 2,
  },
  {
    id: 'licence:service-desk',
    displayName: 'Service desk',
    description: 'The service desk, alone or beside another licence.',
    number: 4,
  },
];

/** Role that the service alone gives. */
const OWNER = 'role:owner';

/** Roles in the company, by the service's numbers. */
export const ROLES: readonly Assignment[] = [
  {
    id: OWNER,
    displayName: 'Owner',
    description: 'Owns the company. The service alone makes somebody an owner.',
    number: 1,
  },
  {
    id: 'role:user',
    displayName: 'User',
    description: 'Everybody who works in the company and does not own it.',
    number: 2,
  },
];

/** The lists in which they are assigned. */
const LISTS = {
  entitlements: { prefix: 'licence:', type: 'Entitlement', known: LICENCES },
  roles: { prefix: 'role:', type: 'Role', known: ROLES },
};
type List = keyof typeof LISTS;
const LIST_NAMES: readonly List[] = ['entitlements', 'roles'];

/** Values of these lists ignore case (RFC 7643 §4.1.2), so an id may be sent in any. */
const listValues = (list: JsonValue | undefined) =>
  (Array.isArray(list) ? list : [])
    .map((element) => (isJsonObject(element) ? element.value : undefined))
    .filter((value) => typeof value === 'string');

function listAssigned(list: List, value: JsonValue | undefined): string[] {
  const ids = new Set(LISTS[list].known.map(({ id }) => id));
  return listValues(value)
    .map(foldCase)
    .filter((id) => ids.has(id));
}

/** Lists the licences among the values of `entitlements`, by their ids. */
export const listLicences = ({ entitlements }: JsonObject) =>
  listAssigned('entitlements', entitlements);

/** True when `roles` name one that the service alone gives. */
export const namesOwner = ({ roles }: JsonObject) => listAssigned('roles', roles).includes(OWNER);

/** Lists the values of these lists that look like the service's and that it has not. */
export const listUnknown = (attributes: JsonObject) =>
  LIST_NAMES.flatMap((list) =>
    listValues(attributes[list]).filter(
      (value) =>
        foldCase(value).startsWith(LISTS[list].prefix) &&
        listAssigned(list, [{ value }]).length === 0,
    ),
  );

/** Number of the licences together, as the service has it. */
export const toAppsPermissions = (licences: readonly string[]) =>
  LICENCES.reduce((sum, { id, number }) => sum + (licences.includes(id) ? number : 0), 0);

/** Attributes whose `entitlements` have these licences beside what else they held; what stays is as it was sent. */
export const withLicences = (attributes: JsonObject, appsPermissions = 0) =>
  withAssigned(attributes, 'entitlements', ({ number }) => (appsPermissions & number) !== 0);

/** Attributes whose `entitlements`, where they name licences, name those of the extension. */
export function alignLicences(attributes: JsonObject): JsonObject {
  const { appsPermissions: number } = toExtension(attributes, USER_EXTENSION);
  if (typeof number !== 'number' || listLicences(attributes).length === 0) return attributes;
  return withLicences(attributes, number);
}

/** Attributes whose `roles` have this role of the service, and no other of it; undefined: none. */
export const withRole = (attributes: JsonObject, role: number | undefined) =>
  withAssigned(attributes, 'roles', ({ number }) => number === role);

/** The lists with what is assigned in them alone, as it was sent; without what is not there. */
export function onlyAssigned(attributes: JsonObject): JsonObject {
  const lists = LIST_NAMES.map((list): [List, JsonValue[]] => {
    const value = attributes[list];
    const elements = Array.isArray(value) ? value : [];
    return [list, elements.filter((element) => listAssigned(list, [element]).length > 0)];
  });
  return Object.fromEntries(lists.filter(([, elements]) => elements.length > 0));
}

function withAssigned(
  attributes: JsonObject,
  list: List,
  isGiven: (assignment: Assignment) => boolean,
): JsonObject {
  const { [list]: sent, ...others } = attributes;
  const { known, type } = LISTS[list];
  const given = known.filter(isGiven);
  const kept = (Array.isArray(sent) ? sent : []).filter((element) =>
    listAssigned(list, [element]).every((value) => given.some(({ id }) => id === value)),
  );
  const named = listAssigned(list, kept);
  const added = given
    .filter(({ id }) => !named.includes(id))
    .map(({ id, displayName }) => ({ value: id, display: displayName, type }));
  const elements = [...kept, ...added];
  return elements.length === 0 ? others : { ...attributes, [list]: elements };
}
