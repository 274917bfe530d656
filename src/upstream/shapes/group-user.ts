import { createReader, unreadable } from './reader.ts';

/** A member or an administrator of a group. A field that the answer lacks is undefined. */
export interface GroupUser {
  readonly id: number;
  readonly uid: string | undefined;
  readonly email: string | undefined;
  readonly username: string | undefined;
  readonly fullName: string | undefined;
  readonly activated: boolean | undefined;
  readonly virtual: boolean | undefined;
}

/** One user of groupUsers or groupAdmins. @throws UpstreamError `unreadable` */
export function parseGroupUser(body: unknown): GroupUser {
  const reader = createReader('group user', body);
  return {
    id: reader.integer('id'),
    uid: reader.textOrUndefined('uid'),
    email: reader.textOrUndefined('email'),
    username: reader.textOrUndefined('username'),
    fullName: reader.textOrUndefined('full_name'),
    activated: reader.flagOrUndefined('activated'),
    virtual: reader.flagOrUndefined('virtual'),
  };
}

/** The answer of getListOfGroupUsers and getListOfGroupAdmins. @throws UpstreamError `unreadable` */
export function parseGroupUsers(body: unknown): GroupUser[] {
  if (!Array.isArray(body)) throw unreadable('group users', 'is not a list');
  return body.map(parseGroupUser);
}
