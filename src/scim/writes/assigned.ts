import {
  findLicenceNumber,
  LICENCES,
  listUnknown,
  namesOwner,
  ROLES,
  withLicences,
  withRole,
} from '../../domain/assignment.ts';
import { toExtension, toWrittenName, USER_EXTENSION } from '../../domain/extensions.ts';
import type { JsonObject } from '../../domain/values.ts';
import type { UserRow } from '../../store/resources/rows.ts';
import { invalidValue } from '../errors.ts';
import type { Asked } from './kind.ts';

const NUMBER = 'appsPermissions';
const NUMBER_NAME = toWrittenName(USER_EXTENSION, NUMBER);

type Written = Pick<Asked, 'attributes' | 'names'>;

/** Without an origin it is not managed: what it shows is the service's, and no provider has asked for it. */
type Before = Pick<UserRow, 'attributes' | 'origin'>;

/** The write with the number of the licences that it gives and takes by `entitlements`. @throws ScimError 400 `invalidValue`: unknown or contradicting ones, a role that nobody can give */
export function withAssigned(before: Before, written: Written): Written {
  assertKnown(before, written);
  assertRoles(before, written);
  const { attributes, names } = written;
  const numbered = withLicenceNumber(before, written);
  const [number, wanted] = [attributes, numbered.attributes].map(readNumber);
  if (numbered !== written) {
    if (!names.has(NUMBER_NAME) || number === undefined || number === wanted) return numbered;
    throw invalidValue(`entitlements and ${NUMBER} ask for different licences.`);
  }
  const licences = findLicenceNumber(attributes);
  const isKnown = readNumber(before.attributes) !== undefined;
  if (number !== undefined || licences === undefined || !isKnown) return written;
  // A PUT that leaves the extension out has left the entitlements as they were; whoever clears the number clears both.
  return names.has(NUMBER_NAME)
    ? { attributes: withLicences(attributes, undefined), names }
    : { attributes: withNumber(attributes, licences), names };
}

/** The write with the number of the licences in `entitlements`, where it changes these. */
export function withLicenceNumber(before: Before, written: Written): Written {
  const { attributes, names } = written;
  const licences = findLicenceNumber(attributes);
  const wanted = licences ?? 0;
  const isGiven = licences !== undefined || before.origin !== null;
  const isChanged = wanted !== (findLicenceNumber(before.attributes) ?? 0);
  if (!names.has('entitlements') || !isGiven || !isChanged) return written;
  return { attributes: withNumber(attributes, wanted), names: new Set([...names, NUMBER_NAME]) };
}

/** Attributes of an account that becomes managed, without what the service has given and the write does not name. */
export function withoutUnnamed({ attributes, names }: Written): JsonObject {
  const licensed = names.has('entitlements')
    ? attributes
    : withLicences(attributes, readNumber(attributes));
  return names.has('roles') ? licensed : withRole(licensed, undefined);
}

/** Refuses unknown assignments, but not those that were stored before: they must keep nobody from losing access. */
function assertKnown(before: Before, { attributes }: Written): void {
  const had = listUnknown(before.attributes);
  const unknown = listUnknown(attributes).find((value) => !had.includes(value));
  if (unknown === undefined) return;
  const choice = [...LICENCES, ...ROLES].map(({ id }) => id).join(', ');
  throw invalidValue(`The service has no "${unknown}", only ${choice}.`);
}

function assertRoles(before: Before, { attributes, names }: Written): void {
  if (!names.has('roles') || !namesOwner(attributes) || namesOwner(before.attributes)) return;
  throw invalidValue('Nobody becomes an owner by SCIM: the service alone gives this role.');
}

function readNumber(attributes: JsonObject): number | undefined {
  const { [NUMBER]: number } = toExtension(attributes, USER_EXTENSION);
  return typeof number === 'number' ? number : undefined;
}

function withNumber(attributes: JsonObject, number: number): JsonObject {
  const extension = { ...toExtension(attributes, USER_EXTENSION), [NUMBER]: number };
  return { ...attributes, [USER_EXTENSION]: extension };
}
