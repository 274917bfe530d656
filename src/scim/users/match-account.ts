import { listFoldedEmails } from '../../domain/address.ts';
import { foldCase } from '../../domain/fold.ts';
import type { Handling } from '../../domain/provider.ts';
import { parseStored } from '../../store/engine/columns.ts';
import { StoreError } from '../../store/engine/store-error.ts';
import { lockGroupsOf } from '../../store/links/of-users.ts';
import {
  listAccountNames,
  listByName,
  listTombstones,
  listUsersByAccount,
  listUsersByAnyName,
  listUsersByExternalId,
} from '../../store/resources/by-name.ts';
import { lockRow, type UserRow } from '../../store/resources/rows.ts';
import type { Db } from '../../store/store.ts';
import type { ProviderDeps } from '../deps.ts';
import { isSameState, type TakenName, toTaken } from '../writes/wall.ts';

/** Names by which a user is recognised. */
export interface UserNames {
  readonly userName: string;
  readonly address: string | undefined;
}

/** The provider that asks, and how its people are recognised. */
interface Recognition extends Pick<Handling, 'match' | 'returning'> {
  readonly provider: string;
}

/** Names of a new user. */
interface NewNames extends UserNames {
  readonly externalId: string | undefined;
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
  names: NewNames,
  recognition: Recognition,
): Promise<AccountMatch> {
  for (let attempt = 1; attempt <= MATCHES_MAX; attempt += 1) {
    const match = await matchOnce(tx, names, recognition);
    if (!('row' in match)) return match;
    const { row, kind } = match;
    // The account of a deleted user changes hands, and its memberships with it.
    if (kind === 'tombstone') await lockGroupsOf(tx, row.id, 'all');
    if (isSameState(row, await lockRow(tx, row))) return match;
  }
  throw new StoreError('store-contended', 'the account of a new user is being changed by others');
}

/** Attempts to match an account that others change meanwhile. */
const MATCHES_MAX = 3;

async function matchOnce(
  tx: Db,
  names: NewNames,
  { match, returning, provider }: Recognition,
): Promise<AccountMatch> {
  const userNameFolded = foldCase(names.userName);
  const emailFolded = names.address === undefined ? undefined : foldCase(names.address);
  const folded = emailFolded === undefined ? [userNameFolded] : [userNameFolded, emailFolded];
  const found = await listUsersByAnyName(tx, userNameFolded, folded);
  const holder = found.find((row) => row.origin !== null && row.name_folded === userNameFolded);
  if (holder !== undefined) {
    return { kind: 'taken', taken: toTakenName(holder, 'userName', userNameFolded), holder };
  }
  const keys = {
    userNameFolded: match.includes('userName') ? userNameFolded : undefined,
    emailFolded: match.includes('address') ? emailFolded : undefined,
  };
  const known = await findByExternalId(tx, names, { match, returning, provider });
  if (known !== undefined) {
    return { kind: 'taken', taken: { type: 'User', attribute: 'externalId' }, holder: known };
  }
  // Of two managed users none has the name or the address of the other one, however they are recognised.
  const live = found.filter((row) => row.origin !== null || isMeant(row, keys));
  const [row] = live;
  if (live.length > 1) return { kind: 'disputed', holders: live };
  if (row?.origin === null) return { kind: 'observed', row };
  if (row) {
    const attribute = findTaken(row, userNameFolded);
    const name = attribute === 'userName' ? userNameFolded : (emailFolded ?? '');
    return { kind: 'taken', taken: toTakenName(row, attribute, name), holder: row };
  }
  const externalId = match.includes('externalId') ? names.externalId : undefined;
  return matchTombstone(await listTombstones(tx, { ...keys, externalId, provider }));
}

/** Finds a managed user whom the provider knows by this id; where ids recognise nobody, an inactive one who may return. */
async function findByExternalId(
  tx: Db,
  { externalId }: NewNames,
  { match, returning, provider }: Recognition,
): Promise<UserRow | undefined> {
  if (externalId === undefined) return undefined;
  const isKey = match.includes('externalId');
  if (!isKey && returning === 'conflict') return undefined;
  const users = await listUsersByExternalId(tx, provider, externalId);
  return users.find(({ active }) => isKey || active === 0);
}

interface Keys {
  readonly userNameFolded: string | undefined;
  readonly emailFolded: string | undefined;
}

/** True for an account that one of the names means by which people are recognised. */
function isMeant(row: UserRow, { userNameFolded, emailFolded }: Keys): boolean {
  const names = [row.name_folded, ...listAccountNames(row)];
  return names.some((name) => name !== null && (name === userNameFolded || name === emailFolded));
}

/** Names of a user before and after a change. */
interface NamesChange {
  readonly row: Pick<UserRow, 'id'>;
  readonly before: UserNames;
  readonly after: UserNames;
}

/**
 * Stops a change that gives a user the name or address of another user, as a create would be stopped. Names that stay
 * the same are not checked.
 * @throws ScimError 409, 403 where it is another provider's
 */
export async function assertNamesFree(
  tx: Db,
  deps: Pick<ProviderDeps, 'provider'>,
  { row: { id }, before, after }: NamesChange,
): Promise<void> {
  const assertFree = (
    rows: readonly UserRow[],
    attribute: 'userName' | 'emails',
    folded: string,
  ) => {
    const holder = rows.find((row) => row.id !== id);
    if (holder !== undefined) throw toTaken(deps, holder, toTakenName(holder, attribute, folded));
  };
  const userNameFolded = foldCase(after.userName);
  if (userNameFolded !== foldCase(before.userName)) {
    const named = await listByName(tx, 'user', userNameFolded);
    const holders = await listUsersByAccount(tx, [userNameFolded]);
    assertFree([...named, ...holders], 'userName', userNameFolded);
  }
  if (after.address === undefined) return;
  const emailFolded = foldCase(after.address);
  if (emailFolded === foldCase(before.address ?? '')) return;
  assertFree(await listUsersByAccount(tx, [emailFolded]), 'emails', emailFolded);
}

/** The asked attribute, or the address where this user has the name as an address alone; and whether anybody is shown with it. */
function toTakenName(row: UserRow, attribute: 'userName' | 'emails', folded: string): TakenName {
  const isUserName = row.name_folded === folded;
  const isAddress = listFoldedEmails(parseStored(row.attributes)).includes(folded);
  const holder = isUserName || isAddress ? 'resource' : 'account';
  return { type: 'User', attribute: isAddress && !isUserName ? 'emails' : attribute, holder };
}

/** Attribute that names the account of this row. */
function findTaken(row: UserRow, userNameFolded: string): 'userName' | 'emails' {
  return listAccountNames(row).includes(userNameFolded) ? 'userName' : 'emails';
}

/** Several tombstones of one account are the history of one user; tombstones of several accounts are a dispute. */
function matchTombstone(rows: readonly UserRow[]): AccountMatch {
  const [row] = rows;
  if (row === undefined) return { kind: 'none' };
  const accounts = new Set(rows.map(({ upstream_id }) => upstream_id));
  // Nobody manages what was deleted.
  return accounts.size > 1 ? { kind: 'disputed', holders: [] } : { kind: 'tombstone', row };
}
