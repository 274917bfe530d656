import { randomBytes } from 'node:crypto';

/** The SCIM id of a user, which the bridge assigns and never reuses. */
export type UserId = string & { readonly brand: 'UserId' };
/** The SCIM id of a group, which the bridge assigns and never reuses. */
export type GroupId = string & { readonly brand: 'GroupId' };

/** Brands text as a user's SCIM id; only the store knows whether such a user exists. */
export function userId(text: string): UserId {
  return text as UserId;
}

/** Brands text as a group's SCIM id; only the store knows whether such a group exists. */
export function groupId(text: string): GroupId {
  return text as GroupId;
}

/** Chance in an id: of a million ids two are the same in one of ten million companies, and the store takes one of them. */
const ID_BYTES = 8;
/** Bits of the first byte that make its first digit a letter. */
const LETTER = 0xa0;

/**
 * A new random id of 16 hexadecimal digits. It begins with a letter, so that no spreadsheet takes it for a number, and
 * never contains "bulkId" (RFC 7643 §3.1). It is short, because each membership stores two.
 */
export function newId(): string {
  const bytes = randomBytes(ID_BYTES);
  bytes.writeUInt8(bytes.readUInt8() | LETTER);
  return bytes.toString('hex');
}

/** Form of what {@link newId} makes, or of the UUIDs that it made before. */
const FORM = /^(?:[a-f][0-9a-f]{15}|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/;

/** True for text in the form of the ids that the bridge makes. Any other text in the place of an id may be a name. */
export function isId(text: string): boolean {
  return FORM.test(text);
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
