import { userExtended } from './fields.ts';
import type { OperationGroup } from './operation.ts';

/** The account behind the token. The documents name this group and describe nothing in it. */
export const users = {
  /** Whose token this is: the account that must never lock itself out. */
  retrieveCurrentUser: {
    id: 'users.retrieveCurrentUser',
    api: 'rest',
    method: 'GET',
    path: '/users/current',
    response: {
      kind: 'object',
      fields: [
        ...userExtended,
        'company_id',
        'permissions',
        'role',
        'apps_permissions',
        'has_password',
      ],
    },
    repeat: 'safe',
    section: 'account',
    source: 'field-notes',
  },
} as const satisfies OperationGroup;
