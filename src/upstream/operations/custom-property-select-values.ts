import { selectValue } from './fields/properties.ts';
import type { OperationGroup } from './operation.ts';

/** Values of a property that is a choice. */
export const customPropertySelectValues = {
  /** Adds a value. */
  createNewSelectValue: {
    id: 'customPropertySelectValues.createNewSelectValue',
    api: 'rest',
    method: 'POST',
    path: '/company/custom-properties/{property_id}/select-values',
    pathParameters: { property_id: 'integer' },
    body: { 'value*': 'string', color: 'integer | null' },
    response: { kind: 'object', fields: selectValue },
    repeat: 'unsafe',
    source: 'REST: customPropertySelectValues',
  },
  /** The values of a choice. The service is known to page only with `v2_select_search`. */
  getListOfSelectValues: {
    id: 'customPropertySelectValues.getListOfSelectValues',
    api: 'rest',
    method: 'GET',
    path: '/company/custom-properties/{property_id}/select-values',
    pathParameters: { property_id: 'integer' },
    query: {
      v2_select_search: 'boolean',
      query: 'string',
      order_by: 'string',
      ids: '(string | number)[]',
      conditions: '(string | number)[]',
      offset: 'integer',
      limit: 'integer',
    },
    response: {
      kind: 'array',
      fields: [
        'id',
        'custom_property_id',
        'value',
        'color',
        'sort_order',
        'external_id',
        'updated',
        'condition',
      ],
    },
    paging: 'offset',
    pagesOnlyWith: { v2_select_search: true },
    repeat: 'safe',
    source: 'REST: customPropertySelectValues',
  },
  /** One value. */
  getSelectValue: {
    id: 'customPropertySelectValues.getSelectValue',
    api: 'rest',
    method: 'GET',
    path: '/company/custom-properties/{property_id}/select-values/{id}',
    pathParameters: { property_id: 'integer', id: 'integer' },
    response: { kind: 'object', fields: selectValue },
    repeat: 'safe',
    source: 'REST: customPropertySelectValues',
  },
  /** Removes a value; the documents name it so. */
  removeProperty: {
    id: 'customPropertySelectValues.removeProperty',
    api: 'rest',
    method: 'DELETE',
    path: '/company/custom-properties/{property_id}/select-values/{id}',
    pathParameters: { property_id: 'integer', id: 'integer' },
    response: { kind: 'object', fields: selectValue },
    repeat: 'safe',
    source: 'REST: customPropertySelectValues',
  },
  /** Changes a value. */
  updateSelectValue: {
    id: 'customPropertySelectValues.updateSelectValue',
    api: 'rest',
    method: 'PATCH',
    path: '/company/custom-properties/{property_id}/select-values/{id}',
    pathParameters: { property_id: 'integer', id: 'integer' },
    body: {
      value: 'string',
      color: 'integer | null',
      condition: "'active' | 'inactive'",
      sort_order: 'number',
      deleted: 'boolean',
    },
    response: { kind: 'object', fields: selectValue },
    repeat: 'safe',
    source: 'REST: customPropertySelectValues',
  },
} as const satisfies OperationGroup;
