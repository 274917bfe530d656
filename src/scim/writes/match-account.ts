import { findCreationAddress, listFoldedEmails } from '../../domain/address.ts';

import { foldCase } from '../../domain/fold.ts';
import type { JsonObject } from '../../domain/json.ts';
import type { Handling } from '../../domain/provider.ts';
import { parseStored } from '../../store/engine/columns.ts';
import { StoreError } from '../../store/engine/store-error.ts';
import { lockGroupsOf } from '../../store/links/of-users.ts';
import { listAccountNames, listHolders, listTombstones } from '../../store/resources/find.ts';
import { LIVE_MANAGED, listRows, lockRow, type UserRow } from '../../store/resources/rows.ts';
import type { Db } from '../../store/store.ts';
import type { ProviderDeps } from '../deps.ts';
import { type TakenName, toTaken } from './wall.ts';

/** The provider that asks, and how its people are recognised. */
interface Recognition extends Pick<Handling, 'match' | 'returning'> {
  readonly provider: string;
}

/**
 * Account that a new user already has.
 * - `none`: no account is known
 * - `observed`: one unmanaged account
 * - `tombstone`: one that was deleted through SCIM and still has its account
 * - `taken`: a managed user has the userName, or the account that the userName or the address means
 * - `disputed`: name and address point at two accounts, and the bridge never guesses
 */
export type AccountMatch =
  | { readonly kind: 'none' }
  | { readonly kind: 'disputed'; readonly holders: readonly UserRow[] }
  | { readonly kind: 'taken'; readonly taken: TakenName; readonly holder: UserRow }
  | { readonly kind: 'observed' | 'tombstone'; readonly row: UserRow };

/**
 * Correlates on observed names and addresses, of managed users also on those that are wanted; for deleted users also on
 * their last userName. The row that is found
 * is locked: of two requests at the same time one takes the account over, and the other one finds it taken.
 * @throws StoreError `store-contended` when others go on changing what is found
 */
export async function matchAccount(
  tx: Db,
  attributes: JsonObject,
  recognition: Recognition,
): Promise<AccountMatch> {
  for (let attempt = 1; attempt <= MATCHES_MAX; attempt += 1) {
    const match = await matchOnce(tx, attributes, recognition);
    if (!('row' in match)) return match;
    const { row, kind } = match;
    // The account of a deleted user changes hands, and its memberships with it.
    if (kind === 'tombstone') await lockGroupsOf(tx, row.id, 'all');
    const locked = await lockRow(tx, row);
    const isSame = STATE.every((column) => locked?.[column] === row[column]);
    if (locked !== undefined && isSame) return match;
  }
  throw new StoreError('store-contended', 'the account of a new user is being changed by others');
}

/** Attempts to match an account that others change meanwhile. */
const MATCHES_MAX = 3;
/** Columns that change when another transaction takes the account over, changes or deletes it. */
const STATE = ['origin', 'version', 'deleted_at'] as const;

async function matchOnce(
  tx: Db,
  attributes: JsonObject,
  { match, returning, provider }: Recognition,
): Promise<AccountMatch> {
  const { userName: userNameFolded, address: emailFolded } = foldNames(attributes);
  const folded = emailFolded === undefined ? [userNameFolded] : [userNameFolded, emailFolded];
  const found = await listHolders(tx, folded, userNameFolded);
  const namesake = found.find((row) => row.origin !== null && row.name_folded === userNameFolded);
  if (namesake !== undefined) return toMatch(namesake, 'userName', userNameFolded);
  const known = await findByExternalId(tx, attributes, { match, returning, provider });
  const taken = { type: 'User', attribute: 'externalId' } as const;
  if (known !== undefined) return { kind: 'taken', taken, holder: known };
  const keys = {
    userName: match.includes('userName') ? userNameFolded : undefined,
    address: match.includes('address') ? emailFolded : undefined,
  };
  // Of two managed users none has the name or the address of the other one, however they are recognised.
  const live = found.filter((row) => row.origin !== null || isMeant(row, keys));
  const [row] = live;
  if (live.length > 1) return { kind: 'disputed', holders: live };
  if (row?.origin === null) return { kind: 'observed', row };
  if (row) {
    return listAccountNames(row).includes(userNameFolded)
      ? toMatch(row, 'userName', userNameFolded)
      : toMatch(row, 'emails', emailFolded ?? '');
  }
  const externalId = match.includes('externalId') ? toExternalId(attributes) : undefined;
  return matchTombstone(await listTombstones(tx, keys, { externalId, provider }));
}

function toExternalId({ externalId }: JsonObject): string | undefined {
  return typeof externalId === 'string' ? externalId : undefined;
}

/** Finds a managed user whom the provider knows by this id; where ids recognise nobody, an inactive one who may return. */
async function findByExternalId(
  tx: Db,
  attributes: JsonObject,
  { match, returning, provider }: Recognition,
): Promise<UserRow | undefined> {
  const externalId = toExternalId(attributes);
  const isKey = match.includes('externalId');
  if (externalId === undefined || (!isKey && returning === 'conflict')) return undefined;
  const which = { external_id: externalId, provider, ...LIVE_MANAGED };
  const users = await listRows(tx, 'user', which);
  return users.find(({ active }) => isKey || active === 0);
}

/** Several tombstones of one account are the history of one user; tombstones of several accounts are a dispute. */
function matchTombstone(rows: readonly UserRow[]): AccountMatch {
  const [row] = rows;
  if (row === undefined) return { kind: 'none' };
  const accounts = new Set(rows.map(({ upstream_id }) => upstream_id));
  // Nobody manages what was deleted.
  return accounts.size > 1 ? { kind: 'disputed', holders: [] } : { kind: 'tombstone', row };
}

function toMatch(holder: UserRow, attribute: 'userName' | 'emails', folded: string): AccountMatch {
  return { kind: 'taken', taken: toTakenName(holder, attribute, folded), holder };
}

/** The names by which an account is known, folded. */
function foldNames(attributes: JsonObject): { userName: string; address: string | undefined } {
  const address = findCreationAddress(attributes);
  return {
    userName: foldCase(String(attributes.userName)),
    address: address === undefined ? undefined : foldCase(address),
  };
}

interface Keys {
  readonly userName: string | undefined;
  readonly address: string | undefined;
}

/** True for an account that one of the names means by which people are recognised. */
function isMeant(row: UserRow, { userName, address }: Keys): boolean {
  const names = [row.name_folded, ...listAccountNames(row)];
  return names.some((name) => name === userName || name === address);
}

/**
 * Stops a change that gives a user the name or address of another user, as a create would be stopped. Names that stay
 * the same are not checked.
 * @throws ScimError 409, 403 where it is another provider's
 */
export async function assertNamesFree(
  tx: Db,
  deps: Pick<ProviderDeps, 'provider'>,
  { id }: UserRow,
  { before, after }: { readonly before: JsonObject; readonly after: JsonObject },
): Promise<void> {
  const assertFree = (
    rows: readonly UserRow[],
    attribute: 'userName' | 'emails',
    folded: string,
  ) => {
    const holder = rows.find((row) => row.id !== id);
    if (holder !== undefined) throw toTaken(deps, holder, toTakenName(holder, attribute, folded));
  };
  const [held, asked] = [foldNames(before), foldNames(after)];
  if (asked.userName !== held.userName) {
    const holders = await listHolders(tx, [asked.userName], asked.userName);
    assertFree(holders, 'userName', asked.userName);
  }
  if (asked.address === undefined || asked.address === held.address) return;
  assertFree(await listHolders(tx, [asked.address]), 'emails', asked.address);
}

/** The asked attribute, or the address where this user has the name as an address alone; and whether anybody is shown with it. */
function toTakenName(row: UserRow, attribute: 'userName' | 'emails', folded: string): TakenName {
  const isUserName = row.name_folded === folded;
  const isAddress = listFoldedEmails(parseStored(row.attributes)).includes(folded);
  const holder = isUserName || isAddress ? 'resource' : 'account';
  return { type: 'User', attribute: isAddress && !isUserName ? 'emails' : attribute, holder };
}
