import { space } from './fields/spaces.ts';
import type { OperationGroup } from './operation.ts';

/** Spaces. */
export const spaces = {
  /** Creates a space. */
  createNewSpace: {
    id: 'spaces.createNewSpace',
    api: 'rest',
    method: 'POST',
    path: '/spaces',
    body: {
      'title*': 'string | number',
      external_id: 'number | string | null',
      parent_entity_uid: 'string',
      for_everyone_access_role_id: 'string',
      sort_order: 'number',
      work_calendar_id: 'string',
    },
    response: { kind: 'object', fields: [...space, 'users'] },
    repeat: 'unsafe',
    source: 'REST: spaces',
  },
  /** Deletes a space. */
  removeSpace: {
    id: 'spaces.removeSpace',
    api: 'rest',
    method: 'DELETE',
    path: '/spaces/{space_id}',
    pathParameters: { space_id: 'integer' },
    response: { kind: 'object', fields: ['id'] },
    repeat: 'safe',
    source: 'REST: spaces',
  },
  /** The spaces that the account of the token may see. */
  retrieveListOfSpaces: {
    id: 'spaces.retrieveListOfSpaces',
    api: 'rest',
    method: 'GET',
    path: '/spaces',
    query: { limit: 'integer', offset: 'integer' },
    response: {
      kind: 'array',
      fields: [...space, 'boards', 'user_id', 'entity_uid', 'access_mod'],
    },
    paging: 'offset',
    repeat: 'safe',
    source: 'REST: spaces',
  },
  /** One space. */
  retrieveSpace: {
    id: 'spaces.retrieveSpace',
    api: 'rest',
    method: 'GET',
    path: '/spaces/{space_id}',
    pathParameters: { space_id: 'integer' },
    response: { kind: 'object', fields: space },
    repeat: 'safe',
    source: 'REST: spaces',
  },
  /** Changes a space, or moves it in the tree. */
  updateSpace: {
    id: 'spaces.updateSpace',
    api: 'rest',
    method: 'PATCH',
    path: '/spaces/{space_id}',
    pathParameters: { space_id: 'integer' },
    body: {
      title: 'string | number',
      external_id: 'number | string | null',
      hidden_card_type_uids: 'string[]',
      settings: 'object',
      access: "'for_everyone' | 'by_invite'",
      parent_entity_uid: 'string | null',
      sort_order: 'number',
    },
    response: { kind: 'object', fields: space },
    repeat: 'safe',
    source: 'REST: spaces',
  },
} as const satisfies OperationGroup;
