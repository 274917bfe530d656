import { findCreationAddress } from '../../domain/address.ts';
import { userId } from '../../domain/ids.ts';
import type { JsonObject } from '../../domain/json.ts';
import { parseStored } from '../../store/engine/columns.ts';
import type { Db } from '../../store/store.ts';
import { lockUser, type UserRow } from '../../store/users/users.ts';
import type { ScimDeps } from '../deps.ts';
import { invalidValue, notFound, ScimError } from '../errors.ts';
import { assertPreconditions, type Preconditions } from '../http/etag.ts';
import type { Begin } from '../writes/store-write.ts';
import type { UserWriteResult } from '../writes/write-result.ts';
import { assertAddress, withStoredManagerRef } from './attributes.ts';
import { assertNamesFree, type UserNames } from './match-account.ts';
import { storeUserChange } from './store-change.ts';

/** A PUT or PATCH of one user. */
export interface UserChange {
  readonly id: string;
  readonly preconditions: Preconditions;
  /** Attributes after the change, and the attributes that the request names (`toWrittenName`); may take several turns. */
  change(before: JsonObject): Promise<{
    attributes: JsonObject;
    names: ReadonlySet<string>;
    /** Finds the place of an address in the request. */
    placeOf?(address: string): string | undefined;
  }>;
  readonly begin: Begin;
}

/**
 * Stores a change of a user in one transaction.
 * @throws ScimError 404, 412, 403 (protected), 409 (another user has the name or address), 400
 */
export async function storeUser(
  tx: Db,
  deps: ScimDeps,
  request: UserChange,
): Promise<UserWriteResult> {
  const row = await lockUser(tx, userId(request.id));
  if (row === undefined || row.deleted_at !== null) throw notFound('User');
  assertPreconditions(request.preconditions, row.version);
  const before = parseStored<JsonObject>(row.attributes);
  const { attributes: written, names, placeOf } = await request.change(before);
  const attributes = withStoredManagerRef(written, deps.baseUrl);
  if (typeof attributes.userName !== 'string' || attributes.userName.trim() === '') {
    throw invalidValue('A User needs a userName.');
  }
  assertAddress(before, attributes, placeOf);
  await assertNamesFree(tx, row, { before: toNames(before), after: toNames(attributes) });
  const result = await storeUserChange(tx, deps, {
    row,
    before,
    attributes,
    names,
    begin: request.begin,
  });
  // Only now is it known that the write changes something; a refusal takes all of it back.
  if (row.origin === null && result.row !== row) await assertAdoptable(tx, deps, row);
  return result;
}

function toNames(attributes: JsonObject): UserNames {
  return { userName: String(attributes.userName), address: findCreationAddress(attributes) };
}

/** @throws ScimError 403 when the settings or a privilege forbid taking the account over */
export async function assertAdoptable(tx: Db, deps: ScimDeps, row: UserRow): Promise<void> {
  const privilege = await deps.rules.protection.findPrivilege(tx, row);
  if (privilege !== undefined) throw new ScimError(403, `${privilege} An operator can adopt it.`);
  if (deps.policy.adoptUsers !== 'yes') {
    throw new ScimError(403, 'The account is not managed, and the settings forbid taking it over.');
  }
  deps.telemetry.adopted({ type: 'user', id: row.id });
}
