import { findCreationAddress, listFoldedEmails } from '../../domain/address.ts';
import { toExtension, toWrittenName, USER_EXTENSION } from '../../domain/extensions.ts';
import type { Handling } from '../../domain/provider.ts';
import { isOfOther } from '../../domain/provider.ts';
import type { JsonObject } from '../../domain/values.ts';
import { foldCase } from '../../domain/values.ts';
import { findTerms } from '../../store/credentials.ts';
import { StoreError } from '../../store/engine/store-error.ts';
import { lockGroupsOf } from '../../store/links/of-users.ts';
import {
  listAccountNames,
  listHolders,
  listNamed,
  pickHolders,
  toTombstones,
} from '../../store/resources/find.ts';
import type { UserRow } from '../../store/resources/rows.ts';
import { LIVE_MANAGED, listRows, lockLost, lockRow } from '../../store/resources/rows.ts';
import type { Db } from '../../store/store.ts';
import type { ProviderDeps } from '../deps.ts';
import type { Repairs } from '../repairs.ts';
import type { Asked, Match, TakenName } from './kind.ts';
import { toDispute, toTaken } from './wall.ts';

interface Recognition extends Pick<Handling, 'match' | 'returning'> {
  readonly provider: string;
  readonly attributes: JsonObject;
}

/** Correlates a new user on names and addresses. The row that is found is locked, so that one of two requests takes the account over. @throws StoreError `store-contended` */
export async function matchUser(
  tx: Db,
  { provider }: Pick<ProviderDeps, 'provider'>,
  asked: Asked,
  repairs: Repairs,
): Promise<Match<'user'>> {
  const { attributes } = asked;
  const handling = await findTerms(tx, provider);
  for (let attempt = 1; attempt <= MATCHES_MAX; attempt += 1) {
    const match = await matchOnce(tx, { ...handling, provider, attributes });
    const { row } = match;
    const isRevived = match.kind === 'new' && match.before !== undefined;
    if (row === undefined || !(isRevived || match.kind === 'unmanaged')) return match;
    // The account of a deleted user changes hands, and its memberships with it.
    if (isRevived) await lockGroupsOf(tx, row.id, 'all');
    const locked = await lockRow(tx, row);
    const isSame = STATE.every((column) => locked?.[column] === row[column]);
    if (locked === undefined || !isSame) continue;
    const isOther = isRevived && row.provider === provider && !match.hasFormerIds;
    if (!isOther) return match;
    // The account of another person, without the licences of that one.
    repairs.count('name-recycled');
    const extension = { appsPermissions: 0, ...toExtension(attributes, USER_EXTENSION) };
    const names = new Set([...asked.names, toWrittenName(USER_EXTENSION, 'appsPermissions')]);
    const given = { ...attributes, [USER_EXTENSION]: extension };
    return { ...match, asked: { ...asked, names, attributes: given } };
  }
  throw new StoreError('store-contended', 'the account of a new user is being changed by others');
}

const MATCHES_MAX = 3;
const STATE = ['origin', 'version', 'deleted_at'] as const;

async function matchOnce(tx: Db, recognition: Recognition): Promise<Match<'user'>> {
  const { match, attributes } = recognition;
  const { userName, address } = foldNames(attributes);
  const names = address === undefined ? [userName] : [userName, address];
  const named = await listNamed(tx, 'user', names);
  const found = pickHolders(named, names, userName);
  const namesake = found.find((row) => row.origin !== null && row.name_folded === userName);
  if (namesake) return toMatch(recognition, namesake, toTakenName(namesake, 'userName', userName));
  const known = await findByExternalId(tx, recognition);
  if (known !== undefined) return toMatch(recognition, known, { attribute: 'externalId' });
  const byName = match.includes('userName') ? [userName] : [];
  const keys = match.includes('address') && address ? [...byName, address] : byName;
  // Of two managed users none has the name or the address of the other one, however they are recognised.
  const live = found.filter((row) => row.origin !== null || isMeant(row, keys));
  const [row, second] = live;
  if (second) return refuseBoth(recognition, live);
  if (row?.origin === null) return { kind: 'unmanaged', row };
  if (row === undefined) return matchDeleted(tx, recognition, toTombstones(named), keys);
  const isName = listAccountNames(row).includes(userName);
  const taken = isName
    ? toTakenName(row, 'userName', userName)
    : toTakenName(row, 'emails', address ?? '');
  return toMatch(recognition, row, taken);
}

/** The creation of a user out of a deleted one: who still has the account, or whose account a lost create may have made. */
async function matchDeleted(
  tx: Db,
  recognition: Recognition,
  deleted: readonly UserRow[],
  keys: readonly string[],
): Promise<Match<'user'>> {
  const { match, provider, attributes } = recognition;
  const external_id = match.includes('externalId') ? toExternalId(attributes) : undefined;
  const found = deleted.filter((row) => isMeant(row, keys));
  if (external_id) found.push(...(await listRows(tx, 'user', { external_id, provider })));
  const tombstones = toTombstones(found).filter((row) => row.upstream_id !== null);
  // Several tombstones of one account are the history of one user; tombstones of several accounts are a dispute.
  const accounts = new Set(tombstones.map(({ upstream_id }) => upstream_id));
  if (accounts.size > 1) return refuseBoth(recognition, []);
  const [row] = tombstones;
  if (row === undefined)
    return { kind: 'new', row: await lockLost(tx, 'user', deleted), origin: 'created' };
  const carried = { ...row.attributes, active: false };
  const before = { attributes: carried, cells: {}, origin: row.origin, deleted: true };
  // Of another provider's people this one knows no ids.
  const hasFormerIds = row.provider === provider && isSamePerson(row, attributes);
  return { kind: 'new', row, origin: 'created', before, hasFormerIds };
}

function refuseBoth(asker: Recognition, holders: readonly UserRow[]): Match<'user'> {
  const about = { name: String(asker.attributes.userName), attribute: 'userName' } as const;
  return { kind: 'refused', refusal: toDispute(asker, TWO_ACCOUNTS, about, holders) };
}

const TWO_ACCOUNTS =
  'The userName and the e-mail address point at different accounts of the service. An operator has to say which.';

function toExternalId({ externalId }: JsonObject): string | undefined {
  return typeof externalId === 'string' ? externalId : undefined;
}

/** Finds a managed user whom the provider knows by this id; where ids recognise nobody, an inactive one who may return. */
async function findByExternalId(tx: Db, { match, returning, provider, attributes }: Recognition) {
  const external_id = toExternalId(attributes);
  const isKey = match.includes('externalId');
  if (external_id === undefined || (!isKey && returning === 'conflict')) return undefined;
  const users = await listRows(tx, 'user', { external_id, provider, ...LIVE_MANAGED });
  return users.find(({ active }) => isKey || active === 0);
}

/** The creation of a user who exists: one who is inactive returns, where the settings of the provider say so. */
function toMatch(recognition: Recognition, row: UserRow, taken: TakenName): Match<'user'> {
  const { returning, provider, attributes } = recognition;
  // Another externalId means another person.
  const isSame =
    taken.attribute === 'userName'
      ? isSamePerson(row, attributes)
      : row.external_id !== null && row.external_id === attributes.externalId;
  const returns = returning === 'restore' && row.active === 0 && isSame;
  return returns && !isOfOther(provider, row)
    ? { kind: 'returning', row }
    : { kind: 'refused', refusal: toTaken(recognition, row, taken) };
}

/** True unless their provider knows them by different ids: then the name belongs to another person. */
function isSamePerson({ external_id: known }: UserRow, { externalId }: JsonObject): boolean {
  return known === null || externalId === undefined || known === externalId;
}

function foldNames(attributes: JsonObject): { userName: string; address: string | undefined } {
  const address = findCreationAddress(attributes);
  return {
    userName: foldCase(String(attributes.userName)),
    address: address === undefined ? undefined : foldCase(address),
  };
}

/** True for an account that one of the names means by which people are recognised. */
function isMeant(row: UserRow, keys: readonly string[]): boolean {
  return [row.name_folded, ...listAccountNames(row)].some((name) => keys.includes(name));
}

/** Stops a change that gives a user the name or address of another user. @throws ScimError 409, 403 where it is another provider's */
export async function assertNamesFree(
  tx: Db,
  deps: Pick<ProviderDeps, 'provider'>,
  { id, attributes: before }: UserRow,
  after: JsonObject,
): Promise<void> {
  const [had, { userName, address }] = [foldNames(before), foldNames(after)];
  const names = [
    { attribute: 'userName', folded: userName, isNew: userName !== had.userName },
    { attribute: 'emails', folded: address ?? had.address, isNew: address !== had.address },
  ] as const;
  for (const { attribute, folded, isNew } of names) {
    if (!isNew || folded === undefined) continue;
    const name = attribute === 'userName' ? folded : undefined;
    const holder = (await listHolders(tx, [folded], name)).find((row) => row.id !== id);
    if (holder !== undefined) throw toTaken(deps, holder, toTakenName(holder, attribute, folded));
  }
}

/** The asked attribute, or the address where this user has the name as an address alone; and whether anybody is shown with it. */
function toTakenName(row: UserRow, attribute: 'userName' | 'emails', folded: string): TakenName {
  const isUserName = row.name_folded === folded;
  const isAddress = listFoldedEmails(row.attributes).includes(folded);
  const holder = isUserName || isAddress ? 'resource' : 'account';
  return { attribute: isAddress && !isUserName ? 'emails' : attribute, holder };
}
