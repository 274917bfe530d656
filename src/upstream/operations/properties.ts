import { array, fields, none, object, operations, shape } from './row.ts';
import { treeEntity } from './shared-shapes.ts';

/** PRP: a custom property. */
const customProperty = shape('CustomProperty')`
  created updated id uid type name condition show_on_facade multiline author_id company_id
  colorful multi_select values_creatable_by_users values_type vote_variant data protected
  fields_settings color external_id
`;

/** CAT: a catalog value. */
const catalogValue = shape('CatalogValue')`
  created updated id custom_property_id value name author_id updater_id condition
`;

/** SCO: a score of one user. */
const scoreValue = shape('ScoreValue')`
  created updated id value custom_property_id author_id updater_id company_id card_id
`;

/** VOT: a vote of one user. */
const voteValue = shape('VoteValue')`
  created updated id number_vote emoji_vote custom_property_id author_id company_id card_id
`;

/** SEL: a select value. */
const selectValue = shape('SelectValue')`
  created updated id custom_property_id value color author_id company_id sort_order external_id
  condition
`;

/** Properties that the company adds to its cards. */
export const customProperties = operations('customProperties', {
  createNewProperty: {
    about: 'Creates a property.',
    call: 'POST /company/custom-properties',
    body: fields({
      string: 'name formula',
      boolean: 'show_on_facade multiline',
      "null | 'rating' | 'scale' | 'emoji_set'": 'vote_variant',
      "'string' | 'number' | 'date' | 'email' | 'phone' | 'checkbox' | 'select' | 'formula' | 'url' | 'collective_score' | 'vote' | 'collective_vote' | 'catalog' | 'user' | 'attachment'": `
        type
      `,
      "null | 'number' | 'text'": 'values_type',
      'boolean | null': 'colorful multi_select values_creatable_by_users',
      unknown: 'data',
      object: 'formula_source_card fields_settings',
      'integer | null': 'color',
    }),
    answer: object(`
      name type show_on_facade multiline fields_settings author_id company_id updated created id
      condition colorful multi_select values_creatable_by_users data values_type vote_variant
      protected color external_id
    `),
  },
  getListOfProperties: {
    about: 'The properties of the company.',
    call: 'GET /company/custom-properties',
    query: fields({
      boolean: 'include_values include_author compact load_by_ids',
      '(string | number)[]': 'ids',
      integer: 'offset limit',
      string: 'order_by order_direction query',
    }),
    answer: array(customProperty),
    paging: 'offset',
  },
  getProperty: {
    about: 'One property.',
    call: 'GET /company/custom-properties/{id}',
    answer: object(customProperty),
  },
  removeProperty: {
    about: 'Deletes a property.',
    call: 'DELETE /company/custom-properties/{id}',
    answer: object(`
      created updated id type name show_on_facade author_id company_id condition colorful
      multi_select values_creatable_by_users data multiline values_type vote_variant protected
      fields_settings color
    `),
  },
  updateProperty: {
    about: 'Changes a property.',
    call: 'PATCH /company/custom-properties/{id}',
    body: fields({
      string: 'name',
      boolean: 'show_on_facade multiline is_used_as_progress',
      "'active' | 'inactive'": 'condition',
      'boolean | null': 'colorful multi_select values_creatable_by_users',
      unknown: 'data',
      'integer | null': 'color',
      'object | null': 'fields_settings',
    }),
    answer: object(customProperty),
  },
});

/** Values of a property that is a catalog. */
export const customPropertyCatalogValues = operations('customPropertyCatalogValues', {
  createNewCatalogValue: {
    about: 'Adds a value.',
    call: 'POST /company/custom-properties/{property_id}/catalog-values',
    body: { 'value*': 'object' },
    answer: object(catalogValue),
  },
  getCatalogValue: {
    about: 'One value.',
    call: 'GET /company/custom-properties/{property_id}/catalog-values/{id}',
    answer: object(catalogValue),
  },
  getListOfCatalogValues: {
    about: 'The values of a catalog.',
    call: 'GET /company/custom-properties/{property_id}/catalog-values',
    query: { query: 'string', conditions: 'string', limit: 'integer', offset: 'integer' },
    answer: array(catalogValue),
    paging: 'offset',
  },
  removeProperty: {
    about: 'Removes a value; the documents name it so.',
    call: 'DELETE /company/custom-properties/{property_id}/catalog-values/{id}',
    answer: object(catalogValue),
  },
  updateCatalogValue: {
    about: 'Changes a value.',
    call: 'PATCH /company/custom-properties/{property_id}/catalog-values/{id}',
    body: { condition: "'active' | 'inactive'", value: 'object', deleted: 'boolean' },
    answer: object(catalogValue),
  },
});

/** Scores that users give a card in a property. */
export const customPropertyCollectiveScoreValues = operations(
  'customPropertyCollectiveScoreValues',
  {
    createNewScoreValue: {
      about: 'Gives a score.',
      call: 'POST /cards/{card_id}/custom-properties/{property_id}/collective-score-values',
      body: { 'value*': 'string' },
      answer: object(scoreValue),
    },
    getListOfScoreValues: {
      about: 'The scores of a card, in one answer.',
      call: 'GET /cards/{card_id}/custom-properties/{property_id}/collective-score-values',
      answer: array('id custom_property_id value card_id author_id author'),
    },
    updateScoreValue: {
      about: 'Changes a score.',
      call: 'PATCH /cards/{card_id}/custom-properties/{property_id}/collective-score-values/{id}',
      body: { value: 'string | null' },
      answer: object(scoreValue),
    },
  },
);

/** Votes that users give a card in a property. */
export const customPropertyCollectiveVoteValues = operations('customPropertyCollectiveVoteValues', {
  createNewVoteValue: {
    about: 'Gives a vote.',
    call: 'POST /cards/{card_id}/custom-properties/{property_id}/collective-vote-values',
    body: { emoji_vote: 'string', number_vote: 'integer' },
    answer: object(voteValue),
  },
  getListOfVoteValues: {
    about: 'The votes of a card, in one answer.',
    call: 'GET /cards/{card_id}/custom-properties/{property_id}/collective-vote-values',
    answer: array('id custom_property_id number_vote emoji_vote card_id author_id author'),
  },
  removeVoteValue: {
    about: 'Takes a vote back.',
    call: 'DELETE /cards/{card_id}/custom-properties/{property_id}/collective-vote-values/{id}',
    body: { emoji_vote: 'string' },
    answer: object('id custom_property_id number_vote emoji_vote card_id author_id'),
  },
  updateVoteValue: {
    about: 'Changes the number of a vote.',
    call: 'PATCH /cards/{card_id}/custom-properties/{property_id}/collective-vote-values/{id}',
    body: { number_vote: 'number | null' },
    answer: object(voteValue),
  },
});

/** Values of a property that is a choice. */
export const customPropertySelectValues = operations('customPropertySelectValues', {
  createNewSelectValue: {
    about: 'Adds a value.',
    call: 'POST /company/custom-properties/{property_id}/select-values',
    body: { 'value*': 'string', color: 'integer | null' },
    answer: object(selectValue),
  },
  getListOfSelectValues: {
    about: 'The values of a choice. The service is known to page only with `v2_select_search`.',
    call: 'GET /company/custom-properties/{property_id}/select-values',
    query: fields({
      boolean: 'v2_select_search',
      string: 'query order_by',
      '(string | number)[]': 'ids conditions',
      integer: 'offset limit',
    }),
    answer: array(`
      id custom_property_id value color sort_order external_id updated condition
    `),
    paging: 'offset',
    pagesOnlyWith: { v2_select_search: true },
  },
  getSelectValue: {
    about: 'One value.',
    call: 'GET /company/custom-properties/{property_id}/select-values/{id}',
    answer: object(selectValue),
  },
  removeProperty: {
    about: 'Removes a value; the documents name it so.',
    call: 'DELETE /company/custom-properties/{property_id}/select-values/{id}',
    answer: object(selectValue),
  },
  updateSelectValue: {
    about: 'Changes a value.',
    call: 'PATCH /company/custom-properties/{property_id}/select-values/{id}',
    body: {
      value: 'string',
      color: 'integer | null',
      condition: "'active' | 'inactive'",
      sort_order: 'number',
      deleted: 'boolean',
    },
    answer: object(selectValue),
  },
});

/** Places of a property in the tree of spaces. */
export const customPropertyTreeEntities = operations('customPropertyTreeEntities', {
  addTreeEntityToCustomProperty: {
    about: 'Allows a property in an entity of the tree.',
    call: 'POST /company/custom-properties/{property_id}/tree-entities',
    body: { 'tree_entity_uid*': 'string' },
    answer: object('id'),
  },
  deleteTreeEntityFromCustomProperty: {
    about: 'Forbids a property in an entity of the tree.',
    call: 'DELETE /company/custom-properties/{property_id}/tree-entities/{uid}',
    answer: none,
  },
  getListOfCustomPropertyTreeEntities: {
    about: 'The entities in which a property is allowed, in one answer.',
    call: 'GET /company/custom-properties/{property_id}/tree-entities',
    answer: array(treeEntity),
  },
});
