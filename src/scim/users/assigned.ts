import {
  type Assignment,
  findUnknown,
  LICENCES,
  listLicences,
  listRoles,
  namesOwner,
  ROLES,
  toAppsPermissions,
  withLicences,
  withRole,
} from '../../domain/assignment.ts';
import {
  findExtensionNumber,
  toExtension,
  toWrittenName,
  USER_EXTENSION,
} from '../../domain/extensions.ts';
import type { JsonObject } from '../../domain/json.ts';
import { invalidValue } from '../errors.ts';

const NUMBER = 'appsPermissions';

/** Attributes after a write, and those that its request names (`toWrittenName`). */
interface Written {
  readonly attributes: JsonObject;
  readonly names: ReadonlySet<string>;
}

/** A user before a write. */
interface Before {
  readonly attributes: JsonObject;
  /** False: what it shows is the service's, and no provider has asked for it. */
  readonly isManaged: boolean;
}

/**
 * The write with the number of the licences that it gives and takes by `entitlements`. What is stored of a user names the
 * licences of the number there, whatever changed it.
 * @throws ScimError 400 `invalidValue`: unknown ones, two places that contradict each other, a role that nobody can give
 */
export function withAssigned(before: Before | undefined, written: Written): Written {
  const { attributes, names } = written;
  assertRoles(before, written);
  const licences = listLicences(attributes);
  assertKnown(licences, LICENCES, 'entitlement');
  const [held, number] = [before?.attributes ?? {}, readNumber(attributes)];
  const wanted = toAppsPermissions(licences);
  const isGiven = licences.length > 0 || before?.isManaged === true;
  const isChanged = wanted !== toAppsPermissions(listLicences(held));
  if (names.has('entitlements') && isGiven && isChanged) {
    const name = toWrittenName(USER_EXTENSION, NUMBER);
    if (names.has(name) && number !== undefined && number !== wanted) {
      throw invalidValue(`entitlements and ${NUMBER} ask for different licences.`);
    }
    return { attributes: withNumber(attributes, wanted), names: new Set([...names, name]) };
  }
  const isLeftOut = number === undefined && readNumber(held) !== undefined;
  // A PUT that leaves the extension out has left the entitlements as they were.
  return isLeftOut && licences.length > 0
    ? { attributes: withNumber(attributes, wanted), names }
    : written;
}

/** What a PUT keeps of lists that it does not mention: what governance has assigned. Nobody loses access by an omission. */
export function keepAssigned(before: JsonObject, mentioned: ReadonlySet<string>): JsonObject {
  const licences = mentioned.has('entitlements') ? [] : listLicences(before);
  const roles = mentioned.has('roles') ? [] : listRoles(before);
  const kept = withLicences({}, toAppsPermissions(licences));
  const role = ROLES.find(({ id }) => roles.includes(id));
  return withRole(kept, role?.number);
}

/** Attributes of an account that becomes managed, without what the service has given and the write does not name. */
export function withoutUnnamed({ attributes, names }: Written): JsonObject {
  const licensed = names.has('entitlements')
    ? attributes
    : withLicences(attributes, readNumber(attributes));
  return names.has('roles') ? licensed : withRole(licensed, undefined);
}

function assertRoles(before: Before | undefined, { attributes, names }: Written): void {
  if (!names.has('roles')) return;
  const roles = listRoles(attributes);
  assertKnown(roles, ROLES, 'role');
  const had = before === undefined ? [] : listRoles(before.attributes);
  if (namesOwner(roles) && !namesOwner(had)) {
    throw invalidValue('Nobody becomes an owner by SCIM: the service alone gives this role.');
  }
}

function assertKnown(ids: readonly string[], known: readonly Assignment[], kind: string): void {
  const unknown = findUnknown(ids, known);
  if (unknown === undefined) return;
  const choice = known.map(({ id }) => id).join(', ');
  throw invalidValue(`The service has no ${kind} "${unknown}", only ${choice}.`);
}

function readNumber(attributes: JsonObject): number | undefined {
  return findExtensionNumber(attributes, USER_EXTENSION, NUMBER);
}

function withNumber(attributes: JsonObject, number: number): JsonObject {
  const extension = { ...toExtension(attributes, USER_EXTENSION), [NUMBER]: number };
  return { ...attributes, [USER_EXTENSION]: extension };
}
