import { randomUUID } from 'node:crypto';

/** The SCIM id of a user: a UUID that the bridge assigns and never reuses. */
export type UserId = string & { readonly brand: 'UserId' };
/** The SCIM id of a group: a UUID that the bridge assigns and never reuses. */
export type GroupId = string & { readonly brand: 'GroupId' };

/** Brands text as a user's SCIM id; only the store knows whether such a user exists. */
export function userId(text: string): UserId {
  return text as UserId;
}

/** Brands text as a group's SCIM id; only the store knows whether such a group exists. */
export function groupId(text: string): GroupId {
  return text as GroupId;
}

/** A new random SCIM id. The word "bulkId" cannot occur in it (RFC 7643 §3.1). */
export function newId(): string {
  return randomUUID();
}

/** One resource, as locks, waiters and logs name it. */
export type ResourceKey =
  | { readonly type: 'user'; readonly id: UserId }
  | { readonly type: 'group'; readonly id: GroupId };

/** Type and id of a user or group as they are given: nobody may have the id. */
export interface GivenKey {
  readonly type: 'user' | 'group';
  readonly id: string;
}

/** The key of a resource that is stored under this id. */
export function toResourceKey({ type, id }: GivenKey): ResourceKey {
  return type === 'user' ? { type, id: userId(id) } : { type, id: groupId(id) };
}

/** The key as text, for maps and log lines. */
export function keyText(key: ResourceKey): string {
  return `${key.type}:${key.id}`;
}
