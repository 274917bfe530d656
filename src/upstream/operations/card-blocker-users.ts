import { userExtended, userOfBlocker } from './fields/people.ts';
import type { OperationGroup } from './operation.ts';

/** People whom a blocker waits for. */
export const cardBlockerUsers = {
  /** Adds a person to a blocker. */
  addUserToTheCardBlocker: {
    id: 'cardBlockerUsers.addUserToTheCardBlocker',
    api: 'rest',
    method: 'POST',
    path: '/blockers/{blocker_id}/users',
    pathParameters: { blocker_id: 'integer' },
    body: { 'user_id*': 'integer' },
    response: { kind: 'object', fields: userExtended },
    repeat: 'unsafe',
    source: 'REST: cardBlockerUsers',
  },
  /** Takes a person off a blocker. */
  removeUser: {
    id: 'cardBlockerUsers.removeUser',
    api: 'rest',
    method: 'DELETE',
    path: '/blockers/{blocker_id}/users/{user_id}',
    pathParameters: { blocker_id: 'integer', user_id: 'integer' },
    response: { kind: 'object', fields: ['id'] },
    repeat: 'safe',
    source: 'REST: cardBlockerUsers',
  },
  /**
   * The cards that wait for the account of the token. Documented as an object; without any the service is known to answer
   * `[]`.
   */
  retrieveBlockersCardsListOnCurrentUser: {
    id: 'cardBlockerUsers.retrieveBlockersCardsListOnCurrentUser',
    api: 'rest',
    method: 'GET',
    path: '/users/current/blockers',
    response: { kind: 'object', fields: ['blocked_cards', 'summary'] },
    repeat: 'safe',
    source: 'REST: cardBlockerUsers',
  },
  /** The people of a blocker, in one answer. */
  retrieveListOfUsers: {
    id: 'cardBlockerUsers.retrieveListOfUsers',
    api: 'rest',
    method: 'GET',
    path: '/blockers/{blocker_id}/users',
    pathParameters: { blocker_id: 'integer' },
    response: { kind: 'array', fields: userOfBlocker },
    repeat: 'safe',
    source: 'REST: cardBlockerUsers',
  },
} as const satisfies OperationGroup;
