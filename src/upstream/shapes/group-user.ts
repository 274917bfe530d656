import { createReader, parseEntries } from './reader.ts';

/** A member or an administrator of a group. */
export type GroupUser = Readonly<ReturnType<typeof parseGroupUser>>;

/** One user of groupUsers or groupAdmins. @throws UpstreamError `unreadable` */
export function parseGroupUser(body: unknown) {
  return { id: createReader('group user', body).integer('id') };
}

/** The answer of getListOfGroupUsers and getListOfGroupAdmins. @throws UpstreamError `unreadable` */
export function parseGroupUsers(body: unknown) {
  return parseEntries('group users', body).map(parseGroupUser);
}
