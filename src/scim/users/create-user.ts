import { findCreationAddress, listFoldedEmails } from '../../domain/address.ts';
import { listWaiting } from '../../domain/cell.ts';
import { toExtension, USER_EXTENSION, withSchemas } from '../../domain/extensions.ts';
import { foldCase } from '../../domain/fold.ts';
import { newId, userId } from '../../domain/ids.ts';
import type { JsonObject } from '../../domain/json.ts';
import { listTakenFromUser } from '../../domain/protection.ts';
import { isOfOther } from '../../domain/provider.ts';
import { USER_SCHEMA_URI } from '../../domain/schemas.ts';
import { USER_FIELDS } from '../../domain/user.ts';
import { toCellsAfterWrite } from '../../domain/user-write.ts';
import { keepRemark } from '../../store/audit/requests.ts';
import { findHandling } from '../../store/credentials/providers.ts';
import { parseStored, toUserColumns } from '../../store/engine/columns.ts';
import { lockLostUsers } from '../../store/resources/by-name.ts';
import { passIds } from '../../store/resources/former-ids.ts';
import { replaceEmails } from '../../store/resources/known-names.ts';
import { joinLost, revive } from '../../store/resources/revive.ts';
import { insertRow, type NewRow, type UserRow, updateRow } from '../../store/resources/rows.ts';
import { toUserState } from '../../store/resources/state.ts';
import type { Before, Undo } from '../../store/resources/undo.ts';
import type { Db } from '../../store/store.ts';
import type { ProviderDeps, ScimDeps } from '../deps.ts';
import { findSentPlace, type ResourceInput } from '../dialect/parse-resource.ts';
import { ANY_VERSION } from '../http/etag.ts';
import { type Repairs, UNCOUNTED } from '../repairs.ts';
import { disputeAdoption } from '../writes/adoption.ts';
import { assertUserWithinLimits, toTaken } from '../writes/wall.ts';
import { type Disputed, dispute, type UserWriteResult } from '../writes/write-result.ts';
import { withAssigned } from './assigned.ts';
import {
  assertAddress,
  assertFits,
  keepReadOnly,
  toReplacement,
  withStoredManagerRef,
} from './attributes.ts';
import { storeUser, type UserChange } from './change-user.ts';
import { type AccountMatch, matchAccount } from './match-account.ts';
import { adoptableUsers, assertMayLose, storeUserChange } from './store-change.ts';

/** A new user as a provider describes it. */
export interface NewUser {
  readonly input: ResourceInput;
  readonly repairs: Repairs;
}

/**
 * Stores a new user, or takes over the account that this user already has.
 * @throws ScimError 400 (an address that is none), 403 beyond the wall, 409 when another user has the name or the account
 * @throws PrivilegeUnknown
 */
export async function storeNewUser(
  tx: Db,
  deps: ProviderDeps,
  { input, repairs }: NewUser,
): Promise<UserWriteResult | Disputed> {
  const { attributes: sent, names: named } = withAssigned(undefined, {
    attributes: input.attributes,
    names: input.mentioned,
  });
  const attributes = withStoredManagerRef(withDefaults(sent), deps.baseUrl);
  const userName = String(attributes.userName);
  const address = findCreationAddress(attributes);
  if (address === undefined) repairs.count('address-missing');
  assertAddress(undefined, attributes, (sought) =>
    findSentPlace('emails', input.sent.get('emails'), sought),
  );
  const { provider } = deps;
  const handling = await findHandling(tx, provider);
  const externalId = typeof attributes.externalId === 'string' ? attributes.externalId : undefined;
  const names = { userName, address, externalId };
  const match = await matchAccount(tx, names, { provider, ...handling });
  await assertMine(tx, deps, { match, attributes });
  switch (match.kind) {
    case 'taken':
      if (handling.returning === 'conflict' || !isReturning(match, attributes)) {
        throw toTaken(deps, match.holder, match.taken);
      }
      return storeUser(tx, deps, toReturn(match.holder, input));
    case 'disputed':
      return dispute(tx, deps, { type: 'user', name: userName }, TWO_ACCOUNTS);
    case 'observed':
      return adoptUser(tx, deps, { row: match.row, attributes, names: named });
    case 'tombstone': {
      const { row } = match;
      const now = deps.clock.now();
      // Of another provider's people this one knows no ids.
      if (row.provider !== provider) return insert(tx, deps, { attributes, from: row });
      if (isSamePerson(row, attributes)) {
        const created = await insert(tx, deps, { attributes, from: row });
        const ids = { from: row.id, to: created.id };
        await passIds(tx, { resource_type: 'user', provider, ...ids, now });
        return { ...created, hasFormerIds: true };
      }
      repairs.count('name-recycled');
      await keepRemark(tx, 'name-recycled', now);
      return insert(tx, deps, { attributes: withoutLicence(attributes), from: row });
    }
    default: {
      const emailFolded = foldCase(address ?? userName);
      const lost = await lockLostUsers(tx, { userNameFolded: foldCase(userName), emailFolded });
      return insert(tx, deps, { attributes, from: await joinLost(tx, lost) });
    }
  }
}

/** True for the creation of a user who exists and is inactive. Another externalId means another person. */
function isReturning(
  { holder, taken }: Extract<AccountMatch, { kind: 'taken' }>,
  attributes: JsonObject,
): boolean {
  if (holder.active !== 0 || holder.origin === null) return false;
  if (taken.attribute === 'userName') return isSamePerson(holder, attributes);
  return holder.external_id !== null && holder.external_id === attributes.externalId;
}

/** The change of an inactive user that a creation asks for: as a PUT, and active unless it says otherwise. */
function toReturn({ id }: UserRow, input: ResourceInput): UserChange {
  const change = (before: JsonObject) => {
    const asked = toReplacement(before, input);
    const active = input.attributes.active !== false;
    const names = new Set([...asked.names, 'active']);
    return { ...asked, names, attributes: { ...asked.attributes, active } };
  };
  return { id, preconditions: ANY_VERSION, change, repairs: UNCOUNTED };
}

/** Stops the creation of a user whom the wall keeps from the provider. @throws ScimError 403 */
async function assertMine(
  tx: Db,
  deps: ProviderDeps,
  { match, attributes }: { readonly match: AccountMatch; readonly attributes: JsonObject },
): Promise<void> {
  const row = 'row' in match ? match.row : undefined;
  await assertUserWithinLimits(tx, deps, { row, attributes });
  const taken =
    match.kind === 'taken' ? match.taken : ({ type: 'User', attribute: 'userName' } as const);
  const holders =
    match.kind === 'taken' ? [match.holder] : match.kind === 'disputed' ? match.holders : [];
  const other = holders.find((holder) => isOfOther(deps.provider, holder));
  if (other !== undefined) throw toTaken(deps, other, taken);
}

/** Absent `active` on create is true. */
function withDefaults(attributes: JsonObject): JsonObject {
  return { ...attributes, active: attributes.active !== false };
}

/** Takes over an observed account. Its SCIM id stays, because lists have shown it all along. */
async function adoptUser(
  tx: Db,
  deps: ProviderDeps,
  {
    row,
    attributes,
    names: named,
  }: { row: UserRow; attributes: JsonObject; names: ReadonlySet<string> },
): Promise<UserWriteResult | Disputed> {
  const disputed = await disputeAdoption(tx, deps, { kind: adoptableUsers, row });
  if (disputed) return disputed;
  deps.telemetry.adopted({ type: 'user', id: row.id });
  const before = parseStored<JsonObject>(row.attributes);
  const names = new Set([...named, 'active']);
  const kept = keepReadOnly(before, attributes);
  return storeUserChange(tx, deps, { row, before, attributes: kept, names });
}

const TWO_ACCOUNTS =
  'The userName and the e-mail address point at different accounts of the service. An operator has to say which.';

interface Insertion {
  readonly attributes: JsonObject;
  /** The deleted user whom the new one is made of; undefined: there is none. */
  readonly from: UserRow | undefined;
}

async function insert(
  tx: Db,
  deps: ProviderDeps,
  { attributes, from }: Insertion,
): Promise<UserWriteResult> {
  const now = deps.clock.now();
  const document = withSchemas(USER_SCHEMA_URI, attributes);
  assertFits(undefined, document);
  const draft: NewRow<'user'> = {
    type: 'user',
    id: userId(newId()),
    origin: 'created',
    provider: deps.provider,
    ...toUserColumns(document),
    created_at: now,
    modified_at: now,
    ...(deps.looksFirst() ? { must_look: 1 } : {}),
  };
  const row = from ? await revive(tx, from, draft, now) : await insertRow(tx, draft);
  await replaceEmails(tx, row.id, listFoldedEmails(document));
  return startWriting(tx, deps, { row, document, from });
}

/** Marks the changes that the new user waits for. */
async function startWriting(
  tx: Db,
  deps: ScimDeps,
  {
    row,
    document,
    from,
  }: Pick<Insertion, 'from'> & { readonly row: UserRow; readonly document: JsonObject },
): Promise<UserWriteResult> {
  const { id } = row;
  const state = toUserState(row);
  const { desired: after, observed } = state;
  const fields = USER_FIELDS.filter((field) => field !== 'account');
  const isInService = state.upstreamId !== undefined;
  const change = { before: undefined, after, observed, isInService, fields };
  if (listTakenFromUser(change).length > 0) {
    await assertMayLose(tx, deps.rules.protection, row);
  }
  const cells = toCellsAfterWrite({
    state,
    cells: state.cells,
    attributes: document,
    fields,
    version: row.version,
    inFlight: false,
    deactivation: deps.policy.deactivation,
  });
  // Of somebody who is created inactive nothing may be pending, and yet an earlier create may have left an account.
  const owesLook = row.sent_creates !== '[]' && row.must_look > 0;
  const isDue = owesLook || listWaiting(cells).length > 0;
  const due_at = isDue ? deps.clock.now() : null;
  const columns = { cells: JSON.stringify(cells), due_at, write_id: newId() };
  await updateRow(tx, { type: 'user', id }, columns);
  const before = from?.upstream_id ? toDeletedUser(from) : undefined;
  const undo: Undo = { links: [], before, after: row.attributes, removes: false };
  return { type: 'user', id, row: { ...row, ...columns }, undo: isDue ? undo : undefined };
}

/** True unless their provider knows them by different ids: then the name belongs to another person. */
function isSamePerson({ external_id: held }: UserRow, { externalId }: JsonObject): boolean {
  return held === null || externalId === undefined || held === externalId;
}

/** The attributes of a user who gets the account of another person, without the licences of that one. */
function withoutLicence(attributes: JsonObject): JsonObject {
  const extension = { appsPermissions: 0, ...toExtension(attributes, USER_EXTENSION) };
  return { ...attributes, [USER_EXTENSION]: extension };
}

/** The deleted user that the account belonged to before. */
function toDeletedUser({ attributes, origin }: UserRow): Before {
  const held = parseStored<JsonObject>(attributes);
  return { attributes: { ...held, active: false }, cells: {}, origin, deleted: true };
}
