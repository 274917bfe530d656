import { findCreationAddress, isAddress } from '../../domain/address.ts';
import { listWaiting, withEcho } from '../../domain/cell.ts';
import { toExtension, toWrittenName, USER_EXTENSION } from '../../domain/extensions.ts';
import { foldCase } from '../../domain/fold.ts';
import { newId, userId } from '../../domain/ids.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../../domain/json.ts';
import { findDesiredName, fullName, normaliseName } from '../../domain/name.ts';
import { isOfOther } from '../../domain/provider.ts';
import type { UserField } from '../../domain/user.ts';
import { toCellsAfterUserDeletion, withSuspensionEnded } from '../../domain/write.ts';
import { userFields } from '../../rules/fields.ts';
import { followUser } from '../../rules/follow.ts';
import { keepRemark } from '../../store/audit/requests.ts';
import { findHandling } from '../../store/credentials/providers.ts';
import { parseCells, parseStored, toCellColumns } from '../../store/engine/columns.ts';
import { leaveGroups, lockGroupsOf } from '../../store/links/of-users.ts';
import { listAccountNames, listHolders, lockLostUsers } from '../../store/resources/find.ts';
import { toDeparture } from '../../store/resources/leavers.ts';
import { saveEmails } from '../../store/resources/names.ts';
import { joinLost } from '../../store/resources/revive.ts';
import { getRow, type UserRow, updateRow } from '../../store/resources/rows.ts';
import { type Before, isRoleUnknown, toUserState } from '../../store/resources/state.ts';
import type { Db } from '../../store/store.ts';
import type { ProviderDeps } from '../deps.ts';
import type { ResourceInput } from '../dialect/parse-body.ts';
import { invalidValue, ScimError } from '../errors.ts';
import { ANY_VERSION } from '../http/etag.ts';
import { applyWhole } from '../patch/apply-patch.ts';
import { type Repairs, UNCOUNTED } from '../repairs.ts';
import { enterpriseDescription } from '../schema/descriptions.ts';
import { userSchema } from '../schema/resource-schemas.ts';
import { keepAssigned, withAssigned, withoutUnnamed } from './assigned.ts';
import { storeChange } from './change.ts';
import { adoptFound, dispute, insertNew } from './create.ts';
import {
  type Accepted,
  type Asked,
  type Disputed,
  PrivilegeUnknown,
  type WriteKind,
} from './kind.ts';
import { toBodyAsked } from './lists.ts';
import { type AccountMatch, assertNamesFree, matchAccount } from './match-account.ts';
import { assertWithinLimits, toTaken } from './wall.ts';

const SUSPENDED = toWrittenName(USER_EXTENSION, 'temporarilyInactive');

/** Users, as providers write them. */
export const userWrites: WriteKind<'user', UserField> = {
  fields: userFields,
  schema: userSchema,
  adopts: 'adoptUsers',
  adoptsOnDelete: 'adoptUsersOnDelete',
  async begin(tx, _deps, of, id) {
    // The groups that show the user get a new version.
    if (of === 'end') await lockGroupsOf(tx, userId(id), 'all');
  },
  toReplacement,
  async toAllowed(tx, deps, { row, before, asked }) {
    const held = { attributes: before, isManaged: row.origin !== null };
    const assigned = withAssigned(held, asked);
    const attributes = withStoredManagerRef(assigned.attributes, deps.baseUrl);
    if (typeof attributes.userName !== 'string' || attributes.userName.trim() === '') {
      throw invalidValue('A User needs a userName.');
    }
    assertFits(before, attributes);
    assertAddress(before, attributes);
    await assertNamesFree(tx, deps, row, { before, after: attributes });
    await assertWithinLimits(tx, deps, { row, attributes, edits: [] });
    return { ...asked, attributes, names: assigned.names };
  },
  complete({ row, origin, before, asked }) {
    const held = { before, cells: parseCells<UserField>(row), attributes: asked.attributes };
    const attributes = withSuspensionEnded(held);
    const isEnded = attributes !== asked.attributes;
    const names = isEnded ? new Set([...asked.names, SUSPENDED]) : asked.names;
    if (origin !== null) return { ...asked, attributes, names };
    return { ...asked, names, attributes: withoutUnnamed({ attributes, names }) };
  },
  async assertMayLose(tx, { rules }, row) {
    assertRoleKnown(row);
    const reason = await rules.protection.findReason(tx, row);
    if (reason !== undefined) throw new ScimError(403, reason);
  },
  toNewRow: (columns) => ({ type: 'user', id: userId(newId()), ...columns }),
  async follow(tx, { rules }, { row, changed, origin, created, now }) {
    await saveEmails(tx, created ? undefined : row, changed);
    const notifies = origin === null && (await followUser(tx, rules, changed.id, now));
    return { row: notifies ? await getRow(tx, changed) : changed, notifies, removes: false };
  },
  async takeOver(tx, { provider, events }, row) {
    const { cells, observed } = toUserState(row);
    // The shown attributes are the baseline, so a name that was split from the service's is no difference from it.
    const name = findDesiredName(parseStored<JsonObject>(row.attributes));
    const isNamed = name !== undefined && observed !== undefined;
    const echo = isNamed && { sent: fullName(name), back: normaliseName(observed.fullName) };
    const heard = echo ? withEcho(cells, 'name', echo) : cells;
    const adopted = { origin: 'adopted', provider, cells: JSON.stringify(heard) } as const;
    await updateRow(tx, row, adopted);
    events.adopted({ type: 'user', id: row.id });
    return { ...row, ...adopted };
  },
  async findPrivilege(tx, { rules }, row) {
    assertRoleKnown(row);
    return rules.protection.findPrivilege(tx, row);
  },
  listNames: (row) => [row.name_folded, ...listAccountNames(row)],
  // An account that another user is to get, or has, is not given to two.
  listHolders: (tx, row) => listHolders(tx, listAccountNames(row), row.name_folded),
  async delete(_tx, { clock, policy: { deactivation } }, row) {
    const cells = toCellsAfterUserDeletion(toUserState(row), {
      version: row.version + 1,
      deactivation,
    });
    const isDue = listWaiting(cells).length > 0;
    const leaves = isDue || row.active === 1;
    const departure = leaves ? toDeparture(row, clock.now()) : {};
    return { isDue, columns: { ...toCellColumns(cells), ...departure }, users: [] };
  },
  async forget(tx, { clock }, row, { isDue }) {
    return !isDue && (await leaveGroups(tx, row.id, clock.now())).length > 0;
  },
  create: createUser,
};

/** Stops a write of an account if its role was never seen. @throws PrivilegeUnknown */
function assertRoleKnown(row: UserRow): void {
  if (isRoleUnknown(row)) throw new PrivilegeUnknown({ type: 'user', id: row.id });
}

/** Attributes after a PUT: all are replaced, except `active`, `name`, `emails` and what was assigned, which partial views leave out. */
function toReplacement(before: JsonObject, input: ResourceInput): JsonObject {
  const { mentioned } = input;
  const kept: JsonObject = {};
  for (const name of ['active', 'name', 'emails'] as const) {
    const value = before[name];
    if (!mentioned.has(name) && value !== undefined) kept[name] = value;
  }
  const assigned = keepAssigned(before, mentioned);
  return keepReadOnly(before, { ...kept, ...assigned, ...applyWhole(before, input) });
}

/** Attributes with the read-only values of the service, which survive every write. */
function keepReadOnly(before: JsonObject, attributes: JsonObject): JsonObject {
  const { role, virtual } = toExtension(before, USER_EXTENSION);
  const readOnly = {
    ...(role === undefined ? {} : { role }),
    ...(virtual === undefined ? {} : { virtual }),
  };
  const extension = { ...toExtension(attributes, USER_EXTENSION), ...readOnly };
  const isEmpty = Object.keys(extension).length === 0;
  return isEmpty ? attributes : { ...attributes, [USER_EXTENSION]: extension };
}

/** Largest user, in bytes of its JSON; a group has little text. */
const USER_BYTES_MAX = 256 * 1_024;

/**
 * Stops a user from growing beyond the limit. A user that is larger already accepts every write that adds no text,
 * so that its size never prevents its deactivation.
 * @throws ScimError 400 `invalidValue`
 */
function assertFits(before: JsonObject | undefined, attributes: JsonObject): void {
  const length = measureText(attributes);
  // Text that many values share is long only once it is written out.
  if (length <= USER_BYTES_MAX && Buffer.byteLength(JSON.stringify(attributes)) <= USER_BYTES_MAX)
    return;
  if (before !== undefined && length <= measureText(before)) return;
  throw invalidValue(`The user would be larger than ${USER_BYTES_MAX} bytes.`);
}

/** Characters of all texts, without the schemas, which the provider does not choose. */
function measureText({ schemas: _, ...attributes }: JsonObject): number {
  const sum = (value: JsonValue): number => {
    if (typeof value === 'string') return value.length;
    if (typeof value !== 'object' || value === null) return 0;
    let length = 0;
    for (const part of Object.values(value)) length += sum(part);
    return length;
  };
  return sum(attributes);
}

/**
 * Stops an e-mail address that no service can take, where it is the one that the account is known by. One that stays is
 * not checked.
 * @throws ScimError 400 `invalidValue`
 */
function assertAddress(before: JsonObject | undefined, attributes: JsonObject): void {
  const address = findCreationAddress(attributes);
  if (address === undefined || isAddress(address)) return;
  if (before !== undefined && address === findCreationAddress(before)) return;
  const words = 'The address in emails by which the account is known is no e-mail address';
  throw invalidValue(`${words}: text, one @, text, and no white space.`);
}

/**
 * Attributes with the `$ref` of the manager as it is stored: relative where it leads to a resource of this bridge, so
 * that it outlives the public address. Answers make it absolute (`renderUser`), and providers may send it back so.
 * @param baseUrl of SCIM, without a slash at its end
 */
function withStoredManagerRef(attributes: JsonObject, baseUrl: string): JsonObject {
  const extension = toExtension(attributes, enterpriseDescription.id);
  const { manager } = extension;
  const ref = isJsonObject(manager) ? manager.$ref : undefined;
  if (!isJsonObject(manager) || typeof ref !== 'string' || !ref.startsWith(`${baseUrl}/`)) {
    return attributes;
  }
  const stored = { ...manager, $ref: `..${ref.slice(baseUrl.length)}` };
  return { ...attributes, [enterpriseDescription.id]: { ...extension, manager: stored } };
}

/**
 * Stores a new user, or takes over the account that this user already has.
 * @throws ScimError 400 (an address that is none), 403 beyond the wall, 409 when another user has the name or the account
 * @throws PrivilegeUnknown
 */
async function createUser(
  tx: Db,
  deps: ProviderDeps,
  { input, repairs }: { readonly input: ResourceInput; readonly repairs: Repairs },
): Promise<Accepted | Disputed> {
  const { provider } = deps;
  const body = toBodyAsked(deps, 'add', input, input.attributes);
  const assigned = withAssigned(undefined, body);
  const isActive = assigned.attributes.active !== false;
  const attributes = withStoredManagerRef(
    { ...assigned.attributes, active: isActive },
    deps.baseUrl,
  );
  const asked = { ...body, attributes, names: new Set([...assigned.names, 'active']) };
  const address = findCreationAddress(attributes);
  if (address === undefined) repairs.count('address-missing');
  assertAddress(undefined, attributes);
  assertFits(undefined, attributes);
  const handling = await findHandling(tx, provider);
  const match = await matchAccount(tx, attributes, { provider, ...handling });
  await assertMine(tx, deps, match, attributes);
  switch (match.kind) {
    case 'taken': {
      const { holder, taken } = match;
      const returns = handling.returning === 'restore' && isReturning(match, attributes);
      if (!returns) throw toTaken(deps, holder, taken);
      return restore(tx, deps, holder, { input, asked });
    }
    case 'disputed': {
      const name = String(attributes.userName);
      return dispute(tx, deps, { type: 'user', name }, TWO_ACCOUNTS);
    }
    case 'observed': {
      const { row } = match;
      const kept = keepReadOnly(parseStored(row.attributes), attributes);
      return adoptFound(tx, deps, userWrites, { row, asked: { ...asked, attributes: kept } });
    }
    case 'tombstone': {
      const { row: from } = match;
      const isOwn = from.provider === provider;
      // Of another provider's people this one knows no ids.
      const hasFormerIds = isOwn && isSamePerson(from, attributes);
      const isOther = isOwn && !hasFormerIds;
      if (isOther) {
        repairs.count('name-recycled');
        await keepRemark(tx, 'name-recycled', deps.clock.now());
      }
      const given = isOther ? withoutLicence(asked) : asked;
      const creation = { asked: given, origin: 'created', from, hasFormerIds } as const;
      return insertNew(tx, deps, userWrites, { ...creation, before: toDeletedUser(from) });
    }
    default: {
      const userName = String(attributes.userName);
      const lost = await lockLostUsers(tx, [userName, address ?? userName].map(foldCase));
      const creation = {
        asked,
        origin: 'created',
        hasFormerIds: false,
        before: undefined,
      } as const;
      return insertNew(tx, deps, userWrites, {
        ...creation,
        from: await joinLost(tx, lost),
      });
    }
  }
}

/** Makes an inactive user as a creation says: as a PUT, and active unless it says otherwise. */
function restore(
  tx: Db,
  deps: ProviderDeps,
  { id }: UserRow,
  { input, asked }: { readonly input: ResourceInput; readonly asked: Asked },
): Promise<Accepted> {
  const { active = true } = asked.attributes;
  return storeChange(tx, deps, userWrites, {
    target: { id, preconditions: ANY_VERSION },
    ask: async (_tx, _row, before) => ({
      ...asked,
      attributes: { ...toReplacement(before, input), active },
      names: new Set([...input.mentioned, 'active']),
    }),
    repairs: UNCOUNTED,
  });
}

const TWO_ACCOUNTS =
  'The userName and the e-mail address point at different accounts of the service. An operator has to say which.';

/** True for the creation of a user who exists and is inactive. Another externalId means another person. */
function isReturning(
  { holder, taken }: Extract<AccountMatch, { kind: 'taken' }>,
  attributes: JsonObject,
): boolean {
  if (holder.active !== 0 || holder.origin === null) return false;
  if (taken.attribute === 'userName') return isSamePerson(holder, attributes);
  return holder.external_id !== null && holder.external_id === attributes.externalId;
}

/** Stops the creation of a user whom the wall keeps from the provider. @throws ScimError 403 */
async function assertMine(
  tx: Db,
  deps: ProviderDeps,
  match: AccountMatch,
  attributes: JsonObject,
): Promise<void> {
  const row = 'row' in match ? match.row : undefined;
  await assertWithinLimits(tx, deps, { row, attributes, edits: [] }, 'user');
  const taken =
    match.kind === 'taken' ? match.taken : ({ type: 'User', attribute: 'userName' } as const);
  const holders =
    match.kind === 'taken' ? [match.holder] : match.kind === 'disputed' ? match.holders : [];
  const other = holders.find((holder) => isOfOther(deps.provider, holder));
  if (other !== undefined) throw toTaken(deps, other, taken);
}

/** True unless their provider knows them by different ids: then the name belongs to another person. */
function isSamePerson({ external_id: held }: UserRow, { externalId }: JsonObject): boolean {
  return held === null || externalId === undefined || held === externalId;
}

/** The creation of a user who gets the account of another person, without the licences of that one. */
function withoutLicence({ attributes, ...asked }: Asked): Asked {
  const extension = { appsPermissions: 0, ...toExtension(attributes, USER_EXTENSION) };
  const names = new Set([...asked.names, toWrittenName(USER_EXTENSION, 'appsPermissions')]);
  return { ...asked, names, attributes: { ...attributes, [USER_EXTENSION]: extension } };
}

/** The deleted user that the account belonged to before. */
function toDeletedUser({ attributes, origin }: UserRow): Before {
  const held = parseStored<JsonObject>(attributes);
  return { attributes: { ...held, active: false }, cells: {}, origin, deleted: true };
}
