import type { Directory } from '../directory.ts';
import { updateGroup } from '../directory-groups.ts';
import { getUser } from '../directory-users.ts';
import type { LinkKind } from '../model.ts';
import { Refusal } from '../refusal.ts';
import { getGroupByUid } from './company-groups.ts';
import { getId, type Handler, parseBody } from './exchange.ts';
import { toRestGroupUser, toRestUser } from './rest-resources.ts';

/** POST /groups/{group_uid}/users or /admins. */
export function addPerson(link: LinkKind): Handler {
  return (directory, call) => {
    const group = getGroupByUid(directory, call);
    const { user_id: id } = parseBody(call);
    if (!Number.isSafeInteger(id)) {
      throw new Refusal('bad-request', "Body should have required property '.user_id'");
    }
    const userId = Number(id);
    const repeats = linksOf(directory, link).has(group.id, userId);
    if (repeats && directory.shape().repeatedMember === 'refused') {
      throw new Refusal('conflict', `user ${userId} is there already`);
    }
    const links = [{ link, userId, present: true }];
    updateGroup(directory, call.author, group.id, { links, face: 'rest' });
    const body = toRestUser(getUser(directory, userId));
    return { status: 200, body };
  };
}

/** GET /groups/{group_uid}/users or /admins: all of them, without pages. */
export function listPeople(link: LinkKind): Handler {
  return (directory, call) => {
    const userIds = linksOf(directory, link).usersOf(getGroupByUid(directory, call).id);
    const people = [...userIds].flatMap((userId) => directory.state.users.find(userId) ?? []);
    return { status: 200, body: people.map(toRestGroupUser) };
  };
}

/** DELETE /groups/{group_uid}/users/{user_id} or /admins/{user_id}. */
export function removePerson(link: LinkKind): Handler {
  return (directory, call) => {
    const group = getGroupByUid(directory, call);
    const user = getUser(directory, getId(call, 'user_id'));
    const isThere = linksOf(directory, link).has(group.id, user.id);
    if (!isThere && directory.shape().repeatedMember === 'refused') {
      throw new Refusal('not-found', `user ${user.id} is not there`);
    }
    const links = [{ link, userId: user.id, present: false }];
    updateGroup(directory, call.author, group.id, { links, face: 'rest' });
    return { status: directory.shape().deleteStatus, body: toRestUser(user) };
  };
}

function linksOf({ state }: Directory, link: LinkKind) {
  return link === 'member' ? state.members : state.admins;
}
