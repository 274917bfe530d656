import { type AuditEntry, linkEntry, userEntries, userRemovedEntry } from './audit.ts';
import { type Author, commitAs, type Directory, timestamp } from './directory.ts';
import type { Change, SandboxUser } from './model.ts';
import { Refusal, type RefusalCode } from './refusal.ts';
import type { SandboxShape } from './shape.ts';

/** Fields of a new account; all but the address have a default. */
export interface NewUser {
  readonly email: string;
  /** Default: the part of the address before the @, made unique. */
  readonly userName?: string | undefined;
  /** Default: the part of the address before the @. */
  readonly fullName?: string | undefined;
  readonly active?: boolean | undefined;
  readonly role?: SandboxUser['role'] | undefined;
  readonly permissions?: number | undefined;
  readonly virtual?: boolean | undefined;
}

/** Fields of an account that can change. */
export type UserUpdate = Partial<
  Omit<SandboxUser, 'id' | 'uid' | 'virtual' | 'created' | 'updated'>
>;

/** @throws Refusal 404 when no account has this id. */
export function getUser({ state }: Directory, userId: number): SandboxUser {
  const user = state.users.find(userId);
  if (user === undefined) throw new Refusal('not-found', `no user ${userId}`);
  return user;
}

/**
 * Adds an account. Addresses are trimmed and lower-cased, names trimmed: the service normalises.
 * @throws Refusal 400 for an unusable value, 409 when address or user name is taken, and where no licence is left.
 */
export function addUser(directory: Directory, author: Author, wanted: NewUser): SandboxUser {
  const { state } = directory;
  const email = toEmail(wanted.email);
  const known = state.findUserByEmail(email);
  if (known && !known.active && directory.shape().addDeactivatedUser === 'reactivates') {
    return updateUser(directory, author, known.id, { active: true });
  }
  if (known) throw new Refusal('conflict', 'Duplication error: a user with this email has access');
  const localPart = email.slice(0, email.indexOf('@'));
  const userName = wanted.userName ?? freeUserName(directory, localPart);
  assertUserNameFree(directory, userName, undefined);
  const now = timestamp(directory);
  const user: SandboxUser = {
    id: state.nextUserId,
    uid: directory.newUid(),
    email,
    userName: toUserName(userName),
    fullName: toFullName(wanted.fullName ?? localPart),
    role: wanted.role ?? 2,
    active: wanted.active ?? true,
    temporarilyInactive: false,
    appsPermissions: 1,
    permissions: wanted.permissions ?? 0,
    virtual: wanted.virtual ?? false,
    created: now,
    updated: now,
  };
  assertSeatFree(directory, user);
  commitAs(directory, author, {
    changes: [{ kind: 'user', user }],
    entries: userEntries(undefined, user),
  });
  return user;
}

/**
 * Changes an account; an equal value is no change and leaves no trace in the audit log.
 * @throws Refusal 404 when no account has this id, 400 for an unusable value, 409 when address or user name is taken, and
 * where no licence is left.
 */
export function updateUser(
  directory: Directory,
  author: Author,
  userId: number,
  update: UserUpdate,
): SandboxUser {
  const before = getUser(directory, userId);
  const after: SandboxUser = { ...before, ...normalise(update), updated: timestamp(directory) };
  if (isSame({ ...after, updated: before.updated }, before)) return before;
  const sameAddress = directory.state.findUserByEmail(after.email);
  if (sameAddress && sameAddress.id !== userId) {
    throw new Refusal('conflict', 'Duplication error: this email is taken');
  }
  assertUserNameFree(directory, after.userName, userId);
  if (!takesLicence(before)) assertSeatFree(directory, after);
  const departures = before.active && !after.active ? leaveGroups(directory, after) : nothing;
  commitAs(directory, author, {
    changes: [{ kind: 'user', user: after }, ...departures.changes],
    entries: [...userEntries(before, after), ...departures.entries],
  });
  return after;
}

/** Removes a virtual user for good. @throws Refusal 404 when no account has this id, 400 for an ordinary account. */
export function removeVirtualUser(directory: Directory, author: Author, userId: number): void {
  const user = getUser(directory, userId);
  if (!user.virtual) throw new Refusal('bad-request', 'Should be virtual user');
  commitAs(directory, author, {
    changes: [{ kind: 'user-removed', userId }],
    entries: [userRemovedEntry(user)],
  });
}

/** True for an account that takes a licence. */
export function takesLicence({
  active,
  temporarilyInactive,
  appsPermissions,
}: SandboxUser): boolean {
  return active && !temporarilyInactive && appsPermissions !== 0;
}

const NO_SEAT: Readonly<Record<SandboxShape['noSeatStatus'], RefusalCode>> = {
  400: 'bad-request',
  402: 'not-in-tariff',
  403: 'forbidden',
  409: 'conflict',
};

function assertSeatFree({ state, shape }: Directory, user: SandboxUser): void {
  const { seats, noSeatStatus } = shape();
  if (seats === null || !takesLicence(user)) return;
  if (state.users.all().filter(takesLicence).length < seats) return;
  throw new Refusal(NO_SEAT[noSeatStatus], `No free licences: the company has ${seats}`);
}

interface Departures {
  readonly changes: readonly Change[];
  readonly entries: readonly AuditEntry[];
}

const nothing: Departures = { changes: [], entries: [] };

/** The changes that take a user out of every group, when the shape says that deactivated users leave. */
function leaveGroups(directory: Directory, user: SandboxUser): Departures {
  if (directory.shape().inactiveMembers !== 'dropped') return nothing;
  const { groups, members } = directory.state;
  const left = [...members.groupsOf(user.id)].flatMap((groupId) => groups.find(groupId) ?? []);
  return {
    changes: left.map((group) => ({
      kind: 'link',
      link: 'member',
      groupId: group.id,
      userId: user.id,
      present: false,
    })),
    entries: left.map((group) => linkEntry('member', { group, user, present: false })),
  };
}

function normalise(update: UserUpdate): UserUpdate {
  return {
    ...update,
    ...(update.email === undefined ? {} : { email: toEmail(update.email) }),
    ...(update.userName === undefined ? {} : { userName: toUserName(update.userName) }),
    ...(update.fullName === undefined ? {} : { fullName: toFullName(update.fullName) }),
  };
}

function isSame(left: SandboxUser, right: SandboxUser): boolean {
  return JSON.stringify(left) === JSON.stringify(right);
}

function assertUserNameFree(directory: Directory, userName: string, userId: number | undefined) {
  const holder = directory.state.findUserByUserName(toUserName(userName));
  if (holder && holder.id !== userId) {
    throw new Refusal('conflict', 'Duplication error: this user name is taken');
  }
}

function freeUserName({ state }: Directory, wanted: string): string {
  if (!state.findUserByUserName(wanted)) return wanted;
  for (let suffix = 2; suffix < 10_000; suffix += 1) {
    if (!state.findUserByUserName(`${wanted}_${suffix}`)) return `${wanted}_${suffix}`;
  }
  throw new Refusal('conflict', 'Duplication error: no user name is free');
}

function toEmail(text: string): string {
  const email = text.trim().toLowerCase();
  if (!/^[^\s@]+@[^\s@]+$/.test(email)) throw new Refusal('bad-request', 'Should be an email');
  return email;
}

/** Addresses are lower-cased also where they serve as a user name. */
function toUserName(text: string): string {
  const userName = text.trim();
  if (userName.length < 1 || userName.length > 128) {
    throw new Refusal('bad-request', "User should match '.username' 1..128");
  }
  return userName.includes('@') ? userName.toLowerCase() : userName;
}

function toFullName(text: string): string {
  const fullName = text.trim();
  if (fullName.length < 1 || fullName.length > 128) {
    throw new Refusal('bad-request', "User should match '.full_name' 1..128");
  }
  return fullName;
}
