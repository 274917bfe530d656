import type { Author, Directory } from './directory.ts';
import { addGroup, type NewGroup, removeGroup, updateGroup } from './directory-groups.ts';
import { findRoles, getSpace, setRoles } from './directory-spaces.ts';
import {
  addUser,
  type NewUser,
  removeVirtualUser,
  type UserUpdate,
  updateUser,
} from './directory-users.ts';
import type { AuditEvent, LinkKind, SandboxGroup, SandboxSpace, SandboxUser } from './model.ts';
import { Refusal } from './refusal.ts';
import { type Seed, seedDirectory } from './seed.ts';

/** A user by id or address. */
export type UserRef = number | string;
/** A group by id or name; of several with one name, the oldest. */
export type GroupRef = number | string;

/** The role of the service's spaces by which a group reads. */
const READER = '06ccb31f-426b-4fa3-b7e5-861daee95696';
const defaultAddress = '192.0.2.20';

/**
 * The imitated company without HTTP: the acts of an administrator in the service's own pages, unseen by API clients.
 * Each change is in the audit log. The author is the owner, who is also the account behind the token, until `as`
 * names another. Unknown users and groups throw a Refusal.
 */
export class SandboxService {
  readonly #directory: Directory;
  readonly #author: Author;

  constructor(directory: Directory, author?: Author) {
    this.#directory = directory;
    this.#author = author ?? { userId: directory.ownerId, address: defaultAddress };
  }

  /** The same company, changed by another author. @param address the author's address in the audit log. */
  as(user: UserRef, address = defaultAddress): SandboxService {
    return new SandboxService(this.#directory, { userId: this.getUser(user).id, address });
  }

  /** The account behind the token. */
  get owner(): SandboxUser {
    return this.getUser(this.#directory.ownerId);
  }

  users(): SandboxUser[] {
    return this.#directory.state.users.all();
  }

  groups(): SandboxGroup[] {
    return this.#directory.state.groups.all();
  }

  findUser(ref: UserRef): SandboxUser | undefined {
    const { state } = this.#directory;
    return typeof ref === 'number' ? state.users.find(ref) : state.findUserByEmail(ref);
  }

  findGroup(ref: GroupRef): SandboxGroup | undefined {
    const { state } = this.#directory;
    return typeof ref === 'number' ? state.groups.find(ref) : state.findGroupByName(ref);
  }

  getUser(ref: UserRef): SandboxUser {
    const user = this.findUser(ref);
    if (user === undefined) throw new Refusal('not-found', `no user ${ref}`);
    return user;
  }

  getGroup(ref: GroupRef): SandboxGroup {
    const group = this.findGroup(ref);
    if (group === undefined) throw new Refusal('not-found', `no group ${ref}`);
    return group;
  }

  /** The addresses of a group's members, in alphabetical order. */
  members(group: GroupRef): string[] {
    return this.#emails(this.#directory.state.members.usersOf(this.getGroup(group).id));
  }

  /** The addresses of a group's admins, in alphabetical order. */
  admins(group: GroupRef): string[] {
    return this.#emails(this.#directory.state.admins.usersOf(this.getGroup(group).id));
  }

  /** The audit log, oldest first. */
  auditEvents(): readonly AuditEvent[] {
    return this.#directory.state.events;
  }

  addUser(wanted: NewUser): SandboxUser {
    return addUser(this.#directory, this.#author, wanted);
  }

  updateUser(user: UserRef, update: UserUpdate): SandboxUser {
    return updateUser(this.#directory, this.#author, this.getUser(user).id, update);
  }

  renameUser(user: UserRef, fullName: string): SandboxUser {
    return this.updateUser(user, { fullName });
  }

  setActive(user: UserRef, active: boolean): SandboxUser {
    return this.updateUser(user, { active });
  }

  /** 1 makes an owner, 2 an ordinary user; `setActive` makes the 3, the deactivated. */
  setRole(user: UserRef, role: SandboxUser['role']): SandboxUser {
    return this.updateUser(user, { role });
  }

  /** Removes a virtual user. */
  removeUser(user: UserRef): void {
    removeVirtualUser(this.#directory, this.#author, this.getUser(user).id);
  }

  createGroup(wanted: NewGroup): SandboxGroup {
    return addGroup(this.#directory, this.#author, { ...wanted, face: 'rest' });
  }

  updateGroup(group: GroupRef, update: Partial<NewGroup>): SandboxGroup {
    const { id } = this.getGroup(group);
    return updateGroup(this.#directory, this.#author, id, { ...update, face: 'rest' });
  }

  renameGroup(group: GroupRef, name: string): SandboxGroup {
    return this.updateGroup(group, { name });
  }

  setPermissions(group: GroupRef, permissions: number): SandboxGroup {
    return this.updateGroup(group, { permissions });
  }

  deleteGroup(group: GroupRef): void {
    removeGroup(this.#directory, this.#author, this.getGroup(group).id);
  }

  addMember(group: GroupRef, user: UserRef): void {
    this.#link(group, user, { link: 'member', present: true });
  }

  removeMember(group: GroupRef, user: UserRef): void {
    this.#link(group, user, { link: 'member', present: false });
  }

  addAdmin(group: GroupRef, user: UserRef): void {
    this.#link(group, user, { link: 'admin', present: true });
  }

  removeAdmin(group: GroupRef, user: UserRef): void {
    this.#link(group, user, { link: 'admin', present: false });
  }

  /** The roles of a group in a space; undefined: it has none. */
  rolesOf(space: string, group: GroupRef): readonly string[] | undefined {
    return findRoles(getSpace(this.#directory, space), this.getGroup(group));
  }

  /** Sets the roles of a group in a space, by its uid; none: the space is taken from the group. */
  setRoles(space: string, group: GroupRef, roleIds: readonly string[]): void {
    const wanted = {
      space: getSpace(this.#directory, space),
      group: this.getGroup(group),
      roleIds,
    };
    setRoles(this.#directory, this.#author, wanted);
  }

  /** Creates a space that these users entered directly, and in which these groups may read. */
  addSpace(
    title: string,
    people: { readonly users?: readonly UserRef[]; readonly groups?: readonly GroupRef[] } = {},
  ): SandboxSpace {
    const { state, newUid } = this.#directory;
    const space = {
      ...{ id: state.spaces.size + 1, uid: newUid(), title },
      userIds: (people.users ?? []).map((user) => this.getUser(user).id),
      groups: (people.groups ?? []).map((group) => ({
        groupId: this.getGroup(group).id,
        roleIds: [READER],
      })),
    };
    state.commit([{ kind: 'space', space }]);
    return space;
  }

  /** Invents users and groups, without audit events. */
  seed(seed: Seed): void {
    seedDirectory(this.#directory, seed);
  }

  #link(group: GroupRef, user: UserRef, wanted: { link: LinkKind; present: boolean }): void {
    const links = [{ ...wanted, userId: this.getUser(user).id }];
    const { id } = this.getGroup(group);
    updateGroup(this.#directory, this.#author, id, { links, face: 'rest' });
  }

  #emails(userIds: ReadonlySet<number>): string[] {
    return [...userIds].map((userId) => this.getUser(userId).email).sort();
  }
}
