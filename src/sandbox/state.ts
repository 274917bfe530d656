import { GroupLinks } from './group-links.ts';
import type { AuditEvent, Change, SandboxGroup, SandboxSpace, SandboxUser } from './model.ts';
import { Table } from './table.ts';

/** Number of audit events that are kept; the oldest go first. */
export const auditEventsMax = 100_000;

/** Stores commits beyond this process. */
export interface Journal {
  /** Stores all of `changes` or none, durably, before it returns. */
  write(changes: readonly Change[]): void;
}

/** State of an earlier process. */
export interface Remembered {
  readonly changes: Iterable<Change>;
  /** The largest ids ever given, also to removed rows. */
  readonly lastUserId: number;
  readonly lastGroupId: number;
}

/**
 * All data of the sandbox, in memory, with an index for each look-up. It decides nothing: the directory has the
 * rules. All changes go through `commit`, which is atomic because nothing in it waits.
 */
export class State {
  readonly users = new Table<SandboxUser>();
  readonly groups = new Table<SandboxGroup>();
  readonly spaces = new Table<SandboxSpace>();
  readonly members = new GroupLinks();
  readonly admins = new GroupLinks();
  /** Oldest first. */
  readonly events: AuditEvent[] = [];
  readonly #userIdByEmail = new Map<string, number>();
  readonly #userIdByUserName = new Map<string, number>();
  readonly #groupIdByUid = new Map<string, number>();
  readonly #groupIdByScimId = new Map<string, number>();
  readonly #groupIdsByName = new Map<string, Set<number>>();
  readonly #journal: Journal | undefined;
  #lastUserId = 0;
  #lastGroupId = 0;

  constructor(journal?: Journal, remembered?: Remembered) {
    this.#journal = journal;
    for (const change of remembered?.changes ?? []) this.#apply(change);
    this.#lastUserId = Math.max(this.#lastUserId, remembered?.lastUserId ?? 0);
    this.#lastGroupId = Math.max(this.#lastGroupId, remembered?.lastGroupId ?? 0);
  }

  /** The id that the next new user must take. */
  get nextUserId(): number {
    return this.#lastUserId + 1;
  }

  /** The id that the next new group must take. */
  get nextGroupId(): number {
    return this.#lastGroupId + 1;
  }

  /** Stores the changes in the journal, then shows them. When the journal fails, nothing has changed. */
  commit(changes: readonly Change[]): void {
    if (changes.length === 0) return;
    this.#journal?.write(changes);
    for (const change of changes) this.#apply(change);
  }

  findUserByEmail(email: string): SandboxUser | undefined {
    return this.users.find(this.#userIdByEmail.get(email.toLowerCase()) ?? 0);
  }

  findUserByUserName(userName: string): SandboxUser | undefined {
    return this.users.find(this.#userIdByUserName.get(userName.toLowerCase()) ?? 0);
  }

  findGroupByUid(uid: string): SandboxGroup | undefined {
    return this.groups.find(this.#groupIdByUid.get(uid) ?? 0);
  }

  findGroupByScimId(scimId: string): SandboxGroup | undefined {
    return this.groups.find(this.#groupIdByScimId.get(scimId) ?? 0);
  }

  /** The oldest group of that name: the shape may allow several. */
  findGroupByName(name: string): SandboxGroup | undefined {
    const [groupId] = this.#groupIdsByName.get(name) ?? [];
    return this.groups.find(groupId ?? 0);
  }

  #apply(change: Change): void {
    switch (change.kind) {
      case 'user':
        this.#putUser(change.user);
        break;
      case 'user-removed':
        this.#removeUser(change.userId);
        break;
      case 'group':
        this.#putGroup(change.group);
        break;
      case 'group-removed':
        this.#removeGroup(change.groupId);
        break;
      case 'space':
        this.spaces.put(change.space);
        break;
      case 'link':
        this.#putLink(change);
        break;
      case 'event':
        this.#addEvent(change.event);
        break;
      case 'events-cleared':
        this.events.length = 0;
    }
  }

  #putUser(user: SandboxUser): void {
    this.#forgetUser(user.id);
    this.users.put(user);
    this.#userIdByEmail.set(user.email.toLowerCase(), user.id);
    this.#userIdByUserName.set(user.userName.toLowerCase(), user.id);
    this.#lastUserId = Math.max(this.#lastUserId, user.id);
  }

  #removeUser(userId: number): void {
    this.#forgetUser(userId);
    this.users.delete(userId);
    this.members.removeUser(userId);
    this.admins.removeUser(userId);
  }

  #forgetUser(userId: number): void {
    const before = this.users.find(userId);
    if (before === undefined) return;
    this.#userIdByEmail.delete(before.email.toLowerCase());
    this.#userIdByUserName.delete(before.userName.toLowerCase());
  }

  #putGroup(group: SandboxGroup): void {
    this.#forgetGroup(group.id);
    this.groups.put(group);
    this.#groupIdByUid.set(group.uid, group.id);
    this.#groupIdByScimId.set(group.scimId, group.id);
    const named = this.#groupIdsByName.get(group.name) ?? new Set();
    this.#groupIdsByName.set(group.name, named.add(group.id));
    this.#lastGroupId = Math.max(this.#lastGroupId, group.id);
  }

  #removeGroup(groupId: number): void {
    this.#forgetGroup(groupId);
    this.groups.delete(groupId);
    this.members.removeGroup(groupId);
    this.admins.removeGroup(groupId);
  }

  #forgetGroup(groupId: number): void {
    const before = this.groups.find(groupId);
    if (before === undefined) return;
    this.#groupIdByUid.delete(before.uid);
    this.#groupIdByScimId.delete(before.scimId);
    const named = this.#groupIdsByName.get(before.name);
    named?.delete(groupId);
    if (named?.size === 0) this.#groupIdsByName.delete(before.name);
  }

  #putLink({ link, groupId, userId, present }: Extract<Change, { kind: 'link' }>): void {
    const links = link === 'member' ? this.members : this.admins;
    if (present) links.add(groupId, userId);
    else links.remove(groupId, userId);
  }

  #addEvent(event: AuditEvent): void {
    this.events.push(event);
    // A tenth more than the limit, so that the shift of a long array is paid rarely.
    if (this.events.length > auditEventsMax * 1.1) {
      this.events.splice(0, this.events.length - auditEventsMax);
    }
  }
}
