import { randomUUID } from 'node:crypto';
import { Refusal } from './refusal.ts';

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
  readonly authorId: number;
  readonly authorUid: string;
  readonly authorUserName: string;
  readonly authorAddress: string;
  readonly category: 'user_management' | 'user_profile' | 'group_management';
  readonly action: string;
  readonly details: Readonly<Record<string, string | number | undefined>>;
  readonly created: string;
}

/**
 * One step of a commit, as data: a file can store it and a restart can repeat it. `user`, `group` and `space` insert or
 * replace; removing a user or a group removes its links too; `link` adds or removes one; `cleared` leaves the owner alone.
 */
export type Change = Readonly<
  | { kind: 'company'; uid: string; token: string }
  | { kind: 'user'; user: SandboxUser }
  | { kind: 'user-removed'; userId: number }
  | { kind: 'group'; group: SandboxGroup }
  | { kind: 'group-removed'; groupId: number }
  | { kind: 'space'; space: SandboxSpace }
  | { kind: 'link'; link: LinkKind; groupId: number; userId: number; present: boolean }
  | { kind: 'event'; event: AuditEvent }
  | { kind: 'cleared' }
>;

/** An ordinary account that takes a licence, with names made from its address. @param now ISO 8601 */
export function newUser(id: number, email: string, now: string): SandboxUser {
  const name = email.slice(0, email.indexOf('@'));
  return {
    id,
    uid: randomUUID(),
    email,
    userName: name,
    fullName: name,
    role: 2,
    active: true,
    temporarilyInactive: false,
    appsPermissions: 1,
    permissions: 0,
    virtual: false,
    created: now,
    updated: now,
  };
}

/** A group without rights and without members. @param now ISO 8601 */
export function newGroup(id: number, name: string, now: string): SandboxGroup {
  return {
    id,
    uid: randomUUID(),
    name,
    permissions: 0,
    addToCardsAndSpacesEnabled: false,
    created: now,
    updated: now,
  };
}

/** True for an account that takes a licence. */
export function takesLicence(user: SandboxUser): boolean {
  return user.active && !user.temporarilyInactive && user.appsPermissions !== 0;
}

/**
 * An account with its texts as the service writes them. Addresses are lower-cased also where they serve as a user name.
 * @throws Refusal 400
 */
export function normalise(user: SandboxUser): SandboxUser {
  const userName = toName(user.userName, 'username');
  return {
    ...user,
    email: toEmail(user.email),
    userName: userName.includes('@') ? userName.toLowerCase() : userName,
    fullName: toName(user.fullName, 'full_name'),
  };
}

/** An address in lower case. @throws Refusal 400 */
export function toEmail(text: string): string {
  const email = text.trim().toLowerCase();
  if (!/^[^\s@]+@[^\s@]+$/.test(email)) throw new Refusal(400, 'Should be an email');
  return email;
}

function toName(text: string, field: string): string {
  const name = text.trim();
  if (name.length >= 1 && name.length <= 128) return name;
  throw new Refusal(400, `User should match '.${field}' 1..128`);
}
