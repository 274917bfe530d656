import type { Directory } from '../directory.ts';
import type { Faults } from '../faults.ts';
import type { OperationName } from '../operations.ts';
import { operations } from '../operations.ts';
import { Refusal } from '../refusal.ts';
import { listAuditEvents } from './audit-logs.ts';
import { createGroup, deleteGroup, getGroup, listGroups, patchGroup } from './company-groups.ts';
import {
  deleteVirtualUser,
  getCurrentUser,
  listCompanyUsers,
  patchCompanyUser,
} from './company-users.ts';
import type { Handler } from './exchange.ts';
import { addPerson, listPeople, removePerson } from './group-people.ts';
import { type Match, matchOperation } from './match.ts';
import { parseJson } from './read-body.ts';
import { addScimGroup, getScimGroup, listScimGroups, updateScimGroup } from './scim-groups.ts';
import { addScimUser, getScimUser, listScimUsers, updateScimUser } from './scim-users.ts';
import {
  addGroupEntity,
  listGroupEntities,
  listSpaces,
  listSpaceUsers,
  removeGroupEntity,
  updateGroupEntity,
} from './spaces.ts';
import { type Face, toErrorWire, toWire, type Wire } from './wire.ts';

/** The company that a call is for. */
export interface Callee {
  readonly directory: Directory;
  readonly faults: Faults;
  readonly baseUrl: string;
}

/** A call as it came. */
export interface IncomingCall {
  readonly method: string;
  /** Path without the query. */
  readonly path: string;
  /** Without the question mark. */
  readonly query: string;
  /** The body as it was sent; empty when there is none. */
  readonly text: string;
  /** The caller's address, as the audit log shows it. */
  readonly address: string;
}

/** Carries a call out. It never waits: a call is done completely or not at all. */
export function carryOut({ directory, faults, baseUrl }: Callee, call: IncomingCall): Wire {
  const face = toFace(call.path);
  const shape = directory.shape();
  try {
    const match = getOperation(matchOperation(call.method, call.path));
    faults.assertAllowed(operations[match.operation].section);
    const answer = handlers[match.operation](directory, {
      params: match.params,
      query: new URLSearchParams(call.query),
      body: parseJson(call.text),
      baseUrl,
      author: { userId: directory.ownerId, address: call.address },
    });
    return toWire(answer);
  } catch (error) {
    const known = error instanceof Refusal ? error : { status: 500, message: String(error) };
    return toErrorWire(known, face, shape.errorBody);
  }
}

/** The interface that a path belongs to. */
export function toFace(path: string): Face {
  return path.startsWith('/scim/') ? 'scim' : 'rest';
}

function getOperation(match: Match): Extract<Match, { kind: 'operation' }> {
  if (match.kind === 'unknown-path') throw new Refusal('not-found', 'Not Found');
  if (match.kind === 'wrong-method') throw new Refusal('wrong-method', 'Method Not Allowed');
  return match;
}

/** Handler of each documented operation. */
const handlers: Readonly<Record<OperationName, Handler>> = {
  'scim.addUser': addScimUser,
  'scim.getUser': getScimUser,
  'scim.getUsers': listScimUsers,
  'scim.updateUser': updateScimUser,
  'scim.addGroup': addScimGroup,
  'scim.getGroup': getScimGroup,
  'scim.getGroups': listScimGroups,
  'scim.updateGroup': updateScimGroup,
  'groups.createGroup': createGroup,
  'groups.getListOfGroups': listGroups,
  'groups.getGroup': getGroup,
  'groups.updateGroup': patchGroup,
  'groups.removeGroup': deleteGroup,
  'groupUsers.addUserToGroup': addPerson('member'),
  'groupUsers.getListOfGroupUsers': listPeople('member'),
  'groupUsers.removeUserFromGroup': removePerson('member'),
  'groupAdmins.addAdminToGroup': addPerson('admin'),
  'groupAdmins.getListOfGroupAdmins': listPeople('admin'),
  'groupAdmins.removeAdminFromGroup': removePerson('admin'),
  'groupEntities.getListOfGroupEntities': listGroupEntities,
  'groupEntities.addEntity': addGroupEntity,
  'groupEntities.updateGroupEntity': updateGroupEntity,
  'groupEntities.removeEntity': removeGroupEntity,
  'spaces.retrieveListOfSpaces': listSpaces,
  'spaceUsers.getListOfUsers': listSpaceUsers,
  'companyUsers.getListOfUsers': listCompanyUsers,
  'companyUsers.updateUser': patchCompanyUser,
  'companyUsers.removeVirtualUser': deleteVirtualUser,
  'auditLogs.retrieveAuditLogEvents': listAuditEvents,
  'users.retrieveCurrentUser': getCurrentUser,
};
