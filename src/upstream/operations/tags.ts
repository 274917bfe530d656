import { idList } from './fields/parameters.ts';
import type { OperationGroup } from './operation.ts';

const tag = ['created', 'updated', 'id', 'name', 'company_id', 'color', 'archived'] as const;

/** Tags of the company. */
export const tags = {
  /** Creates a tag. */
  addTag: {
    id: 'tags.addTag',
    api: 'rest',
    method: 'POST',
    path: '/tags',
    body: { 'name*': 'string' },
    response: { kind: 'object', fields: tag },
    repeat: 'unsafe',
    source: 'field-notes',
  },
  /** The tags of the company or of a space. */
  retrieveListOfTags: {
    id: 'tags.retrieveListOfTags',
    api: 'rest',
    method: 'GET',
    path: '/tags',
    query: {
      limit: 'integer',
      offset: 'integer',
      space_id: 'integer',
      ids: idList,
      query: 'string',
    },
    response: { kind: 'array', fields: tag },
    paging: 'offset',
    repeat: 'safe',
    source: 'field-notes',
  },
} as const satisfies OperationGroup;
