import type { Directory } from '../directory.ts';
import { getUser, removeVirtualUser, updateUser } from '../directory-users.ts';
import type { SandboxUser } from '../model.ts';
import { Refusal } from '../refusal.ts';
import type { SandboxShape } from '../shape.ts';
import { type Answer, type Call, getId, parseBody } from './exchange.ts';
import { cutPage, hasFlag, type Page, parseRestPage } from './paging.ts';
import { toCurrentUser, toListedCompanyUser, toUpdatedCompanyUser } from './rest-resources.ts';

/** GET /company/users. */
export function listCompanyUsers(directory: Directory, call: Call): Answer {
  const shape = directory.shape();
  const { users } = directory.state;
  const page = toPage(call.query, shape) ?? { offset: 0, limit: users.size };
  const tests = toTests(directory, call.query);
  const shown =
    tests.length === 0
      ? users.page(page.offset, page.limit, shape.listOrder)
      : cutPage(
          users.all(shape.listOrder).filter((user) => tests.every((test) => test(user))),
          page,
        );
  return { status: 200, body: shown.map((user) => toListedCompanyUser(directory, user)) };
}

/** PATCH /company/users/{user_id}. */
export function patchCompanyUser(directory: Directory, call: Call): Answer {
  const userId = getId(call, 'user_id');
  const { apps_permissions: apps, temporarily_inactive: inactive } = parseBody(call);
  if (apps === undefined && inactive === undefined) {
    throw new Refusal('bad-request', "User should have required property '.apps_permissions'");
  }
  if (apps !== undefined && ![0, 1, 2, 4, 5, 6].some((mask) => mask === apps)) {
    throw new Refusal('bad-request', "User should match '.apps_permissions'");
  }
  if (inactive !== undefined && typeof inactive !== 'boolean') {
    throw new Refusal('bad-request', "User should match '.temporarily_inactive' boolean");
  }
  const user = updateUser(directory, call.author, userId, {
    ...(apps === undefined ? {} : { appsPermissions: Number(apps) }),
    ...(inactive === undefined ? {} : { temporarilyInactive: inactive }),
  });
  const body = toUpdatedCompanyUser(directory, user);
  return { status: directory.shape().updateStatus, body };
}

/** DELETE /company/users/{user_id}: virtual users only. */
export function deleteVirtualUser(directory: Directory, call: Call): Answer {
  const id = getId(call, 'user_id');
  removeVirtualUser(directory, call.author, id);
  return { status: directory.shape().deleteStatus, body: { id } };
}

/** GET /users/current. */
export function getCurrentUser(directory: Directory, _call: Call): Answer {
  const user = getUser(directory, directory.ownerId);
  return { status: 200, body: toCurrentUser(directory, user) };
}

/** The page of a request, or undefined when this shape answers everything. */
function toPage(query: URLSearchParams, shape: SandboxShape): Page | undefined {
  const hasSection = hasFlag(query, 'for_members_section') || hasFlag(query, 'only_virtual');
  if (hasSection || shape.companyUsersPaging === 'always') {
    return parseRestPage(query, 'companyUsers', shape);
  }
  if (shape.companyUsersPaging === 'section-else-all') return undefined;
  return { offset: 0, limit: shape.pages.companyUsers.default };
}

/** The tests of an account for the list. Some filters count only for the members section. */
function toTests({ state }: Directory, query: URLSearchParams): ((user: SandboxUser) => boolean)[] {
  const tests: ((user: SandboxUser) => boolean)[] = [];
  if (hasFlag(query, 'only_virtual')) tests.push(({ virtual }) => virtual);
  if (hasFlag(query, 'owner_only')) tests.push(({ role }) => role === 1);
  if (!hasFlag(query, 'for_members_section')) return tests;
  const text = query.get('query')?.toLowerCase();
  if (text) {
    tests.push(({ email, fullName }) => `${email}\n${fullName.toLowerCase()}`.includes(text));
  }
  const groupIds = query.get('group_ids')?.split(',').map(Number);
  if (groupIds) tests.push(({ id }) => groupIds.some((groupId) => state.members.has(groupId, id)));
  return tests;
}
