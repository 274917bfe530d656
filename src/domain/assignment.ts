import { toExtension, USER_EXTENSION } from './extensions.ts';
import type { JsonObject, JsonValue } from './values.ts';
import { foldCase, isJsonObject } from './values.ts';

/** A right beyond groups, as governance assigns it: a value of `entitlements` or `roles`. */
export interface Assignment {
  /** The SCIM id; a prefix keeps it apart from what else providers write into these lists. */
  readonly id: string;
  readonly displayName: string;
  readonly description: string;
  /** Number that the service has for it: a bit of `apps_permissions`, or a role in the company. */
  readonly number: number;
}

const toAssignments = (
  rows: readonly (readonly [number: number, id: string, name: string, description: string])[],
): readonly Assignment[] =>
  rows.map(([number, id, displayName, description]) => ({ id, displayName, description, number }));

/** Licences, each a bit of the service's `apps_permissions`. */
export const LICENCES = toAssignments([
  [1, 'licence:full', 'Full licence', 'All of the applications, but for the service desk.'],
  [
    2,
    'licence:guest',
    'Guest licence',
    'The applications as a guest. Nobody has it beside the full licence.',
  ],
  [4, 'licence:service-desk', 'Service desk', 'The service desk, alone or beside another licence.'],
]);

/** Role that the service alone gives. */
const OWNER = 'role:owner';

/** Roles in the company, by the service's numbers. */
export const ROLES = toAssignments([
  [1, OWNER, 'Owner', 'Owns the company. The service alone makes somebody an owner.'],
  [2, 'role:user', 'User', 'Everybody who works in the company and does not own it.'],
]);

/** The lists in which they are assigned. */
const LISTS = {
  entitlements: { prefix: 'licence:', type: 'Entitlement', known: LICENCES },
  roles: { prefix: 'role:', type: 'Role', known: ROLES },
};
type List = keyof typeof LISTS;
const LIST_NAMES: readonly List[] = ['entitlements', 'roles'];

const toElements = (value: JsonValue | undefined) => (Array.isArray(value) ? value : []);

/** The value of an element, folded: these lists ignore case (RFC 7643 §4.1.2), so an id may be sent in any. */
const toValue = (element: JsonValue) =>
  isJsonObject(element) && typeof element.value === 'string' ? foldCase(element.value) : '';

const findAssigned = (list: List, element: JsonValue) =>
  LISTS[list].known.find(({ id }) => id === toValue(element));

/** Number of the licences that `entitlements` name, as the service has it; undefined: they name none. */
export function findLicenceNumber({ entitlements }: JsonObject): number | undefined {
  const ids = new Set(toElements(entitlements).map(toValue));
  const named = LICENCES.filter(({ id }) => ids.has(id));
  return named.length === 0 ? undefined : named.reduce((sum, { number }) => sum + number, 0);
}

/** True when `roles` name one that the service alone gives. */
export const namesOwner = ({ roles }: JsonObject) =>
  toElements(roles).some((element) => toValue(element) === OWNER);

/** Lists the values of these lists, folded, that look like the service's and that it has not. */
export const listUnknown = (attributes: JsonObject) =>
  LIST_NAMES.flatMap((list) =>
    toElements(attributes[list])
      .filter((element) => findAssigned(list, element) === undefined)
      .map(toValue)
      .filter((value) => value.startsWith(LISTS[list].prefix)),
  );

/** Attributes whose `entitlements` have these licences beside what else they held; what stays is as it was sent. */
export const withLicences = (attributes: JsonObject, appsPermissions = 0) =>
  withAssigned(attributes, 'entitlements', ({ number }) => (appsPermissions & number) !== 0);

/** Attributes whose `entitlements`, where they name licences, name those of the extension. */
export function alignLicences(attributes: JsonObject): JsonObject {
  const { appsPermissions: number } = toExtension(attributes, USER_EXTENSION);
  const isNamed = typeof number === 'number' && findLicenceNumber(attributes) !== undefined;
  return isNamed ? withLicences(attributes, number) : attributes;
}

/** Attributes whose `roles` have this role of the service, and no other of it; undefined: none. */
export const withRole = (attributes: JsonObject, role: number | undefined) =>
  withAssigned(attributes, 'roles', ({ number }) => number === role);

/** The lists with what is assigned in them alone, as it was sent; without what is not there. */
export function onlyAssigned(attributes: JsonObject): JsonObject {
  const lists = LIST_NAMES.map((list): [List, JsonValue[]] => {
    return [list, toElements(attributes[list]).filter((element) => findAssigned(list, element))];
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
  const kept = toElements(sent).filter((element) => {
    const named = findAssigned(list, element);
    return named === undefined || isGiven(named);
  });
  const named = new Set(kept.map((element) => findAssigned(list, element)));
  const added = known
    .filter((one) => isGiven(one) && !named.has(one))
    .map(({ id, displayName }) => ({ value: id, display: displayName, type }));
  const elements = [...kept, ...added];
  return elements.length === 0 ? others : { ...attributes, [list]: elements };
}
