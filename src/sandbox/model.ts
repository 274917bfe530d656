/** One account of the imitated company. */
export interface SandboxUser {
  /** Positive, never reused. */
  readonly id: number;
  readonly uid: string;
  /** Lower case; unique in the company. */
  readonly email: string;
  /** Unique in the company; the service calls it `username` in REST. */
  readonly userName: string;
  /** The only name in the service; SCIM's parts are cut from it. */
  readonly fullName: string;
  /** 1 is the owner, 2 any other user. REST shows 3 for both while `active` is false. */
  readonly role: 1 | 2;
  readonly active: boolean;
  /** Still in the company, but cannot sign in and needs no licence. */
  readonly temporarilyInactive: boolean;
  /** Bits: 1 full, 2 guest, 4 service desk only. */
  readonly appsPermissions: number;
  /** The bit mask of personal rights, without those that come from groups. */
  readonly permissions: number;
  /** A placeholder without a mailbox: the only kind of account that can be removed. */
  readonly virtual: boolean;
  /** ISO 8601 with milliseconds, UTC. */
  readonly created: string;
  readonly updated: string;
}

/** One group. Its members are kept as links, so that the row stays small. */
export interface SandboxGroup {
  readonly id: number;
  readonly uid: string;
  /** Shown instead of `id` when the shape says that SCIM has ids of its own. */
  readonly scimId: string;
  readonly name: string;
  /** Bit mask of rights that members inherit. */
  readonly permissions: number;
  readonly addToCardsAndSpacesEnabled: boolean;
  readonly created: string;
  readonly updated: string;
}

/** One space, with the groups that have roles in it. */
export interface SandboxSpace {
  readonly id: number;
  readonly uid: string;
  readonly title: string;
  readonly groups: readonly { readonly groupId: number; readonly roleIds: readonly string[] }[];
}

/** Kind of link between a user and a group. */
export type LinkKind = 'member' | 'admin';

/** One line of the audit log, with its author as of that moment. */
export interface AuditEvent {
  readonly id: string;
  readonly authorId: number | null;
  readonly authorUid: string | null;
  readonly authorUserName: string | null;
  readonly authorAddress: string | null;
  readonly category: 'user_management' | 'user_profile' | 'group_management';
  readonly action: string;
  readonly message: string;
  readonly details: Readonly<Record<string, string | number | boolean>>;
  readonly created: string;
}

/** The company itself, and the token of its owner. */
export interface SandboxCompany {
  readonly uid: string;
  readonly token: string;
}

/**
 * One step of a commit, as data: a file can store it and a restart can repeat it. `user`, `group` and `space` insert or
 * replace; removing a user or a group removes its links too; `link` adds or removes one.
 */
export type Change = Readonly<
  | { kind: 'company'; company: SandboxCompany }
  | { kind: 'user'; user: SandboxUser }
  | { kind: 'user-removed'; userId: number }
  | { kind: 'group'; group: SandboxGroup }
  | { kind: 'group-removed'; groupId: number }
  | { kind: 'space'; space: SandboxSpace }
  | { kind: 'link'; link: LinkKind; groupId: number; userId: number; present: boolean }
  | { kind: 'event'; event: AuditEvent }
  | { kind: 'events-cleared' }
>;
