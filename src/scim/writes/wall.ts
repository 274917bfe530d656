import { isDeepStrictEqual } from 'node:util';
import { listFoldedEmails } from '../../domain/address.ts';
import { toExtension, USER_EXTENSION } from '../../domain/extensions.ts';
import type { Demands, ProviderLimits, Right } from '../../domain/provider.ts';
import { DEFAULT_PROVIDER, findLimit, isOfOther } from '../../domain/provider.ts';
import type { JsonObject, ResourceKey } from '../../domain/values.ts';
import { foldCase, isJsonObject } from '../../domain/values.ts';
import { addsOthers, lockTerms } from '../../store/credentials.ts';
import type { ResourceRow, RowOf } from '../../store/resources/rows.ts';
import { lockRow } from '../../store/resources/rows.ts';
import { findView } from '../../store/resources/views.ts';
import type { Db } from '../../store/store.ts';
import type { ProviderDeps } from '../deps.ts';
import { conflict, invalidValue, notFound, ScimError } from '../errors.ts';
import { assertPreconditions } from '../http/etag.ts';
import { toShownVersion, withFields } from '../render/resources.ts';
import type { AttributeRule } from '../schema/resource-schemas.ts';
import type { Asked, TakenName, WriteTarget } from './kind.ts';
import { Dispute } from './kind.ts';

type Asker = Pick<ProviderDeps, 'provider'>;

/** Locks the user or group of a write. @throws ScimError 404, 403 (another provider manages it), 412 (meant for another version) */
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

/** Error of a name that another user or group has: 409, or 403 with the provider if another one manages it. */
export function toTaken(
  { provider }: Asker,
  row: ResourceRow,
  { attribute, holder }: TakenName,
): ScimError {
  const type = row.type === 'user' ? 'User' : 'Group';
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

/** Error of a name that fits several users or groups: only an operator can say which, unless one is another provider's. */
export function toDispute(
  asker: Asker,
  words: string,
  { name, attribute }: { readonly name: string; readonly attribute: 'userName' | 'displayName' },
  holders: readonly ResourceRow[],
): ScimError {
  const other = holders.find((holder) => isOfOther(asker.provider, holder));
  const type = attribute === 'userName' ? 'user' : 'group';
  return other ? toTaken(asker, other, { attribute }) : new Dispute(words, { type, name });
}

const RETURN =
  'That User is inactive: set its active to true, or have the provider restore who returns.';

interface AskedChange extends Partial<Pick<Asked, 'edits' | 'onlyRemoves'>> {
  /** Undefined: nobody is known yet. A deleted user gives its account to a new one. */
  readonly row: ResourceRow | undefined;
  /** Undefined: it is to be deleted. */
  readonly attributes: JsonObject | undefined;
}

/** Stops what the limits of the provider forbid. @throws ScimError 403 */
export async function assertWithinLimits(
  tx: Db,
  asker: Asker,
  type: ResourceKey['type'],
  change: AskedChange,
): Promise<void> {
  const { provider } = asker;
  if (provider === DEFAULT_PROVIDER) return;
  // Its limits hold until the transaction ends.
  const limits = await lockTerms(tx, provider);
  if (limits === undefined) throw new ScimError(403, `The provider ${provider} was deleted.`);
  const demands = toDemands(type, change);
  const extra: Right[] = (await addsForeign(tx, asker, limits, change))
    ? ['groups.add-others']
    : [];
  const limit = findLimit(limits, { ...demands, rights: [...demands.rights, ...extra] });
  if (limit !== undefined) throw new ScimError(403, `The provider ${provider} ${limit}`);
}

function toDemands(type: ResourceKey['type'], change: AskedChange): Demands {
  const { row, attributes } = change;
  const isNew = row === undefined || row.deleted_at !== null || row.origin === null;
  const before = row?.deleted_at === null ? row.attributes : undefined;
  const rights: Right[] = isNew ? [`${type}s.create`] : [];
  if (attributes === undefined) rights.push(`${type}s.delete`);
  else if (before !== undefined) {
    if (isActive(before) && !isActive(attributes)) rights.push('users.deactivate');
    if (!isNew && isChanged(before, attributes, change)) rights.push(`${type}s.change`);
  }
  const seen = isNew && row ? listSeen(row) : [];
  const known = new Set(isNew ? [] : listNames(type, before));
  const names = [...listNames(type, attributes), ...seen].filter((name) => !known.has(name));
  return type === 'user'
    ? { rights, userNames: names, groupNames: [] }
    : { rights, userNames: [], groupNames: names };
}

/** A request that names members or admins is a change, whoever is in the list already. */
function isChanged(before: JsonObject, after: JsonObject, { edits = [] }: AskedChange): boolean {
  if (edits.length > 0 || (isActive(after) && !isActive(before))) return true;
  return !isDeepStrictEqual(toRest(before), toRest(after));
}

/** True for a user who is to have access, by both switches of the service; a group has no switch. */
function isActive(attributes: JsonObject): boolean {
  const isSuspended = toExtension(attributes, USER_EXTENSION).temporarilyInactive === true;
  return attributes.active !== false && !isSuspended;
}

function toRest({ active: _, schemas: __, [USER_EXTENSION]: extension, ...rest }: JsonObject) {
  const { temporarilyInactive: ___, ...extended } = isJsonObject(extension) ? extension : {};
  return { ...rest, extended };
}

/** Folded names by which a person is found: also by another provider, so every address counts. A group has one as written. */
function listNames(type: ResourceKey['type'], attributes: JsonObject = {}): string[] {
  const { userName, displayName } = attributes;
  if (type === 'group') return typeof displayName === 'string' ? [displayName] : [];
  const emails = listFoldedEmails(attributes);
  return typeof userName === 'string' ? [foldCase(userName), ...emails] : emails;
}

function listSeen(row: ResourceRow): string[] {
  const names =
    row.type === 'user'
      ? [row.observed_user_name_folded, row.observed_email_folded]
      : [row.name, row.observed?.displayName];
  return names.flatMap((name) => name ?? []);
}

/** True when a provider that may not do so adds people who are not its own. Who is there already may stay. */
async function addsForeign(
  tx: Db,
  { provider }: Asker,
  { may }: ProviderLimits,
  { row, edits = [], onlyRemoves }: AskedChange,
): Promise<boolean> {
  if (may.includes('groups.add-others') || onlyRemoves) return false;
  for (const { list, op, ids } of edits) {
    if (op === 'remove') continue;
    if (await addsOthers(tx, provider, { list, group: row?.seq ?? 0, userIds: ids })) return true;
  }
  return false;
}

/** Largest user or group, in bytes of its JSON without the lists of users. */
const BYTES_MAX = 256 * 1_024;
/** Bytes by which a larger one may grow all the same, so that its size never prevents its deactivation. */
const GROWTH_MAX = 100;

/** Stops a write that makes a resource too large, or leaves out what an extension that it names requires. @throws ScimError 400 `invalidValue` */
export function assertWhole(
  { schemas }: Pick<ProviderDeps, 'schemas'>,
  type: ResourceKey['type'],
  { attributes, names }: Pick<Asked, 'attributes' | 'names'>,
  before?: JsonObject,
): void {
  const measure = (value: JsonObject = {}) => Buffer.byteLength(JSON.stringify(value));
  const bytes = measure(attributes);
  if (bytes > BYTES_MAX && bytes > measure(before) + GROWTH_MAX) {
    throw invalidValue(`The ${type} would be larger than ${BYTES_MAX} bytes.`);
  }
  const shown = withFields(schemas[type], attributes);
  for (const { urn, attributes: rules } of schemas[type].extensions) {
    if (!names.values().some((name) => name === urn || name.startsWith(`${urn}:`))) continue;
    const values = toExtension(shown, urn);
    const all = [...rules.values()];
    // A field of the service has a value without the extension too.
    const isGiven = ({ name, field }: AttributeRule) =>
      values[name] !== undefined && (field === undefined || names.has(field));
    const missing = all.find(({ name, required }) => required && values[name] === undefined);
    if (!missing || !all.some(isGiven)) continue;
    throw invalidValue(`${missing.name} is required where ${urn} has a value.`);
  }
}
