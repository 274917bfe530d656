import { isDeepStrictEqual } from 'node:util';
import { toExtension, USER_EXTENSION } from '../../domain/extensions.ts';
import { isLinked } from '../../domain/kinds.ts';
import type { ProviderLimits, Right, Staged } from '../../domain/provider.ts';
import {
  DEFAULT_PROVIDER,
  findRightLimit,
  findScopeLimit,
  findStaged,
  isOfOther,
  listScopeNames,
} from '../../domain/provider.ts';
import type { JsonObject, ResourceKey } from '../../domain/values.ts';
import { BridgeError, isJsonObject } from '../../domain/values.ts';
import { addsOthers, findTerms, lockTerms } from '../../store/credentials.ts';
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

/** Stops what the limits of the provider forbid. Returns why the service is to get nothing of it; null: it is. @throws ScimError 403, OutOfScope */
export async function assertWithinLimits(
  tx: Db,
  asker: Asker,
  type: ResourceKey['type'],
  change: AskedChange,
): Promise<Staged | null> {
  const { provider } = asker;
  const { row, attributes } = change;
  const staged = attributes !== undefined && isStageable(row) ? attributes : undefined;
  if (provider === DEFAULT_PROVIDER)
    return staged ? findStaged(await findTerms(tx, provider), type, staged) : null;
  // Its limits hold until the transaction ends.
  const terms = await lockTerms(tx, provider);
  if (terms === undefined) throw new ScimError(403, `The provider ${provider} was deleted.`);
  const { rights, names } = toDemands(type, change);
  const extra: Right[] = (await addsForeign(tx, asker, terms, change)) ? ['groups.add-others'] : [];
  const right = findRightLimit(terms, [...rights, ...extra]);
  if (right !== undefined) throw new ScimError(403, `The provider ${provider} ${right}`);
  const reason = staged ? findStaged(terms, type, staged) : null;
  const limit = reason === 'scope' ? undefined : findScopeLimit(terms, type, names);
  if (limit === undefined) return reason;
  if (terms.outside === 'accept' && row?.origin === null) throw new OutOfScope(row);
  throw new ScimError(403, `The provider ${provider} ${limit}`);
}

/** A write of what is not managed and outside the scope of a provider whose requests about such are accepted: it changes nothing. */
export class OutOfScope extends BridgeError {
  readonly row: ResourceRow;
  constructor(row: ResourceRow) {
    super('out-of-scope', `the ${row.type} is outside the scope of the provider`);
    this.row = row;
  }
}

/** True for what the service never had: new to the bridge, or kept from the service until now. */
function isStageable(row: ResourceRow | undefined): boolean {
  if (row === undefined) return true;
  const isLive = row.origin !== null && row.deleted_at === null;
  return isLive && !isLinked(row) && row.sent_creates.length === 0;
}

/** Rights that a change needs, and names that it gives, or that the account or group has which it takes over. */
function toDemands(type: ResourceKey['type'], change: AskedChange) {
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
  const known = new Set(isNew ? [] : listScopeNames(type, before));
  const names = [...listScopeNames(type, attributes), ...seen].filter((name) => !known.has(name));
  return { rights, names };
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
