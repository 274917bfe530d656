import { createReader, parseEntries } from './reader.ts';

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
  return parseEntries('group users', body).map(parseGroupUser);
}
