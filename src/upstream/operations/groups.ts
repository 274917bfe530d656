import { companyGroup, companyGroupTypes } from './fields/people.ts';
import type { OperationGroup } from './operation.ts';

/** Company groups with their permissions (a bit mask). */
export const groups = {
  /** Creates a group; the answer carries both its ids. */
  createGroup: {
    id: 'groups.createGroup',
    api: 'rest',
    method: 'POST',
    path: '/company/groups',
    body: {
      'name*': 'string',
      permissions: 'integer',
      add_to_cards_and_spaces_enabled: 'boolean',
    },
    response: { kind: 'object', fields: companyGroup, types: companyGroupTypes },
    repeat: 'unsafe',
    section: 'groups',
    stage: 'beta',
    source: 'REST: groups',
  },
  /** One group, without its members. */
  getGroup: {
    id: 'groups.getGroup',
    api: 'rest',
    method: 'GET',
    path: '/company/groups/{uid}',
    pathParameters: { uid: 'string' },
    response: { kind: 'object', fields: companyGroup, types: companyGroupTypes },
    repeat: 'safe',
    section: 'groups',
    stage: 'beta',
    source: 'REST: groups',
  },
  /** All groups. The service pages only when `limit` or `offset` is sent. */
  getListOfGroups: {
    id: 'groups.getListOfGroups',
    api: 'rest',
    method: 'GET',
    path: '/company/groups',
    query: {
      with_tree_entities: 'boolean',
      with_users_count: 'boolean',
      with_sync_group_attribute: 'boolean',
      condition: 'string | number',
      query: 'string',
      limit: 'integer',
      offset: 'integer',
    },
    response: { kind: 'array', fields: companyGroup, types: companyGroupTypes },
    paging: 'offset',
    repeat: 'safe',
    section: 'groups',
    stage: 'beta',
    source: 'REST: groups',
  },
  /** Deletes a group; 404 means that it is gone already. */
  removeGroup: {
    id: 'groups.removeGroup',
    api: 'rest',
    method: 'DELETE',
    path: '/company/groups/{uid}',
    pathParameters: { uid: 'string' },
    response: { kind: 'object', fields: companyGroup, types: companyGroupTypes },
    repeat: 'safe',
    section: 'groups',
    stage: 'beta',
    source: 'REST: groups',
  },
  /** Renames, sets permissions. */
  updateGroup: {
    id: 'groups.updateGroup',
    api: 'rest',
    method: 'PATCH',
    path: '/company/groups/{uid}',
    pathParameters: { uid: 'string' },
    body: {
      name: 'string',
      permissions: 'integer',
      add_to_cards_and_spaces_enabled: 'boolean',
    },
    response: { kind: 'object', fields: companyGroup, types: companyGroupTypes },
    repeat: 'safe',
    section: 'groups',
    stage: 'beta',
    source: 'REST: groups',
  },
} as const satisfies OperationGroup;
