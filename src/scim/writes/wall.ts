import { isDeepStrictEqual } from 'node:util';
import { listFoldedEmails } from '../../domain/address.ts';
import { toExtension, USER_EXTENSION } from '../../domain/extensions.ts';
import { foldCase } from '../../domain/fold.ts';
import { isJsonObject, type JsonObject } from '../../domain/json.ts';
import {
  DEFAULT_PROVIDER,
  type Demands,
  findLimit,
  isOfOther,
  type Owned,
  type ProviderLimits,
  type Right,
} from '../../domain/provider.ts';
import { addsOthers, findProvider, parseLimits } from '../../store/credentials/providers.ts';
import { parseStored } from '../../store/engine/columns.ts';
import {
  type GroupRow,
  lockRow,
  type ResourceRow,
  type RowOf,
  type UserRow,
} from '../../store/resources/rows.ts';
import { toObservedGroup } from '../../store/resources/state.ts';
import { findView } from '../../store/resources/views.ts';
import type { Db } from '../../store/store.ts';
import type { DeleteAdoption, ProviderDeps } from '../deps.ts';
import { notFound, notUnique, ScimError } from '../errors.ts';
import type { LinkEdit } from '../groups/edit-links.ts';
import { assertPreconditions } from '../http/etag.ts';
import { toShownVersion } from '../render/resource-text.ts';
import type { WriteTarget } from './write-result.ts';

/** Provider that asks. */
type Asker = Pick<ProviderDeps, 'provider'>;

/**
 * Locks the user or group of a write.
 * @throws ScimError 404, 403 (another provider manages it), 412 (the write was meant for another version)
 */
export async function lockOwn<Type extends ResourceRow['type']>(
  tx: Db,
  { provider }: Asker,
  type: Type,
  { id, preconditions }: WriteTarget,
): Promise<RowOf<Type>> {
  const name = type === 'user' ? 'User' : 'Group';
  const row = await lockRow(tx, { type, id });
  if (row === undefined || row.deleted_at !== null) throw notFound(name);
  if (isOfOther(provider, row)) {
    throw new ScimError(403, `The ${name} belongs to the provider ${row.provider}.`);
  }
  const isForAny = Object.values(preconditions).every((tags) => tags === undefined);
  if (isForAny) return row;
  // The groups that a user is shown with are part of its version.
  const view = await findView(tx, type, id);
  assertPreconditions(preconditions, toShownVersion(view ?? row, { provider }));
  return row;
}

/** True when a row that was found is as it was once it is locked: nobody has taken it over, changed or deleted it meanwhile. */
export function isSameState(
  found: Pick<ResourceRow, 'origin' | 'version' | 'deleted_at'>,
  locked: Pick<ResourceRow, 'origin' | 'version' | 'deleted_at'> | undefined,
): boolean {
  if (locked === undefined) return false;
  const { origin, version, deleted_at } = locked;
  return found.origin === origin && found.version === version && found.deleted_at === deleted_at;
}

/** A name that another user or group has; `account`: only its account in the service still has it. */
export interface TakenName {
  readonly type: 'User' | 'Group';
  readonly attribute: Parameters<typeof notUnique>[1];
  readonly holder?: 'resource' | 'account';
}

/** Error of a name that another user or group has: 409, or 403 with the provider if another one manages it. */
export function toTaken(
  { provider }: Asker,
  holder: Owned & { readonly active?: number },
  taken: TakenName,
): ScimError {
  const { type, attribute } = taken;
  if (!isOfOther(provider, holder)) {
    const error = notUnique(type, attribute, taken.holder);
    return holder.active === 0 ? error.with(RETURN) : error;
  }
  const name = attribute === 'emails' ? 'e-mail address' : attribute;
  return new ScimError(
    403,
    `The ${type} of this ${name} belongs to the provider ${holder.provider}.`,
  );
}

/** How somebody returns who has the name. */
const RETURN =
  'That User is inactive: set its active to true, or have the provider restore who returns.';

/** A change of a user that a provider asks for. */
export interface AskedUserChange {
  /** Undefined: nobody is known yet. A deleted one gives its account to a new user. */
  readonly row: UserRow | undefined;
  /** Undefined: it is to be deleted. */
  readonly attributes: JsonObject | undefined;
}

/** Stops what the limits of the provider forbid with a user. @throws ScimError 403 */
export async function assertUserWithinLimits(
  tx: Db,
  asker: Asker,
  { row, attributes }: AskedUserChange,
): Promise<void> {
  const limits = await findLimits(tx, asker);
  if (limits === undefined) return;
  const before = row && parseStored<JsonObject>(row.attributes);
  const isNew = row === undefined || row.deleted_at !== null || row.origin === null;
  const seen = isNew ? [row?.observed_user_name_folded, row?.observed_email_folded] : [];
  const known = new Set(isNew ? [] : listNames(before));
  assertAllowed(asker, limits, {
    rights: [
      ...(isNew ? (['users.create'] as const) : []),
      ...listUserRights(row?.deleted_at === null ? before : undefined, { attributes, isNew }),
    ],
    userNames: [...listNames(attributes), ...seen.flatMap((name) => name ?? [])].filter(
      (name) => !known.has(name),
    ),
    groupNames: [],
  });
}

function listUserRights(
  before: JsonObject | undefined,
  { attributes, isNew }: { readonly attributes: JsonObject | undefined; readonly isNew: boolean },
): Right[] {
  if (attributes === undefined) return ['users.delete'];
  if (before === undefined) return [];
  const rights: Right[] = isActive(before) && !isActive(attributes) ? ['users.deactivate'] : [];
  const isReactivated = isActive(attributes) && !isActive(before);
  const isChanged = isReactivated || !isDeepStrictEqual(toRest(before), toRest(attributes));
  return isChanged && !isNew ? [...rights, 'users.change'] : rights;
}

/** True for a user who is to have access, by both switches of the service. */
function isActive(attributes: JsonObject): boolean {
  const isSuspended = toExtension(attributes, USER_EXTENSION).temporarilyInactive === true;
  return attributes.active !== false && !isSuspended;
}

/** Attributes without the switches of access and what follows from the others. */
function toRest({ active: _, schemas: __, [USER_EXTENSION]: extension, ...rest }: JsonObject) {
  const { temporarilyInactive: ___, ...held } = isJsonObject(extension) ? extension : {};
  return { ...rest, held };
}

/** Folded names by which a person is found: also by another provider, so every address counts. */
function listNames(attributes: JsonObject | undefined): string[] {
  if (attributes === undefined) return [];
  const { userName } = attributes;
  const emails = listFoldedEmails(attributes);
  return typeof userName === 'string' ? [foldCase(userName), ...emails] : emails;
}

/** A change of a group that a provider asks for. */
export interface AskedGroupChange {
  /** Undefined: none is known yet. */
  readonly row: GroupRow | undefined;
  /** Undefined: it is to be deleted. */
  readonly attributes: JsonObject | undefined;
  readonly edits: readonly LinkEdit[];
  readonly onlyRemoves?: boolean;
}

/** Stops what the limits of the provider forbid with a group. @throws ScimError 403 */
export async function assertGroupWithinLimits(
  tx: Db,
  asker: Asker,
  change: AskedGroupChange,
): Promise<void> {
  const limits = await findLimits(tx, asker);
  if (limits === undefined) return;
  const { row, attributes } = change;
  const isNew = row === undefined || row.origin === null;
  const held = row && [row.name, toObservedGroup(row)?.displayName];
  const asked = attributes?.displayName;
  const names = [typeof asked === 'string' ? asked : undefined, ...(isNew ? (held ?? []) : [])];
  const known = isNew ? undefined : row.name;
  assertAllowed(asker, limits, {
    rights: [
      ...(isNew ? (['groups.create'] as const) : []),
      ...listGroupRights(change),
      ...((await addsForeign(tx, asker, { limits, change }))
        ? (['groups.add-others'] as const)
        : []),
    ],
    userNames: [],
    groupNames: names.flatMap((name) => (name === undefined || name === known ? [] : [name])),
  });
}

/** A request that names members or admins is a change, whoever is in the list already. */
function listGroupRights({ row, attributes, edits }: AskedGroupChange): Right[] {
  if (attributes === undefined) return ['groups.delete'];
  if (row === undefined || row.origin === null) return [];
  const { schemas: _, ...before } = parseStored<JsonObject>(row.attributes);
  const { schemas: __, ...after } = attributes;
  const isChanged = edits.length > 0 || !isDeepStrictEqual(before, after);
  return isChanged ? ['groups.change'] : [];
}

/** True when a provider that may not do so adds people who are not its own. Who is there already may stay. */
async function addsForeign(
  tx: Db,
  { provider }: Asker,
  { limits, change }: { readonly limits: ProviderLimits; readonly change: AskedGroupChange },
): Promise<boolean> {
  if (limits.may.includes('groups.add-others') || change.onlyRemoves) return false;
  const added = change.edits.filter(({ op }) => op !== 'remove');
  for (const { list, ids } of added) {
    const additions = { list, group: change.row?.seq ?? 0, userIds: ids };
    if (await addsOthers(tx, provider, additions)) return true;
  }
  return false;
}

/** Limits of the provider, which hold until the transaction ends; undefined: it has none. @throws ScimError 403 */
async function findLimits(tx: Db, { provider }: Asker): Promise<ProviderLimits | undefined> {
  if (provider === DEFAULT_PROVIDER) return undefined;
  const row = await findProvider(tx, provider);
  if (row === undefined) throw new ScimError(403, `The provider ${provider} was deleted.`);
  return parseLimits(row);
}

function assertAllowed({ provider }: Asker, limits: ProviderLimits, demands: Demands): void {
  const limit = findLimit(limits, demands);
  if (limit !== undefined) throw new ScimError(403, `The provider ${provider} ${limit}`);
}

/**
 * Stops a DELETE of an unmanaged resource unless the settings let it adopt: some providers delete every
 * resource that they do not know.
 * @throws ScimError 403
 */
export function assertAdoptsOnDelete(policy: DeleteAdoption, variable: string): void {
  if (policy === 'yes') return;
  const detail = `Nobody manages it through the bridge, so a DELETE leaves it alone. An operator can adopt it, or set ${variable}=yes.`;
  throw new ScimError(403, detail);
}
