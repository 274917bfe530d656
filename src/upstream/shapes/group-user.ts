import { createReader, unreadable } from './reader.ts';

/** A member or an administrator of a group. */
export interface GroupUser {
  readonly id: number;
}

/** One user of groupUsers or groupAdmins. @throws UpstreamError `unreadable` */
export function parseGroupUser(body: unknown): GroupUser {
  return { id: createReader('group user', body).integer('id') };
}

/** The answer of getListOfGroupUsers and getListOfGroupAdmins. @throws UpstreamError `unreadable` */
export function parseGroupUsers(body: unknown): GroupUser[] {
  if (!Array.isArray(body)) throw unreadable('group users', 'is not a list');
  return body.map(parseGroupUser);
}
