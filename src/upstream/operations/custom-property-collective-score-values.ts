import { scoreValue } from './fields/properties.ts';
import type { OperationGroup } from './operation.ts';

/** Scores that people give a card in a property. */
export const customPropertyCollectiveScoreValues = {
  /** Gives a score. */
  createNewScoreValue: {
    id: 'customPropertyCollectiveScoreValues.createNewScoreValue',
    api: 'rest',
    method: 'POST',
    path: '/cards/{card_id}/custom-properties/{property_id}/collective-score-values',
    pathParameters: { card_id: 'integer', property_id: 'integer' },
    body: { 'value*': 'string' },
    response: { kind: 'object', fields: scoreValue },
    repeat: 'unsafe',
    source: 'REST: customPropertyCollectiveScoreValues',
  },
  /** The scores of a card, in one answer. */
  getListOfScoreValues: {
    id: 'customPropertyCollectiveScoreValues.getListOfScoreValues',
    api: 'rest',
    method: 'GET',
    path: '/cards/{card_id}/custom-properties/{property_id}/collective-score-values',
    pathParameters: { card_id: 'integer', property_id: 'integer' },
    response: {
      kind: 'array',
      fields: ['id', 'custom_property_id', 'value', 'card_id', 'author_id', 'author'],
    },
    repeat: 'safe',
    source: 'REST: customPropertyCollectiveScoreValues',
  },
  /** Changes a score. */
  updateScoreValue: {
    id: 'customPropertyCollectiveScoreValues.updateScoreValue',
    api: 'rest',
    method: 'PATCH',
    path: '/cards/{card_id}/custom-properties/{property_id}/collective-score-values/{id}',
    pathParameters: { card_id: 'integer', property_id: 'integer', id: 'integer' },
    body: { value: 'string | null' },
    response: { kind: 'object', fields: scoreValue },
    repeat: 'safe',
    source: 'REST: customPropertyCollectiveScoreValues',
  },
} as const satisfies OperationGroup;
