import { userShort } from './fields/people.ts';
import type { OperationGroup } from './operation.ts';

/** People who work on a card. */
export const cardMembers = {
  /** Puts a person on a card. */
  addMemberToCard: {
    id: 'cardMembers.addMemberToCard',
    api: 'rest',
    method: 'POST',
    path: '/cards/{card_id}/members',
    pathParameters: { card_id: 'integer' },
    body: { 'user_id*': 'integer' },
    response: {
      kind: 'object',
      fields: [
        'id',
        'full_name',
        'email',
        'username',
        'avatar_initials_url',
        'avatar_uploaded_url',
        'initials',
        'avatar_type',
        'lng',
        'timezone',
        'theme',
        'updated',
        'type',
      ],
    },
    repeat: 'unsafe',
    source: 'REST: cardMembers',
  },
  /** Takes a person off a card. */
  removeMemberFromCard: {
    id: 'cardMembers.removeMemberFromCard',
    api: 'rest',
    method: 'DELETE',
    path: '/cards/{card_id}/members/{id}',
    pathParameters: { card_id: 'integer', id: 'integer' },
    response: { kind: 'object', fields: ['id'] },
    repeat: 'safe',
    source: 'REST: cardMembers',
  },
  /** The people of a card, in one answer. */
  retrieveListOfCardMembers: {
    id: 'cardMembers.retrieveListOfCardMembers',
    api: 'rest',
    method: 'GET',
    path: '/cards/{card_id}/members',
    pathParameters: { card_id: 'integer' },
    response: { kind: 'array', fields: [...userShort, 'virtual', 'card_id', 'user_id', 'type'] },
    repeat: 'safe',
    source: 'REST: cardMembers',
  },
  /** Makes a member responsible, or no longer. */
  updateMemberRole: {
    id: 'cardMembers.updateMemberRole',
    api: 'rest',
    method: 'PATCH',
    path: '/cards/{card_id}/members/{id}',
    pathParameters: { card_id: 'integer', id: 'integer' },
    body: { 'type*': 'integer' },
    response: { kind: 'object', fields: ['created', 'updated', 'card_id', 'user_id', 'type'] },
    repeat: 'safe',
    source: 'REST: cardMembers',
  },
} as const satisfies OperationGroup;
