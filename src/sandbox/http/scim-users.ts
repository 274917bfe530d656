import type { Directory } from '../directory.ts';
import { addUser, getUser, updateUser } from '../directory-users.ts';
import { Refusal } from '../refusal.ts';
import { type Answer, type Call, getId, parseBody } from './exchange.ts';
import { cutPage, parseScimPage } from './paging.ts';
import { parseText } from './parse-values.ts';
import { parseEmails } from './scim-emails.ts';
import { listFilteredUsers } from './scim-filter.ts';
import { parseOperations } from './scim-operations.ts';
import { joinName, toScimList, toScimUser, toScimUserWithGroups } from './scim-resources.ts';
import { parseNameParts, toUserUpdate } from './scim-user-patch.ts';

/** POST /scim/v2/Users. */
export function addScimUser(directory: Directory, call: Call): Answer {
  const shape = directory.shape();
  const body = parseBody(call);
  const email = parseEmails(body.emails, shape);
  if (body.userName !== undefined && shape.createUserName === 'refused') {
    throw new Refusal('bad-request', "User should not have property '.userName'");
  }
  const userName =
    body.userName === undefined || shape.createUserName === 'ignored'
      ? undefined
      : parseText(body.userName, 'userName');
  const fullName =
    body.name === undefined || shape.createName === 'ignored' ? '' : toFullName(body.name);
  const user = addUser(directory, call.author, {
    email,
    userName,
    fullName: fullName || undefined,
  });
  return { status: 201, body: toScimUser(directory, call.baseUrl, user) };
}

/** GET /scim/v2/Users/{user_id}. */
export function getScimUser(directory: Directory, call: Call): Answer {
  const user = getUser(directory, getId(call, 'user_id'));
  return { status: 200, body: toScimUserWithGroups(directory, call.baseUrl, user) };
}

/** GET /scim/v2/Users. */
export function listScimUsers(directory: Directory, call: Call): Answer {
  const shape = directory.shape();
  const page = parseScimPage(call.query, 'scimUsers', shape);
  const filter = call.query.get('filter');
  if (filter !== null && shape.filter === 'refused') {
    throw new Refusal('bad-request', 'filter is not supported');
  }
  const matching =
    filter === null || shape.filter === 'ignored'
      ? undefined
      : listFilteredUsers(directory, filter);
  const { users } = directory.state;
  const resources = matching
    ? cutPage(matching, page)
    : users.page(page.offset, page.limit, shape.listOrder);
  return {
    status: 200,
    body: toScimList(
      resources.map((user) => toScimUser(directory, call.baseUrl, user)),
      { ...page, totalResults: matching?.length ?? users.size },
    ),
  };
}

/** PATCH /scim/v2/Users/{user_id}. */
export function updateScimUser(directory: Directory, call: Call): Answer {
  const shape = directory.shape();
  const before = getUser(directory, getId(call, 'user_id'));
  const update = toUserUpdate(before, parseOperations(parseBody(call), shape), shape);
  const user = updateUser(directory, call.author, before.id, update);
  const body = toScimUserWithGroups(directory, call.baseUrl, user);
  return { status: shape.updateStatus, body };
}

function toFullName(name: unknown): string {
  return joinName({ givenName: '', familyName: '', ...parseNameParts(name) });
}
