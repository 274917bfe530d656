import { randomUUID } from 'node:crypto';
import type {
  AuditEvent,
  Change,
  SandboxCompany,
  SandboxGroup,
  SandboxSpace,
  SandboxUser,
} from './model.ts';
import { type AllLinks, GroupLinks, Table } from './table.ts';

/** Number of audit events that are kept; the oldest go first. */
const auditEventsMax = 100_000;

/** Keeps commits beyond this process. */
export interface Journal {
  /** The commits of earlier processes, the oldest first. */
  read(): Iterable<readonly Change[]>;
  /** Stores all of `changes` or none, durably, before it returns. */
  write(changes: readonly Change[]): void;
  close(): void;
}

/**
 * All data of the sandbox, in memory, with an index for each look-up. It decides nothing: `SandboxService` has the
 * rules. All changes go through `commit`, which is atomic because nothing in it waits.
 */
export class State {
  readonly users = new Table<SandboxUser, 'email' | 'userName'>({
    email: ({ email }) => email,
    userName: ({ userName }) => userName.toLowerCase(),
  });
  readonly groups = new Table<SandboxGroup, 'uid' | 'scimId' | 'name'>({
    uid: ({ uid }) => uid,
    scimId: ({ scimId }) => scimId,
    name: ({ name }) => name,
  });
  readonly spaces = new Table<SandboxSpace, 'uid'>({ uid: ({ uid }) => uid });
  readonly links: AllLinks = { member: new GroupLinks(), admin: new GroupLinks() };
  /** Oldest first. */
  readonly events: AuditEvent[] = [];
  #company: SandboxCompany = { uid: randomUUID(), token: randomUUID() };
  readonly #journal: Journal | undefined;

  constructor(journal?: Journal) {
    this.#journal = journal;
    let isNew = true;
    for (const changes of journal?.read() ?? []) {
      isNew = false;
      for (const change of changes) this.#apply(change);
    }
    if (isNew) this.commit([{ kind: 'company', company: this.#company }]);
  }

  get company(): SandboxCompany {
    return this.#company;
  }

  /** Stores the changes in the journal, then shows them. When the journal fails, nothing has changed. */
  commit(changes: readonly Change[]): void {
    if (changes.length === 0) return;
    this.#journal?.write(changes);
    for (const change of changes) this.#apply(change);
  }

  #apply(change: Change): void {
    switch (change.kind) {
      case 'company':
        this.#company = change.company;
        break;
      case 'user':
        this.users.put(change.user);
        break;
      case 'user-removed':
        this.users.delete(change.userId);
        for (const links of Object.values(this.links)) links.removeUser(change.userId);
        break;
      case 'group':
        this.groups.put(change.group);
        break;
      case 'group-removed':
        this.groups.delete(change.groupId);
        for (const links of Object.values(this.links)) links.removeGroup(change.groupId);
        break;
      case 'space':
        this.spaces.put(change.space);
        break;
      case 'link':
        this.links[change.link].set(change.groupId, change.userId, change.present);
        break;
      case 'event':
        this.#addEvent(change.event);
        break;
      case 'events-cleared':
        this.events.length = 0;
    }
  }

  #addEvent(event: AuditEvent): void {
    this.events.push(event);
    // A tenth more than the limit, so that the shift of a long array is paid rarely.
    if (this.events.length > auditEventsMax * 1.1) {
      this.events.splice(0, this.events.length - auditEventsMax);
    }
  }
}
