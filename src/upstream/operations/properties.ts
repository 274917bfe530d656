import { operations, shape } from './row.ts';
import { treeEntity } from './shared-shapes.ts';

/** PRP: a custom property. */
const customProperty = shape`
  CustomProperty: created updated id uid type name condition show_on_facade multiline author_id
  company_id colorful multi_select values_creatable_by_users values_type vote_variant data protected
  fields_settings color external_id
`;

/** CAT: a catalog value. */
const catalogValue = shape`
  CatalogValue: created updated id custom_property_id value name author_id updater_id condition
`;

/** SCO: a score of one user. */
const scoreValue = shape`
  ScoreValue: created updated id value custom_property_id author_id updater_id company_id card_id
`;

/** VOT: a vote of one user. */
const voteValue = shape`
  VoteValue: created updated id number_vote emoji_vote custom_property_id author_id company_id
  card_id
`;

/** SEL: a select value. */
const selectValue = shape`
  SelectValue: created updated id custom_property_id value color author_id company_id sort_order
  external_id condition
`;

/** Properties that the company adds to its cards. */
export const customProperties = operations('customProperties', '/company/custom-properties')`
  createNewProperty POST
    body name formula show_on_facade multiline vote_variant
      type:'string'|'number'|'date'|'email'|'phone'|'checkbox'|'select'|'formula'|'url'|'collective_score'|'vote'|'collective_vote'|'catalog'|'user'|'attachment'
      values_type colorful multi_select:boolean|null values_creatable_by_users data
      formula_source_card fields_settings color
    answer name type show_on_facade multiline fields_settings author_id company_id updated created
      id condition colorful multi_select values_creatable_by_users data values_type vote_variant
      protected color external_id
  getListOfProperties GET => [${customProperty}]
    query include_values include_author compact load_by_ids ids offset limit order_by
      order_direction query
  getProperty GET /{id} => ${customProperty}
  removeProperty DELETE /{id}
    answer created updated id type name show_on_facade author_id company_id condition colorful
      multi_select values_creatable_by_users data multiline values_type vote_variant protected
      fields_settings color
  updateProperty PATCH /{id} => ${customProperty}
    body name show_on_facade multiline is_used_as_progress condition:active|inactive colorful
      multi_select:boolean|null values_creatable_by_users data color fields_settings:object|null
`;

/** Values of a property that is a catalog. */
export const customPropertyCatalogValues = operations(
  'customPropertyCatalogValues',
  '/company/custom-properties/{property_id}/catalog-values',
)`
  createNewCatalogValue POST => ${catalogValue}
    body value*:object
  getCatalogValue GET /{id} => ${catalogValue}
  getListOfCatalogValues GET => [${catalogValue}]
    query query conditions:string limit offset
  removeProperty DELETE /{id} => ${catalogValue}
    about Removes a value; the documents name it so.
  updateCatalogValue PATCH /{id} => ${catalogValue}
    body condition:active|inactive value:object deleted
`;

/** Scores that users give a card in a property. */
export const customPropertyCollectiveScoreValues = operations(
  'customPropertyCollectiveScoreValues',
  '/cards/{card_id}/custom-properties/{property_id}/collective-score-values',
)`
  createNewScoreValue POST => ${scoreValue}
    body value*
  getListOfScoreValues GET => [id custom_property_id value card_id author_id author]
  updateScoreValue PATCH /{id} => ${scoreValue}
    body value:string|null
`;

/** Votes that users give a card in a property. */
export const customPropertyCollectiveVoteValues = operations(
  'customPropertyCollectiveVoteValues',
  '/cards/{card_id}/custom-properties/{property_id}/collective-vote-values',
)`
  createNewVoteValue POST => ${voteValue}
    body emoji_vote number_vote
  getListOfVoteValues GET => [id custom_property_id number_vote emoji_vote card_id author_id author]
  removeVoteValue DELETE /{id} => id custom_property_id number_vote emoji_vote card_id author_id
    body emoji_vote
  updateVoteValue PATCH /{id} => ${voteValue}
    body number_vote:number|null
`;

/** Values of a property that is a choice. */
export const customPropertySelectValues = operations(
  'customPropertySelectValues',
  '/company/custom-properties/{property_id}/select-values',
)`
  createNewSelectValue POST => ${selectValue}
    body value* color
  getListOfSelectValues GET
    about The values of a choice. The service is known to page only with \`v2_select_search\`.
    query v2_select_search query order_by ids conditions:(string|number)[] offset limit
    pagesOnlyWith v2_select_search
    answer [id custom_property_id value color sort_order external_id updated condition]
  getSelectValue GET /{id} => ${selectValue}
  removeProperty DELETE /{id} => ${selectValue}
    about Removes a value; the documents name it so.
  updateSelectValue PATCH /{id} => ${selectValue}
    body value color condition:active|inactive sort_order deleted
`;

/** Places of a property in the tree of spaces. */
export const customPropertyTreeEntities = operations(
  'customPropertyTreeEntities',
  '/company/custom-properties/{property_id}/tree-entities',
)`
  addTreeEntityToCustomProperty POST => id
    body tree_entity_uid*
  deleteTreeEntityFromCustomProperty DELETE /{uid} => none
  getListOfCustomPropertyTreeEntities GET => [${treeEntity}]
`;
