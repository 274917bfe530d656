import { anyWord, type ExpectedGroup, opaque, orNull, travels, words } from '../notation.ts';

export const cardTypeTreeEntities: ExpectedGroup = {
  addTreeEntityToCardType: {
    sends: 'POST /card-types/35/tree-entities',
    path: { type_id: 35 },
    body: { 'tree_entity_uid*': 'e-1' },
  },
  deleteTreeEntityFromCardType: {
    sends: 'DELETE /card-types/35/tree-entities/e-1',
    path: { type_id: 35, uid: 'e-1' },
  },
  getListOfTypeTreeEntities: {
    sends: 'GET /card-types/35/tree-entities',
    path: { type_id: 35 },
  },
};

export const cardTypes: ExpectedGroup = {
  createNewCardType: {
    sends: 'POST /card-types',
    body: {
      'letter*': 'F',
      'name*': 'Flight',
      'color*': 3,
      properties: { a: 1 },
      card_properties: [opaque({ id: 1 })],
      suggest_fields: true,
    },
  },
  getCardType: { sends: 'GET /card-types/35', path: { id: 35 } },
  getListOfCardTypes: { sends: 'GET /card-types', query: { limit: 10, offset: 20 } },
  removeCardType: {
    sends: 'DELETE /card-types/35',
    path: { id: 35 },
    body: { 'replace_type_id*': 36.5 },
  },
  updateCardType: {
    sends: 'PATCH /card-types/35',
    path: { id: 35 },
    body: {
      letter: 'G',
      name: 'Glide',
      color: 4,
      properties: { a: 1 },
      card_properties: [opaque({ id: 1 })],
      suggest_fields: false,
    },
  },
};

export const checklistItems: ExpectedGroup = {
  addItemToChecklist: {
    sends: 'POST /checklists/14/items',
    path: { checklist_id: 14 },
    body: {
      'text*': 'Buy',
      sort_order: 1.5,
      checked: false,
      due_date: orNull('2026-04-01'),
      responsible_id: 7,
    },
  },
  removeChecklistItem: {
    sends: 'DELETE /checklists/14/items/15',
    path: { checklist_id: 14, id: 15 },
  },
  updateChecklistItem: {
    sends: 'PATCH /checklists/14/items/15',
    path: { checklist_id: 14, id: 15 },
    body: {
      text: orNull('Buy'),
      sort_order: 1.5,
      checklist_id: 16,
      checked: true,
      due_date: orNull('2026-04-01'),
      responsible_id: orNull(7.5),
    },
  },
};

export const checklists: ExpectedGroup = {
  retrieveCardsWithChecklist: {
    sends: 'GET /checklists/14',
    path: { id: 14 },
    query: { 'only_shared_cards*': true },
  },
};

const directory = { directory_id: 'dir-1' };
const conditions = travels(
  ['active', 'removed'],
  ['conditions[]', 'active'],
  ['conditions[]', 'removed'],
);

export const customDirectories: ExpectedGroup = {
  createCustomDirectory: {
    sends: 'POST /company/custom-directories',
    body: {
      'name*': 'Airports',
      description: orNull('where we land'),
      multi_select: true,
      allow_editing: false,
      display_field_index: 0,
      fields: [{ name: 'Code' }],
    },
  },
  deleteCustomDirectory: {
    sends: 'DELETE /company/custom-directories/dir-1',
    path: directory,
  },
  getCustomDirectory: { sends: 'GET /company/custom-directories/dir-1', path: directory },
  getListOfCustomDirectories: {
    sends: 'GET /company/custom-directories',
    query: {
      include_fields: true,
      include_author: false,
      include_records_count: true,
      limit: 10.5,
      offset: 20.5,
      query: 'air ports',
      conditions,
    },
  },
  updateCustomDirectory: {
    sends: 'PATCH /company/custom-directories/dir-1',
    path: directory,
    body: {
      name: 'Airfields',
      description: orNull('where we land'),
      condition: words('active', 'inactive', 'removed'),
      multi_select: true,
      allow_editing: false,
      fields: [{ name: 'Code' }],
    },
  },
};

const field = { directory_id: 'dir-1', field_id: 'fld-1' };

export const customDirectoryFields: ExpectedGroup = {
  createField: {
    sends: 'POST /company/custom-directories/dir-1/fields',
    path: directory,
    body: {
      'name*': 'Code',
      'type*': words(
        'string',
        'number',
        'date',
        'email',
        'url',
        'phone',
        'checkbox',
        'select',
        'user',
        'catalog',
        'directory_link',
        'file',
      ),
      sort_order: 1,
      required: true,
      is_display: false,
    },
  },
  deleteField: { sends: 'DELETE /company/custom-directories/dir-1/fields/fld-1', path: field },
  getField: { sends: 'GET /company/custom-directories/dir-1/fields/fld-1', path: field },
  getListOfFields: {
    sends: 'GET /company/custom-directories/dir-1/fields',
    path: directory,
    query: { include_author: true, conditions },
  },
  updateField: {
    sends: 'PATCH /company/custom-directories/dir-1/fields/fld-1',
    path: field,
    body: {
      name: 'Code',
      condition: words('active', 'inactive', 'removed'),
      sort_order: 1,
      required: true,
      is_display: false,
    },
  },
};

const record = { directory_id: 'dir-1', record_id: 'rec-1' };

export const customDirectoryRecords: ExpectedGroup = {
  createRecord: {
    sends: 'POST /company/custom-directories/dir-1/records',
    path: directory,
    query: { response_profile: 'full' },
    body: { 'values*': { 'fld-1': { value_text: 'LHR' } } },
  },
  deleteRecord: { sends: 'DELETE /company/custom-directories/dir-1/records/rec-1', path: record },
  getCardsLinkedToRecord: {
    sends: 'GET /company/custom-directories/dir-1/records/rec-1/cards',
    path: record,
    query: { limit: 10.5, offset: 20.5, filter: 'e30=' },
  },
  getListOfRecords: {
    sends: 'GET /company/custom-directories/dir-1/records',
    path: directory,
    query: {
      limit: 10.5,
      offset: 20.5,
      query: 'l hr',
      profile: 'summary',
      include_values: true,
      include_author: false,
      conditions,
      filters: travels({ 'fld-1': 'LHR' }, ['filters', '{"fld-1":"LHR"}']),
      filter_operator: 'or',
    },
  },
  getRecord: {
    sends: 'GET /company/custom-directories/dir-1/records/rec-1',
    path: record,
    query: { profile: 'details' },
  },
  updateRecord: {
    sends: 'PATCH /company/custom-directories/dir-1/records/rec-1',
    path: record,
    query: { response_profile: 'full' },
    body: {
      condition: words('active', 'inactive', 'removed'),
      values: { 'fld-1': { value_text: 'LGW' } },
    },
  },
};

export const customProperties: ExpectedGroup = {
  createNewProperty: {
    sends: 'POST /company/custom-properties',
    body: {
      name: 'Altitude',
      show_on_facade: true,
      multiline: false,
      vote_variant: words(null, 'rating', 'scale', 'emoji_set'),
      type: words(
        'string',
        'number',
        'date',
        'email',
        'phone',
        'checkbox',
        'select',
        'formula',
        'url',
        'collective_score',
        'vote',
        'collective_vote',
        'catalog',
        'user',
        'attachment',
      ),
      values_type: words(null, 'number', 'text'),
      colorful: orNull(true),
      multi_select: orNull(false),
      values_creatable_by_users: orNull(true),
      data: opaque({ a: 1 }),
      formula: '1 + 1',
      formula_source_card: { id: 1 },
      color: orNull(3),
      fields_settings: { a: 1 },
    },
  },
  getListOfProperties: {
    sends: 'GET /company/custom-properties',
    query: {
      include_values: true,
      include_author: false,
      compact: true,
      load_by_ids: false,
      ids: travels([61, 62], ['ids', '61,62']),
      offset: 10,
      limit: 20,
      order_by: 'name',
      order_direction: 'asc',
      query: 'alti tude',
    },
  },
  getProperty: { sends: 'GET /company/custom-properties/61', path: { id: 61 } },
  removeProperty: { sends: 'DELETE /company/custom-properties/61', path: { id: 61 } },
  updateProperty: {
    sends: 'PATCH /company/custom-properties/61',
    path: { id: 61 },
    body: {
      name: 'Height',
      show_on_facade: true,
      multiline: false,
      condition: words('active', 'inactive'),
      colorful: orNull(true),
      multi_select: orNull(false),
      values_creatable_by_users: orNull(true),
      data: opaque({ a: 1 }),
      color: orNull(3),
      fields_settings: orNull({ a: 1 }),
      is_used_as_progress: true,
    },
  },
};

const property = { property_id: 61 };
const value = { property_id: 61, id: 71 };

export const customPropertyCatalogValues: ExpectedGroup = {
  createNewCatalogValue: {
    sends: 'POST /company/custom-properties/61/catalog-values',
    path: property,
    body: { 'value*': { a: 'b' } },
  },
  getCatalogValue: {
    sends: 'GET /company/custom-properties/61/catalog-values/71',
    path: value,
  },
  getListOfCatalogValues: {
    sends: 'GET /company/custom-properties/61/catalog-values',
    path: property,
    query: { query: 'a b', conditions: anyWord('active'), limit: 10, offset: 20 },
  },
  removeProperty: {
    sends: 'DELETE /company/custom-properties/61/catalog-values/71',
    path: value,
  },
  updateCatalogValue: {
    sends: 'PATCH /company/custom-properties/61/catalog-values/71',
    path: value,
    body: { condition: words('active', 'inactive'), value: { a: 'c' }, deleted: false },
  },
};

const cardProperty = { card_id: 11, property_id: 61 };
const cardValue = { card_id: 11, property_id: 61, id: 71 };

export const customPropertyCollectiveScoreValues: ExpectedGroup = {
  createNewScoreValue: {
    sends: 'POST /cards/11/custom-properties/61/collective-score-values',
    path: cardProperty,
    body: { 'value*': '5' },
  },
  getListOfScoreValues: {
    sends: 'GET /cards/11/custom-properties/61/collective-score-values',
    path: cardProperty,
  },
  updateScoreValue: {
    sends: 'PATCH /cards/11/custom-properties/61/collective-score-values/71',
    path: cardValue,
    body: { value: orNull('6') },
  },
};

export const customPropertyCollectiveVoteValues: ExpectedGroup = {
  createNewVoteValue: {
    sends: 'POST /cards/11/custom-properties/61/collective-vote-values',
    path: cardProperty,
    body: { emoji_vote: '👍', number_vote: 4 },
  },
  getListOfVoteValues: {
    sends: 'GET /cards/11/custom-properties/61/collective-vote-values',
    path: cardProperty,
  },
  removeVoteValue: {
    sends: 'DELETE /cards/11/custom-properties/61/collective-vote-values/71',
    path: cardValue,
    body: { emoji_vote: '👍' },
  },
  updateVoteValue: {
    sends: 'PATCH /cards/11/custom-properties/61/collective-vote-values/71',
    path: cardValue,
    body: { number_vote: orNull(4.5) },
  },
};

export const customPropertySelectValues: ExpectedGroup = {
  createNewSelectValue: {
    sends: 'POST /company/custom-properties/61/select-values',
    path: property,
    body: { 'value*': 'red', color: orNull(3) },
  },
  getListOfSelectValues: {
    sends: 'GET /company/custom-properties/61/select-values',
    path: property,
    query: {
      v2_select_search: true,
      query: 'r ed',
      order_by: 'value',
      ids: travels([71, 72], ['ids', '71,72']),
      conditions: travels(['active', 'inactive'], ['conditions', 'active,inactive']),
      offset: 10,
      limit: 20,
    },
  },
  getSelectValue: { sends: 'GET /company/custom-properties/61/select-values/71', path: value },
  removeProperty: { sends: 'DELETE /company/custom-properties/61/select-values/71', path: value },
  updateSelectValue: {
    sends: 'PATCH /company/custom-properties/61/select-values/71',
    path: value,
    body: {
      value: 'blue',
      color: orNull(3),
      condition: words('active', 'inactive'),
      sort_order: 1.5,
      deleted: false,
    },
  },
};

export const customPropertyTreeEntities: ExpectedGroup = {
  addTreeEntityToCustomProperty: {
    sends: 'POST /company/custom-properties/61/tree-entities',
    path: property,
    body: { 'tree_entity_uid*': 'e-1' },
  },
  deleteTreeEntityFromCustomProperty: {
    sends: 'DELETE /company/custom-properties/61/tree-entities/e-1',
    path: { property_id: 61, uid: 'e-1' },
  },
  getListOfCustomPropertyTreeEntities: {
    sends: 'GET /company/custom-properties/61/tree-entities',
    path: property,
  },
};
