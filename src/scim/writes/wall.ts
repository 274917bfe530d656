import { isDeepStrictEqual } from 'node:util';
import { listFoldedEmails } from '../../domain/address.ts';
import { toExtension, USER_EXTENSION } from '../../domain/extensions.ts';
import { foldCase } from '../../domain/fold.ts';
import type { ResourceKey } from '../../domain/ids.ts';
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
import { lockRow, type ResourceRow, type RowOf } from '../../store/resources/rows.ts';
import { toObservedGroup } from '../../store/resources/state.ts';
import { findView } from '../../store/resources/views.ts';
import type { Db } from '../../store/store.ts';
import type { DeleteAdoption, ProviderDeps } from '../deps.ts';
import { conflict, notFound, ScimError } from '../errors.ts';
import { assertPreconditions } from '../http/etag.ts';
import { toShownVersion } from '../render/resources.ts';
import type { ListEdit, WriteTarget } from './kind.ts';

/** Provider that asks. */
type Asker = Pick<ProviderDeps, 'provider'>;

/**
 * Locks the user or group of a write.
 * @throws ScimError 404, 403 (another provider manages it), 412 (the write was meant for another version)
 */
export async function lockOwn<Type extends ResourceKey['type']>(
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

/** A name that another user or group has; `account`: only its account in the service still has it. */
export interface TakenName {
  readonly type: 'User' | 'Group';
  readonly attribute: 'userName' | 'displayName' | 'emails' | 'externalId';
  readonly holder?: 'resource' | 'account';
}

/** Error of a name that another user or group has: 409, or 403 with the provider if another one manages it. */
export function toTaken(
  { provider }: Asker,
  row: Owned & { readonly active?: number },
  { type, attribute, holder }: TakenName,
): ScimError {
  const name = attribute === 'emails' ? 'e-mail address' : attribute;
  if (isOfOther(provider, row)) {
    const words = `The ${type} of this ${name} belongs to the provider ${row.provider}.`;
    return new ScimError(403, words);
  }
  const words =
    holder === 'account'
      ? `In the service the account of another ${type} still has this ${name}.`
      : `Another ${type} already has this ${name}.`;
  return conflict(row.active === 0 ? `${words} ${RETURN}` : words);
}

/** How the holder of the name becomes active again. */
const RETURN =
  'That User is inactive: set its active to true, or have the provider restore who returns.';

/** A change that a provider asks for. */
interface AskedChange<Row extends ResourceRow> {
  /** Undefined: nobody is known yet. A deleted user gives its account to a new one. */
  readonly row: Row | undefined;
  /** Undefined: it is to be deleted. */
  readonly attributes: JsonObject | undefined;
  readonly edits: readonly ListEdit[];
  readonly onlyRemoves?: boolean;
}

/** Stops what the limits of the provider forbid. @throws ScimError 403 */
export async function assertWithinLimits(
  tx: Db,
  asker: Asker,
  change: AskedChange<ResourceRow>,
  type = change.row?.type,
): Promise<void> {
  const { provider } = asker;
  if (provider === DEFAULT_PROVIDER) return;
  // Its limits hold until the transaction ends.
  const found = await findProvider(tx, provider);
  if (found === undefined) throw new ScimError(403, `The provider ${provider} was deleted.`);
  const limits = parseLimits(found);
  const demands = type === 'user' ? toUserDemands(change) : toGroupDemands(change);
  const extra: Right[] = (await addsForeign(tx, asker, limits, change))
    ? ['groups.add-others']
    : [];
  const limit = findLimit(limits, { ...demands, rights: [...demands.rights, ...extra] });
  if (limit !== undefined) throw new ScimError(403, `The provider ${provider} ${limit}`);
}

function toUserDemands({ row, attributes }: AskedChange<ResourceRow>): Demands {
  const before = row && parseStored<JsonObject>(row.attributes);
  const isNew = row === undefined || row.deleted_at !== null || row.origin === null;
  const seen = isNew ? [row?.observed_user_name_folded, row?.observed_email_folded] : [];
  const known = new Set(isNew ? [] : listNames(before));
  const names = [...listNames(attributes), ...seen.flatMap((name) => name ?? [])];
  return {
    rights: [
      ...(isNew ? (['users.create'] as const) : []),
      ...listUserRights(row?.deleted_at === null ? before : undefined, { attributes, isNew }),
    ],
    userNames: names.filter((name) => !known.has(name)),
    groupNames: [],
  };
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

/** A request that names members or admins is a change, whoever is in the list already. */
function toGroupDemands({ row, attributes, edits }: AskedChange<ResourceRow>): Demands {
  const isNew = row === undefined || row.origin === null;
  const rights: Right[] = isNew ? ['groups.create'] : [];
  const names = [attributes?.displayName];
  if (row !== undefined && isNew) {
    names.push(row.name, row.type === 'group' ? toObservedGroup(row)?.displayName : undefined);
  }
  if (attributes === undefined) rights.push('groups.delete');
  else if (!isNew) {
    const { schemas: _, ...before } = parseStored<JsonObject>(row.attributes);
    const { schemas: __, ...after } = attributes;
    if (edits.length > 0 || !isDeepStrictEqual(before, after)) rights.push('groups.change');
  }
  const groupNames = names.filter((name) => typeof name === 'string');
  return {
    rights,
    userNames: [],
    groupNames: groupNames.filter((name) => isNew || name !== row.name),
  };
}

/** True when a provider that may not do so adds people who are not its own. Who is there already may stay. */
async function addsForeign(
  tx: Db,
  { provider }: Asker,
  { may }: ProviderLimits,
  { row, edits, onlyRemoves }: AskedChange<ResourceRow>,
): Promise<boolean> {
  if (may.includes('groups.add-others') || onlyRemoves) return false;
  for (const { list, op, ids } of edits) {
    if (op === 'remove') continue;
    if (await addsOthers(tx, provider, { list, group: row?.seq ?? 0, userIds: ids })) return true;
  }
  return false;
}

/**
 * Stops a DELETE of an unmanaged resource unless the settings let it adopt: some providers delete every
 * resource that they do not know.
 * @throws ScimError 403
 */
export function assertAdoptsOnDelete(policy: DeleteAdoption, type: ResourceKey['type']): void {
  if (policy === 'yes') return;
  const variable = `${type.toUpperCase()}S_ADOPT_ON_DELETE`;
  const detail = `Nobody manages it through the bridge, so a DELETE leaves it alone. An operator can adopt it, or set ${variable}=yes.`;
  throw new ScimError(403, detail);
}
