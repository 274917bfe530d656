import { voteValue } from './fields/properties.ts';
import type { OperationGroup } from './operation.ts';

/** Votes that people give a card in a property. */
export const customPropertyCollectiveVoteValues = {
  /** Gives a vote. */
  createNewVoteValue: {
    id: 'customPropertyCollectiveVoteValues.createNewVoteValue',
    api: 'rest',
    method: 'POST',
    path: '/cards/{card_id}/custom-properties/{property_id}/collective-vote-values',
    pathParameters: { card_id: 'integer', property_id: 'integer' },
    body: { emoji_vote: 'string', number_vote: 'integer' },
    response: { kind: 'object', fields: voteValue },
    repeat: 'unsafe',
    source: 'REST: customPropertyCollectiveVoteValues',
  },
  /** The votes of a card, in one answer. */
  getListOfVoteValues: {
    id: 'customPropertyCollectiveVoteValues.getListOfVoteValues',
    api: 'rest',
    method: 'GET',
    path: '/cards/{card_id}/custom-properties/{property_id}/collective-vote-values',
    pathParameters: { card_id: 'integer', property_id: 'integer' },
    response: {
      kind: 'array',
      fields: [
        'id',
        'custom_property_id',
        'number_vote',
        'emoji_vote',
        'card_id',
        'author_id',
        'author',
      ],
    },
    repeat: 'safe',
    source: 'REST: customPropertyCollectiveVoteValues',
  },
  /** Takes a vote back. */
  removeVoteValue: {
    id: 'customPropertyCollectiveVoteValues.removeVoteValue',
    api: 'rest',
    method: 'DELETE',
    path: '/cards/{card_id}/custom-properties/{property_id}/collective-vote-values/{id}',
    pathParameters: { card_id: 'integer', property_id: 'integer', id: 'integer' },
    body: { emoji_vote: 'string' },
    response: {
      kind: 'object',
      fields: ['id', 'custom_property_id', 'number_vote', 'emoji_vote', 'card_id', 'author_id'],
    },
    repeat: 'safe',
    source: 'REST: customPropertyCollectiveVoteValues',
  },
  /** Changes the number of a vote. */
  updateVoteValue: {
    id: 'customPropertyCollectiveVoteValues.updateVoteValue',
    api: 'rest',
    method: 'PATCH',
    path: '/cards/{card_id}/custom-properties/{property_id}/collective-vote-values/{id}',
    pathParameters: { card_id: 'integer', property_id: 'integer', id: 'integer' },
    body: { number_vote: 'number | null' },
    response: { kind: 'object', fields: voteValue },
    repeat: 'safe',
    source: 'REST: customPropertyCollectiveVoteValues',
  },
} as const satisfies OperationGroup;
