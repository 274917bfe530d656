import { GROUP_SCHEMA_URI, USER_SCHEMA_URI } from '../../../src/domain/extensions.ts';
import type { JsonObject } from '../../../src/domain/values.ts';
import { admit, dismiss, replace, toMembers, toPatch } from '../../support/provider.ts';
import type { ProviderRequest } from './replica.ts';

/** What a request asks for, by key: `name`, `active`, `member:<id of the user>`. */
export type Wishes = Readonly<Record<string, string | boolean>>;

/** A request with what it asks for, to be compared with what came of it. */
export interface Wish extends ProviderRequest {
  readonly asks: Wishes;
}

/** The company never takes a name with this word in it. */
export const BAD = 'Refused';
/** All people of a schedule have this given name, so that a family name tells whose write it was. */
export const GIVEN_NAME = 'Ada';

/** PATCH of a person: another family name, another `active`, or both. */
export function patchUser(id: string, change: { name?: string; active?: boolean }): Wish {
  const { name, active } = change;
  const operations = [
    ...(name === undefined ? [] : [replace('name.familyName', name)]),
    ...(active === undefined ? [] : [replace('active', active)]),
  ];
  return { method: 'PATCH', type: 'user', id, body: toPatch(...operations), asks: { ...change } };
}

/** POST of a person. */
export function postUser(userName: string, name: string): Wish {
  const body = { ...toUserDocument(userName, name), active: true };
  return { method: 'POST', type: 'user', body, asks: { name, active: true } };
}

/** DELETE of a person or of a group. */
export function remove(type: 'user' | 'group', id: string): Wish {
  return { method: 'DELETE', type, id, asks: { gone: true } };
}

/** PATCH of a group: who comes and who goes. */
export function patchMembers(
  id: string,
  { add = [], remove: removed = [] }: { add?: readonly string[]; remove?: readonly string[] },
): Wish {
  const operations = [
    ...(add.length === 0 ? [] : [admit(...add)]),
    ...removed.map((userId) => dismiss(userId)),
  ];
  const asks = Object.fromEntries([
    ...add.map((userId) => [toMemberKey(userId), true] as const),
    ...removed.map((userId) => [toMemberKey(userId), false] as const),
  ]);
  return { method: 'PATCH', type: 'group', id, body: toPatch(...operations), asks };
}

/** PATCH of a group: another name. */
export function renameGroup(id: string, displayName: string): Wish {
  const body = toPatch(replace('displayName', displayName));
  return { method: 'PATCH', type: 'group', id, body, asks: { displayName } };
}

/** POST of a group. */
export function postGroup(displayName: string, members: readonly string[] = []): Wish {
  const asks = Object.fromEntries(members.map((userId) => [toMemberKey(userId), true]));
  const body = { schemas: [GROUP_SCHEMA_URI], displayName, members: toMembers(members) };
  return { method: 'POST', type: 'group', body, asks: { displayName, ...asks } };
}

/** The key of a membership among what a request asks for. */
export function toMemberKey(userId: string): `member:${string}` {
  return `member:${userId}`;
}

/** A person as a provider writes them. */
export function toUserDocument(userName: string, familyName: string): JsonObject {
  return {
    schemas: [USER_SCHEMA_URI],
    userName,
    name: { givenName: GIVEN_NAME, familyName },
    emails: [{ value: userName, type: 'work', primary: true }],
  };
}
