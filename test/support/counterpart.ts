/**
 * Names of the calls that the bridge makes, as the documents of the service have them; `*` is any.
 * A service that tests run against counts its calls and meets faults by them.
 */
export type CallName =
  | 'scim.addUser'
  | 'scim.getUser'
  | 'scim.getUsers'
  | 'scim.updateUser'
  | 'scim.addGroup'
  | 'scim.getGroup'
  | 'scim.getGroups'
  | 'scim.updateGroup'
  | 'companyUsers.getListOfUsers'
  | 'companyUsers.updateUser'
  | 'companyUsers.removeVirtualUser'
  | 'groups.createGroup'
  | 'groups.getGroup'
  | 'groups.getListOfGroups'
  | 'groups.updateGroup'
  | 'groups.removeGroup'
  | 'groupUsers.addUserToGroup'
  | 'groupUsers.getListOfGroupUsers'
  | 'groupUsers.removeUserFromGroup'
  | 'groupAdmins.addAdminToGroup'
  | 'groupAdmins.getListOfGroupAdmins'
  | 'groupAdmins.removeAdminFromGroup'
  | 'auditLogs.retrieveAuditLogEvents'
  | 'users.retrieveCurrentUser';

/** A person of the service; `role` 1 is an owner. */
export interface CounterpartUser {
  readonly id: number;
  readonly uid: string;
  readonly userName: string;
  readonly email: string;
  readonly fullName: string;
  readonly active: boolean;
  readonly role: number;
}

/** A group of the service. */
export interface CounterpartGroup {
  readonly id: number;
  readonly uid: string;
  readonly name: string;
  readonly permissions: number;
}

/** What people do in the service behind the bridge's back, each of it in the audit log. Names are e-mails and group names, or ids. */
export interface CounterpartService {
  users(): readonly CounterpartUser[];
  groups(): readonly CounterpartGroup[];
  getUser(user: string | number): CounterpartUser;
  /** E-mail addresses, in alphabetical order. */
  members(group: string | number): string[];
  admins(group: string | number): string[];
  addUser(user: {
    email: string;
    userName?: string;
    fullName?: string;
    virtual?: boolean;
  }): CounterpartUser;
  setActive(user: string | number, active: boolean): unknown;
  renameUser(user: string | number, fullName: string): unknown;
  updateUser(user: string | number, change: { appsPermissions: number }): unknown;
  removeUser(user: string | number): unknown;
  createGroup(group: { name: string }): CounterpartGroup;
  renameGroup(group: string | number, name: string): unknown;
  setPermissions(group: string | number, permissions: number): unknown;
  deleteGroup(group: string | number): unknown;
  addMember(group: string | number, user: string | number): unknown;
  removeMember(group: string | number, user: string | number): unknown;
  addAdmin(group: string | number, user: string | number): unknown;
  removeAdmin(group: string | number, user: string | number): unknown;
  /** The same, done by this person from this address. */
  as(author: string | number, address?: string): CounterpartService;
  auditEvents(): readonly object[];
}

/** How an answer goes wrong; `done`: the service did what was asked for all the same. */
export type CounterpartFault =
  | {
      readonly kind: 'status';
      readonly status: number;
      readonly headers?: Readonly<Record<string, string>>;
      readonly body?: 'empty';
      readonly effect?: 'done';
    }
  | { readonly kind: 'hang'; readonly effect?: 'done' }
  | { readonly kind: 'reset'; readonly at: 'before-effect' | 'after-effect' | 'mid-answer' }
  | { readonly kind: 'html' }
  | { readonly kind: 'truncated' };

/** Which calls meet a fault: the first `skip` do not, and after `times` none does. */
export interface FaultScope {
  readonly operation: CallName | '*';
  readonly fault: CounterpartFault;
  readonly skip?: number;
  readonly times?: number;
}

/** A fault that was set. */
export interface SetFault {
  /** How many calls have met it. */
  readonly met: number;
  /** Resolves when so many calls have met it. */
  until(count: number): Promise<unknown>;
  remove(): void;
}

/** A service over real HTTP that a bridge is tested against: what all of them can do. */
export interface Counterpart {
  readonly url: string;
  readonly token: string;
  readonly service: CounterpartService;
  readonly faults: {
    add(scope: FaultScope): SetFault;
    /** Removes all of them, and lets go of what hangs. */
    clear(): void;
  };
  readonly calls: {
    /** How often each call was answered with each status. */
    counts(): Readonly<Record<string, Readonly<Record<string, number>>>>;
    count(which?: { operation?: CallName; mutating?: boolean }): number;
    reset(): void;
  };
  stop(): Promise<void>;
}
