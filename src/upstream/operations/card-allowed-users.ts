import { userShort } from './fields/people.ts';
import type { OperationGroup } from './operation.ts';

/** People who may be put on a card. */
export const cardAllowedUsers = {
  /** The people who may be put on the card. The service is known to ignore paging and to answer with all. */
  retrieveUsersList: {
    id: 'cardAllowedUsers.retrieveUsersList',
    api: 'rest',
    method: 'GET',
    path: '/cards/{card_id}/allowed-users',
    pathParameters: { card_id: 'integer' },
    query: {
      type: 'string',
      search: 'string',
      orderBy: 'string',
      role: 'integer',
      limit: 'integer',
      offset: 'integer',
    },
    response: { kind: 'array', fields: userShort },
    paging: 'offset',
    repeat: 'safe',
    source: 'REST: cardAllowedUsers',
  },
} as const satisfies OperationGroup;
