import {
  companyUserListed,
  companyUserListedTypes,
  companyUserUpdated,
  companyUserUpdatedTypes,
} from './fields/people.ts';
import type { OperationGroup } from './operation.ts';

/** The people of the company with their roles and licences. */
export const companyUsers = {
  /** All people. `query` and the other filters work only together with `for_members_section`. */
  getListOfUsers: {
    id: 'companyUsers.getListOfUsers',
    api: 'rest',
    method: 'GET',
    path: '/company/users',
    query: {
      invitesOnly: 'boolean',
      withTransferAccessStatus: 'boolean',
      for_members_section: 'boolean',
      owner_only: 'boolean',
      only_paid: 'boolean',
      only_records_count: 'boolean',
      only_virtual: 'boolean',
      offset: 'integer',
      limit: 'integer',
      query: 'string',
      access_type_permissions: 'string',
      sd_access_type: 'string',
      take_licence: 'string',
      temporarily_inactive_status: 'string',
      group_ids: '(string | number)[]',
      permissions: '(string | number)[]',
    },
    response: { kind: 'array', fields: companyUserListed, types: companyUserListedTypes },
    paging: 'offset',
    pagesOnlyWith: { for_members_section: true },
    repeat: 'safe',
    section: 'companyUsers',
    source: 'REST: companyUsers',
  },
  /** Deletes a virtual user; ordinary users cannot be deleted. */
  removeVirtualUser: {
    id: 'companyUsers.removeVirtualUser',
    api: 'rest',
    method: 'DELETE',
    path: '/company/users/{id}',
    pathParameters: { id: 'integer' },
    response: { kind: 'object', fields: ['id'] },
    repeat: 'safe',
    section: 'companyUsers',
    source: 'REST: companyUsers',
  },
  /** Sets the licence flags, suspends or resumes. */
  updateUser: {
    id: 'companyUsers.updateUser',
    api: 'rest',
    method: 'PATCH',
    path: '/company/users/{id}',
    pathParameters: { id: 'integer' },
    body: { apps_permissions: 'integer', temporarily_inactive: 'boolean' },
    response: { kind: 'object', fields: companyUserUpdated, types: companyUserUpdatedTypes },
    repeat: 'safe',
    section: 'companyUsers',
    source: 'REST: companyUsers',
  },
} as const satisfies OperationGroup;
