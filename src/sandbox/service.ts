import { randomUUID } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { listChanged, toAuditEntries } from './audit.ts';
import type {
  AuditEvent,
  Change,
  LinkKind,
  SandboxGroup,
  SandboxSpace,
  SandboxUser,
} from './model.ts';
import { newGroup, newUser, normalise, takesLicence, toEmail } from './model.ts';
import { Refusal } from './refusal.ts';
import type { Seed } from './seed.ts';
import { seedCompany } from './seed.ts';
import type { SandboxShape } from './shape.ts';
import type { State } from './state.ts';

/** A user by id or address. */
type UserRef = number | string;
/** A group by id or name; of several with one name, the oldest. */
type GroupRef = number | string;

/** Author of a change, and the address, as the audit log shows them. */
interface Author {
  readonly userId: number;
  readonly address: string;
}

/** The owner is always the first account, and ordinary accounts are never removed. */
const OWNER: Author = { userId: 1, address: '192.0.2.20' };

/** Some fields of a row; undefined: as it is, or the default. */
type Some<Row> = { readonly [Name in keyof Row]?: Row[Name] | undefined };

/** Fields of an account that change. */
export type UserUpdate = Some<Omit<SandboxUser, 'id' | 'uid'>>;

/** One requested membership or admin; `present: false` removes it. */
type WantedLink = Pick<Extract<Change, { kind: 'link' }>, 'link' | 'userId' | 'present'>;

/** Changed fields of a group, and its changed members and admins, as one step. */
export type GroupUpdate = Some<Omit<SandboxGroup, 'id' | 'uid'>> & {
  readonly links?: readonly WantedLink[] | undefined;
};

/** The data of a company, and the inputs of its rules. */
interface Inputs {
  readonly state: State;
  shape: SandboxShape;
  /** Milliseconds since 1970. */
  nowMs(): number;
}

/**
 * The imitated company and its rules, as one author acts in it. Without a call behind it, it is an administrator in the
 * service's own pages, unseen by API clients. Each change is in the audit log; an equal value is no change and leaves no
 * trace there. The author is the owner, who is also the account behind the token, until `as` names another.
 * What is unknown, unusable or taken throws a Refusal, and nothing of the change is done.
 */
export class SandboxService {
  readonly state: State;
  readonly inputs: Inputs;
  readonly #author: Author;

  /** A company without accounts gets its owner. */
  constructor(inputs: Inputs, author = OWNER) {
    this.state = inputs.state;
    this.inputs = inputs;
    this.#author = author;
    if (this.state.users.nextId > 1) return;
    const owner = { fullName: 'Olivia Owner', role: 1, permissions: 1_048_567 } as const; // Every documented right.
    const user = { ...newUser(OWNER.userId, 'owner@example.com', this.now), ...owner };
    this.state.commit([{ kind: 'user', user }]);
  }

  get shape(): SandboxShape {
    return this.inputs.shape;
  }

  /** The present moment as the service writes it: ISO 8601, milliseconds, UTC. */
  get now(): string {
    return new Date(this.inputs.nowMs()).toISOString();
  }

  /** The same company, changed by another author. @param address the author's address in the audit log. */
  as(user: UserRef, address = OWNER.address): SandboxService {
    return new SandboxService(this.inputs, { userId: this.getUser(user).id, address });
  }

  /** The account behind the token. */
  get owner(): SandboxUser {
    return this.getUser(OWNER.userId);
  }

  users(): readonly SandboxUser[] {
    return this.state.users.all();
  }

  groups(): readonly SandboxGroup[] {
    return this.state.groups.all();
  }

  findUser(ref: UserRef): SandboxUser | undefined {
    return typeof ref === 'number' ? this.state.users.find(ref) : this.state.findUser('email', ref);
  }

  findGroup(ref: GroupRef): SandboxGroup | undefined {
    return this.groups().find(({ id, name }) => ref === id || ref === name);
  }

  getUser(ref: UserRef): SandboxUser {
    return this.findUser(ref) ?? refuse(404, `no user ${ref}`);
  }

  getGroup(ref: GroupRef): SandboxGroup {
    return this.findGroup(ref) ?? refuse(404, `no group ${ref}`);
  }

  /** The addresses of a group's members, in alphabetical order. */
  members(group: GroupRef, link: LinkKind = 'member'): string[] {
    const userIds = this.state.usersOf(link, this.getGroup(group).id);
    return [...userIds].map((userId) => this.getUser(userId).email).sort();
  }

  /** The addresses of a group's admins, in alphabetical order. */
  admins(group: GroupRef): string[] {
    return this.members(group, 'admin');
  }

  /** The audit log, oldest first. */
  auditEvents(): readonly AuditEvent[] {
    return this.state.events;
  }

  /**
   * Adds an account. Its names are the part of the address before the @ by default, made unique as userName. Addresses
   * are trimmed and lower-cased, names trimmed: the service normalises.
   */
  addUser(wanted: UserUpdate & Pick<SandboxUser, 'email'>): SandboxUser {
    const base = newUser(this.state.users.nextId, toEmail(wanted.email), this.now);
    const userName = wanted.userName ?? this.#freeUserName(base.userName);
    const user = normalise(withSome(base, { ...wanted, userName }));
    this.#putUser(undefined, user);
    return user;
  }

  updateUser(ref: UserRef, update: UserUpdate): SandboxUser {
    const before = this.getUser(ref);
    const after = normalise(withSome<SandboxUser>(before, update));
    if (isDeepStrictEqual(after, before)) return before;
    const stamped = { ...after, updated: this.now };
    this.#putUser(before, stamped);
    return stamped;
  }

  /** Removes a virtual user for good; ordinary accounts stay. */
  removeUser(ref: UserRef): void {
    const user = this.getUser(ref);
    if (!user.virtual) refuse(400, 'Should be virtual user');
    this.#commit([{ kind: 'user-removed', userId: user.id }]);
  }

  createGroup(wanted: GroupUpdate & Pick<SandboxGroup, 'name'>): SandboxGroup {
    const name = wanted.name.trim();
    const group = withSome(newGroup(this.state.groups.nextId, name, this.now), { ...wanted, name });
    this.#assertNameFree(name);
    this.#commit([{ kind: 'group', group }]);
    if (this.shape.creatorBecomesAdmin) this.link(group.id, this.#author.userId, 'admin');
    return group;
  }

  updateGroup(ref: GroupRef, update: GroupUpdate): SandboxGroup {
    const before = this.getGroup(ref);
    const { id: groupId } = before;
    const { links = [], name, ...fields } = update;
    const group = withSome(before, { ...fields, name: name?.trim(), updated: this.now });
    if (group.name !== before.name) this.#assertNameFree(group.name);
    const news = links.filter((wanted) => this.#isNews(groupId, wanted));
    if (news.length === 0 && listChanged(before, group).length === 0) return before;
    const linked = news.map((wanted): Change => ({ kind: 'link', groupId, ...wanted }));
    this.#commit([{ kind: 'group', group }, ...linked]);
    return group;
  }

  /** Removes a group with all its links. */
  deleteGroup(ref: GroupRef): SandboxGroup {
    const group = this.getGroup(ref);
    this.#commit([{ kind: 'group-removed', groupId: group.id }]);
    return group;
  }

  /** Puts a user into a group, or among its admins. */
  link(group: GroupRef, user: UserRef, link: LinkKind = 'member', present = true): void {
    this.updateGroup(group, { links: [{ link, userId: this.getUser(user).id, present }] });
  }

  unlink(group: GroupRef, user: UserRef, link: LinkKind = 'member'): void {
    this.link(group, user, link, false);
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
    this.#commit([{ kind: 'space', space: { ...space, groups: [...others, ...own] } }]);
  }

  /** Creates a space, in which no group has a role yet. */
  addSpace(title: string): SandboxSpace {
    const space = { id: this.state.spaces.nextId, uid: randomUUID(), title, groups: [] };
    this.#commit([{ kind: 'space', space }]);
    return space;
  }

  /** Invents users and groups, without audit events. */
  seed(seed: Seed): void {
    seedCompany(this.state, this.now, seed);
  }

  /** Removes all accounts but the owner, all groups and the audit log; ids go on counting. */
  clear(): void {
    const user = { ...this.owner, role: 1, active: true } as const;
    this.state.commit([{ kind: 'user', user }, { kind: 'cleared' }]);
  }

  /** Stores an account, and takes it out of its groups where the shape says that deactivated users leave. */
  #putUser(before: SandboxUser | undefined, after: SandboxUser): void {
    this.#assertFree('email', after, after.email);
    this.#assertFree('userName', after, after.userName);
    if (!before || !takesLicence(before)) this.#assertSeatFree(after);
    const isDropped = before?.active && !after.active && this.shape.inactiveMembers === 'dropped';
    const left = isDropped ? this.state.groupsOf('member', after.id) : [];
    const gone = { link: 'member', userId: after.id, present: false } as const;
    this.#commit([
      { kind: 'user', user: after },
      ...left.map(({ id }): Change => ({ kind: 'link', groupId: id, ...gone })),
    ]);
  }

  /** Stores changes and their audit entries in one commit. */
  #commit(changes: readonly Change[]): void {
    const { id, uid, userName } = this.getUser(this.#author.userId);
    const author = { authorId: id, authorUid: uid, authorUserName: userName };
    const made = { authorAddress: this.#author.address, created: this.now };
    const entries = changes.flatMap((change) => toAuditEntries(this.state, change));
    const events = entries.map((entry): Change => {
      return { kind: 'event', event: { ...entry, ...author, ...made, id: randomUUID() } };
    });
    this.state.commit([...changes, ...events]);
  }

  #getSpace(uid: string): SandboxSpace {
    return (
      this.state.spaces.all().find((space) => space.uid === uid) ?? refuse(404, `no entity ${uid}`)
    );
  }

  #isNews(groupId: number, { link, userId, present }: WantedLink): boolean {
    const user = this.findUser(userId) ?? refuse(400, `no user ${userId}`);
    const mayJoin = user.active || this.shape.inactiveMembers === 'allowed';
    if (present && link === 'member' && !mayJoin) refuse(400, `user ${userId} is deactivated`);
    return this.state.usersOf(link, groupId).has(userId) !== present;
  }

  #assertNameFree(name: string): void {
    const isUnique = this.shape.uniqueGroupNames === 'everywhere';
    if (isUnique && this.findGroup(name)) refuse(409, 'Duplication error: this name is taken');
  }

  #assertSeatFree(user: SandboxUser): void {
    const { seats, noSeatStatus } = this.shape;
    if (seats === null || !takesLicence(user)) return;
    if (this.users().filter(takesLicence).length < seats) return;
    refuse(noSeatStatus, `No free licences: the company has ${seats}`);
  }

  #assertFree(by: 'email' | 'userName', { id }: SandboxUser, text: string): void {
    const holder = this.state.findUser(by, text);
    if (holder && holder.id !== id) refuse(409, `Duplication error: this ${by} is taken`);
  }

  #freeUserName(wanted: string): string {
    for (let number = 1, name = wanted; ; number += 1, name = `${wanted}_${number}`) {
      if (!this.state.findUser('userName', name)) return name;
    }
  }
}

function refuse(status: number, message: string): never {
  throw new Refusal(status, message);
}

/** The row with the fields of an update that are not undefined. */
function withSome<Row extends object>(row: Row, update: Some<Row>): Row {
  const given = Object.entries(update).filter(([, value]) => value !== undefined);
  return { ...row, ...Object.fromEntries(given) };
}
