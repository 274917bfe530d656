import { catalogValue } from './fields/properties.ts';
import type { OperationGroup } from './operation.ts';

/** Values of a property that is a catalog. */
export const customPropertyCatalogValues = {
  /** Adds a value. */
  createNewCatalogValue: {
    id: 'customPropertyCatalogValues.createNewCatalogValue',
    api: 'rest',
    method: 'POST',
    path: '/company/custom-properties/{property_id}/catalog-values',
    pathParameters: { property_id: 'integer' },
    body: { 'value*': 'object' },
    response: { kind: 'object', fields: catalogValue },
    repeat: 'unsafe',
    source: 'REST: customPropertyCatalogValues',
  },
  /** One value. */
  getCatalogValue: {
    id: 'customPropertyCatalogValues.getCatalogValue',
    api: 'rest',
    method: 'GET',
    path: '/company/custom-properties/{property_id}/catalog-values/{id}',
    pathParameters: { property_id: 'integer', id: 'integer' },
    response: { kind: 'object', fields: catalogValue },
    repeat: 'safe',
    source: 'REST: customPropertyCatalogValues',
  },
  /** The values of a catalog. */
  getListOfCatalogValues: {
    id: 'customPropertyCatalogValues.getListOfCatalogValues',
    api: 'rest',
    method: 'GET',
    path: '/company/custom-properties/{property_id}/catalog-values',
    pathParameters: { property_id: 'integer' },
    query: { query: 'string', conditions: 'string', limit: 'integer', offset: 'integer' },
    response: { kind: 'array', fields: catalogValue },
    paging: 'offset',
    repeat: 'safe',
    source: 'REST: customPropertyCatalogValues',
  },
  /** Removes a value; the documents name it so. */
  removeProperty: {
    id: 'customPropertyCatalogValues.removeProperty',
    api: 'rest',
    method: 'DELETE',
    path: '/company/custom-properties/{property_id}/catalog-values/{id}',
    pathParameters: { property_id: 'integer', id: 'integer' },
    response: { kind: 'object', fields: catalogValue },
    repeat: 'safe',
    source: 'REST: customPropertyCatalogValues',
  },
  /** Changes a value. */
  updateCatalogValue: {
    id: 'customPropertyCatalogValues.updateCatalogValue',
    api: 'rest',
    method: 'PATCH',
    path: '/company/custom-properties/{property_id}/catalog-values/{id}',
    pathParameters: { property_id: 'integer', id: 'integer' },
    body: { condition: "'active' | 'inactive'", value: 'object', deleted: 'boolean' },
    response: { kind: 'object', fields: catalogValue },
    repeat: 'safe',
    source: 'REST: customPropertyCatalogValues',
  },
} as const satisfies OperationGroup;
