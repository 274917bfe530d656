import { randomUUID } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import {
  type AuditEntry,
  groupEntries,
  groupEntry,
  linkEntry,
  rolesEntry,
  userEntries,
  userRemovedEntry,
} from './audit.ts';
import {
  type Directory,
  newGroup,
  newUser,
  type Seed,
  seedDirectory,
  timestamp,
} from './directory.ts';
import type {
  AuditEvent,
  Change,
  LinkKind,
  SandboxGroup,
  SandboxSpace,
  SandboxUser,
} from './model.ts';
import { Refusal } from './refusal.ts';

/** A user by id or address. */
export type UserRef = number | string;
/** A group by id or name; of several with one name, the oldest. */
export type GroupRef = number | string;

/** Author of a change, and the address, as the audit log shows them. */
interface Author {
  readonly userId: number;
  readonly address: string;
}

/** Some fields of a row; undefined: as it is, or the default. */
type Some<Row> = { readonly [Name in keyof Row]?: Row[Name] | undefined };

/** Fields of an account that can change. */
export type UserUpdate = Some<Omit<SandboxUser, 'id' | 'uid' | 'virtual' | 'created' | 'updated'>>;

/** Fields of a new account. The names are the part of the address before the @ by default, made unique as userName. */
type NewUser = Pick<SandboxUser, 'email'> &
  Some<Pick<SandboxUser, 'userName' | 'fullName' | 'active' | 'role' | 'virtual'>>;

/** Fields of a new group. */
type NewGroup = Pick<SandboxGroup, 'name'> &
  Some<Pick<SandboxGroup, 'permissions' | 'addToCardsAndSpacesEnabled'>>;

/** One requested membership or admin; `present: false` removes it. */
export interface WantedLink {
  readonly link: LinkKind;
  readonly userId: number;
  readonly present: boolean;
}

/** Changed fields of a group, and its changed members and admins, as one step. */
export type GroupUpdate = Some<NewGroup> & { readonly links?: readonly WantedLink[] | undefined };

/** Interface of a request: names may have to be unique in one of them only. */
export type Face = 'scim' | 'rest';

const DEFAULT_ADDRESS = '192.0.2.20';

/**
 * The imitated company and its rules, as one author acts in it. Without a call behind it, it is an administrator in the
 * service's own pages, unseen by API clients. Each change is in the audit log; an equal value is no change and leaves no
 * trace there. The author is the owner, who is also the account behind the token, until `as` names another.
 * What is unknown, unusable or taken throws a Refusal, and nothing of the change is done.
 */
export class SandboxService {
  readonly directory: Directory;
  readonly #author: Author;

  constructor(directory: Directory, author?: Author) {
    this.directory = directory;
    this.#author = author ?? { userId: directory.ownerId, address: DEFAULT_ADDRESS };
  }

  /** The same company, changed by another author. @param address the author's address in the audit log. */
  as(user: UserRef, address = DEFAULT_ADDRESS): SandboxService {
    return new SandboxService(this.directory, { userId: this.getUser(user).id, address });
  }

  /** The account behind the token. */
  get owner(): SandboxUser {
    return this.getUser(this.directory.ownerId);
  }

  users(): readonly SandboxUser[] {
    return this.directory.state.users.all();
  }

  groups(): readonly SandboxGroup[] {
    return this.directory.state.groups.all();
  }

  findUser(ref: UserRef): SandboxUser | undefined {
    const { users } = this.directory.state;
    return typeof ref === 'number' ? users.find(ref) : users.findBy('email', ref.toLowerCase());
  }

  findGroup(ref: GroupRef): SandboxGroup | undefined {
    const { groups } = this.directory.state;
    return typeof ref === 'number' ? groups.find(ref) : groups.findBy('name', ref);
  }

  getUser(ref: UserRef): SandboxUser {
    return this.findUser(ref) ?? refuse(404, `no user ${ref}`);
  }

  getGroup(ref: GroupRef): SandboxGroup {
    return this.findGroup(ref) ?? refuse(404, `no group ${ref}`);
  }

  /** The addresses of a group's members, in alphabetical order. */
  members(group: GroupRef): string[] {
    return this.#emails(group, 'member');
  }

  /** The addresses of a group's admins, in alphabetical order. */
  admins(group: GroupRef): string[] {
    return this.#emails(group, 'admin');
  }

  /** The audit log, oldest first. */
  auditEvents(): readonly AuditEvent[] {
    return this.directory.state.events;
  }

  /** Adds an account. Addresses are trimmed and lower-cased, names trimmed: the service normalises. */
  addUser(wanted: NewUser): SandboxUser {
    const email = toEmail(wanted.email);
    const known = this.findUser(email);
    if (known && !known.active && this.directory.shape().addDeactivatedUser === 'reactivates') {
      return this.updateUser(known.id, { active: true });
    }
    const base = newUser(this.directory, email);
    const userName = wanted.userName ?? this.#freeUserName(base.userName);
    const user = normalise(withSome(base, { ...wanted, userName }));
    this.#putUser(undefined, user);
    return user;
  }

  updateUser(ref: UserRef, update: UserUpdate): SandboxUser {
    const before = this.getUser(ref);
    const after = normalise(withSome<SandboxUser>(before, update));
    if (isDeepStrictEqual(after, before)) return before;
    const stamped = { ...after, updated: timestamp(this.directory) };
    this.#putUser(before, stamped);
    return stamped;
  }

  /** Removes a virtual user for good; ordinary accounts stay. */
  removeUser(ref: UserRef): void {
    const user = this.getUser(ref);
    if (!user.virtual) refuse(400, 'Should be virtual user');
    this.#commit([{ kind: 'user-removed', userId: user.id }], [userRemovedEntry(user)]);
  }

  createGroup(wanted: NewGroup, face: Face = 'rest'): SandboxGroup {
    const name = wanted.name.trim();
    const group = withSome(newGroup(this.directory, name), { ...wanted, name });
    this.#assertNameFree(name, face);
    const { userId } = this.#author;
    const admin: WantedLink = { link: 'admin', userId, present: true };
    const links = this.directory.shape().creatorBecomesAdmin ? [toLinkChange(group.id, admin)] : [];
    this.#commit([{ kind: 'group', group }, ...links], [groupEntry('create', group)]);
    return group;
  }

  updateGroup(ref: GroupRef, update: GroupUpdate, face: Face = 'rest'): SandboxGroup {
    const before = this.getGroup(ref);
    const { links = [], name, ...fields } = update;
    const updated = timestamp(this.directory);
    const group = withSome(before, { ...fields, name: name?.trim(), updated });
    if (group.name !== before.name) this.#assertNameFree(group.name, face);
    const news = links.filter((wanted) => this.#isNews(before.id, wanted));
    const entries = groupEntries(before, group);
    if (entries.length === 0 && news.length === 0) return before;
    const linked = news.map(({ link, userId, present }) =>
      linkEntry(link, { group, user: this.getUser(userId), present }),
    );
    this.#commit(
      [{ kind: 'group', group }, ...news.map((wanted) => toLinkChange(before.id, wanted))],
      [...entries, ...linked],
    );
    return group;
  }

  /** Removes a group with all its links. */
  deleteGroup(ref: GroupRef): SandboxGroup {
    const group = this.getGroup(ref);
    this.#commit([{ kind: 'group-removed', groupId: group.id }], [groupEntry('delete', group)]);
    return group;
  }

  /** Puts a user into a group, or among its admins. */
  link(group: GroupRef, user: UserRef, link: LinkKind = 'member'): void {
    const wanted = { link, userId: this.getUser(user).id, present: true };
    this.updateGroup(group, { links: [wanted] });
  }

  unlink(group: GroupRef, user: UserRef, link: LinkKind = 'member'): void {
    const wanted = { link, userId: this.getUser(user).id, present: false };
    this.updateGroup(group, { links: [wanted] });
  }

  /** The roles of a group in a space, by its uid; undefined: it has none. */
  rolesOf(space: string, group: GroupRef): readonly string[] | undefined {
    const { id } = this.getGroup(group);
    return this.#getSpace(space).groups.find(({ groupId }) => groupId === id)?.roleIds;
  }

  /** Sets the roles of a group in a space, by its uid; none: the space is taken from the group. */
  setRoles(spaceUid: string, ref: GroupRef, roleIds: readonly string[]): void {
    const [space, group] = [this.#getSpace(spaceUid), this.getGroup(ref)];
    if (isDeepStrictEqual(this.rolesOf(spaceUid, ref) ?? [], roleIds)) return;
    const others = space.groups.filter(({ groupId }) => groupId !== group.id);
    const own = roleIds.length === 0 ? [] : [{ groupId: group.id, roleIds }];
    this.#commit(
      [{ kind: 'space', space: { ...space, groups: [...others, ...own] } }],
      [rolesEntry(group, space, roleIds.length > 0)],
    );
  }

  /** Creates a space, in which no group has a role yet. */
  addSpace(title: string): SandboxSpace {
    const id = this.directory.state.spaces.nextId;
    const space = { id, uid: randomUUID(), title, groups: [] };
    this.#commit([{ kind: 'space', space }], []);
    return space;
  }

  /** Invents users and groups, without audit events. */
  seed(seed: Seed): void {
    seedDirectory(this.directory, seed);
  }

  /** Removes all accounts but the owner, all groups and the audit log; ids go on counting. */
  clear(): void {
    const { owner } = this;
    const others = this.users().filter(({ id }) => id !== owner.id);
    this.directory.state.commit([
      { kind: 'user', user: { ...owner, role: 1, active: true } },
      ...this.groups().map(({ id }): Change => ({ kind: 'group-removed', groupId: id })),
      ...others.map(({ id }): Change => ({ kind: 'user-removed', userId: id })),
      { kind: 'events-cleared' },
    ]);
  }

  /** Stores an account, and takes it out of its groups where the shape says that deactivated users leave. */
  #putUser(before: SandboxUser | undefined, after: SandboxUser): void {
    const { users, groups, links } = this.directory.state;
    assertFree(users.findBy('email', after.email), after, 'this email is taken');
    const sameName = users.findBy('userName', after.userName.toLowerCase());
    assertFree(sameName, after, 'this user name is taken');
    if (!before || !takesLicence(before)) this.#assertSeatFree(after);
    const isLeaving = before?.active && !after.active;
    const isDropped = isLeaving && this.directory.shape().inactiveMembers === 'dropped';
    const ids = isDropped ? links.member.groupsOf(after.id) : [];
    const left = ids.flatMap((id) => groups.find(id) ?? []);
    const wanted: WantedLink = { link: 'member', userId: after.id, present: false };
    const entries = left.map((group) =>
      linkEntry('member', { group, user: after, present: false }),
    );
    this.#commit(
      [{ kind: 'user', user: after }, ...left.map(({ id }) => toLinkChange(id, wanted))],
      [...userEntries(before, after), ...entries],
    );
  }

  /** Stores changes and their audit entries in one commit. */
  #commit(changes: readonly Change[], entries: readonly AuditEntry[]): void {
    const user = this.findUser(this.#author.userId);
    const author = {
      authorId: user?.id ?? null,
      authorUid: user?.uid ?? null,
      authorUserName: user?.userName ?? null,
      authorAddress: this.#author.address,
    };
    const created = timestamp(this.directory);
    const events = entries.map((entry): Change => {
      return { kind: 'event', event: { ...entry, ...author, id: randomUUID(), created } };
    });
    this.directory.state.commit([...changes, ...events]);
  }

  #getSpace(uid: string): SandboxSpace {
    return this.directory.state.spaces.findBy('uid', uid) ?? refuse(404, `no entity ${uid}`);
  }

  #isNews(groupId: number, { link, userId, present }: WantedLink): boolean {
    const user = this.findUser(userId) ?? refuse(400, `no user ${userId}`);
    const mayJoin = user.active || this.directory.shape().inactiveMembers === 'allowed';
    if (present && link === 'member' && !mayJoin) refuse(400, `user ${userId} is deactivated`);
    return this.directory.state.links[link].has(groupId, userId) !== present;
  }

  #emails(group: GroupRef, link: LinkKind): string[] {
    const userIds = this.directory.state.links[link].usersOf(this.getGroup(group).id);
    return [...userIds].map((userId) => this.getUser(userId).email).sort();
  }

  #assertNameFree(name: string, face: Face): void {
    const { uniqueGroupNames } = this.directory.shape();
    if (uniqueGroupNames === 'nowhere' || (uniqueGroupNames === 'scim' && face === 'rest')) return;
    if (this.findGroup(name)) refuse(409, 'Duplication error: a group with this name exists');
  }

  #assertSeatFree(user: SandboxUser): void {
    const { seats, noSeatStatus } = this.directory.shape();
    if (seats === null || !takesLicence(user)) return;
    if (this.users().filter(takesLicence).length < seats) return;
    refuse(noSeatStatus, `No free licences: the company has ${seats}`);
  }

  #freeUserName(wanted: string): string {
    const { users } = this.directory.state;
    for (let number = 1; number < 10_000; number += 1) {
      const name = number === 1 ? wanted : `${wanted}_${number}`;
      if (!users.findBy('userName', name.toLowerCase())) return name;
    }
    return refuse(409, 'Duplication error: no user name is free');
  }
}

/** True for an account that takes a licence. */
export function takesLicence(user: SandboxUser): boolean {
  return user.active && !user.temporarilyInactive && user.appsPermissions !== 0;
}

function refuse(status: number, message: string): never {
  throw new Refusal(status, message);
}

function assertFree(holder: SandboxUser | undefined, { id }: SandboxUser, message: string): void {
  if (holder && holder.id !== id) refuse(409, `Duplication error: ${message}`);
}

function toLinkChange(groupId: number, wanted: WantedLink): Change {
  return { kind: 'link', groupId, ...wanted };
}

/** The row with the fields of an update that are not undefined. */
function withSome<Row extends object>(row: Row, update: Some<Row>): Row {
  const given = Object.entries(update).filter(([, value]) => value !== undefined);
  return { ...row, ...Object.fromEntries(given) };
}

/** An account with its texts as the service writes them. Addresses are lower-cased also where they serve as a user name. */
function normalise(user: SandboxUser): SandboxUser {
  const userName = toName(user.userName, 'username');
  return {
    ...user,
    email: toEmail(user.email),
    userName: userName.includes('@') ? userName.toLowerCase() : userName,
    fullName: toName(user.fullName, 'full_name'),
  };
}

function toEmail(text: string): string {
  const email = text.trim().toLowerCase();
  return /^[^\s@]+@[^\s@]+$/.test(email) ? email : refuse(400, 'Should be an email');
}

function toName(text: string, field: string): string {
  const name = text.trim();
  const isFitting = name.length >= 1 && name.length <= 128;
  return isFitting ? name : refuse(400, `User should match '.${field}' 1..128`);
}
