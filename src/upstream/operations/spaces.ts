import { userShort } from './people.ts';
import { array, object, operations, words } from './row.ts';

/** AUT: an automation. */
const automation = words(`
  created updated id company_id space_uid updater_id name status trigger actions conditions type
  sort_order
`);

/** SPC: a space, base. */
const space = words(`
  created updated archived uid access for_everyone_access_role_id entity_type path sort_order
  parent_entity_uid company_id id title allowed_card_type_ids hidden_card_type_uids external_id
  settings
`);

/** ACC: the access of one person to a space. */
const spaceAccess = words(`
  entity_uid access_mod own_role_ids own_access_mod own_role user_id
`);

/** ITR: an iteration. */
const iteration = words(`
  id space_uid title goal status creator_uid updater_uid start_date finish_date actual_finish_date
  sort_order data created updated
`);

/** ITC: a card in an iteration. */
const iterationCard = words(`
  iteration_id card_uid added_by_uid removed_at removed_by_uid sort_order created updated
`);

/** TRE: an entity of the tree of spaces and documents. */
export const treeEntity = words(`
  uid title company_id sort_order path parent_entity_uid entity_type access archived
  for_everyone_access_role_id protected
`);

/** Spaces. */
export const spaces = operations('spaces', {
  /** Creates a space. */
  createNewSpace: {
    call: 'POST /spaces',
    body: {
      'title*': 'string | number',
      external_id: 'number | string | null',
      parent_entity_uid: 'string',
      for_everyone_access_role_id: 'string',
      sort_order: 'number',
      work_calendar_id: 'string',
    },
    answer: object([...space, 'users']),
  },
  /** Deletes a space. */
  removeSpace: {
    call: 'DELETE /spaces/{space_id}',
    answer: object('id'),
  },
  /** The spaces that the account of the token may see. */
  retrieveListOfSpaces: {
    call: 'GET /spaces',
    query: { limit: 'integer', offset: 'integer' },
    answer: array([...space, ...words('boards user_id entity_uid access_mod')]),
    paging: 'offset',
  },
  /** One space. */
  retrieveSpace: {
    call: 'GET /spaces/{space_id}',
    answer: object(space),
  },
  /** Changes a space, or moves it in the tree. */
  updateSpace: {
    call: 'PATCH /spaces/{space_id}',
    body: {
      title: 'string | number',
      external_id: 'number | string | null',
      hidden_card_type_uids: 'string[]',
      settings: 'object',
      access: "'for_everyone' | 'by_invite'",
      parent_entity_uid: 'string | null',
      sort_order: 'number',
    },
    answer: object(space),
  },
});

/** Users of a space. */
export const spaceUsers = operations('spaceUsers', {
  /** Sets the role of a person in a space, and what the person hears of it. */
  changeUserRoleAndNotificationSettings: {
    call: 'PATCH /spaces/{space_id}/users/{id}',
    body: {
      role_id: 'string',
      notifications_enabled: 'boolean',
      space_group_id: 'number | null',
      settings: 'object',
    },
    answer: object([...spaceAccess, 'id']),
  },
  /** The users of a space. A page begins behind `last_user_id`. */
  getListOfUsers: {
    call: 'GET /spaces/{space_id}/users',
    query: {
      include_inherited_access: 'boolean',
      inactive: 'boolean',
      limit: 'integer',
      last_user_id: 'integer',
    },
    answer: array([
      ...userShort,
      ...words(`
        virtual apps_permissions temporarily_inactive access_mod own_role_ids own_access_mod
        own_role current
      `),
    ]),
    paging: 'last-user-id',
  },
  /** One person of a space. */
  getUser: {
    call: 'GET /spaces/{space_id}/users/{id}',
    answer: object([...userShort, ...words('virtual entity_uid user_id access_mod')]),
  },
  /** Invites a person to a space by e-mail address. */
  inviteUserToSpace: {
    call: 'POST /spaces/{space_id}/users',
    body: {
      'email*': 'string',
      role_id: 'string',
      guest: 'boolean',
      operator_comment: 'string',
      send_email: 'boolean',
    },
    answer: object('user access_record message'),
  },
  /** Takes a person out of a space. */
  removeUserFromSpace: {
    call: 'DELETE /spaces/{space_id}/users/{id}',
    answer: object(spaceAccess),
  },
});

const checklist = words('uid name sort_order space_uid created updated');

/** Checklists that a space offers its cards as templates. */
export const spaceTemplateChecklist = operations('spaceTemplateChecklist', {
  /** Creates a template. */
  createNewSpaceTemplateChecklist: {
    call: 'POST /spaces/{space_uid}/template-checklists',
    body: { name: 'string', sort_order: 'number' },
    answer: object(checklist),
  },
  /** The templates of a space with their items, in one answer. */
  getListOfSpaceTemplateChecklists: {
    call: 'GET /spaces/{space_uid}/template-checklists',
    answer: array([...checklist, 'items']),
  },
  /** Deletes a template. */
  removeSpaceTemplateChecklist: {
    call: 'DELETE /spaces/{space_uid}/template-checklists/{template_checklist_uid}',
    answer: object('uid'),
  },
  /** Changes a template, or moves it to another space. */
  updateSpaceTemplateChecklist: {
    call: 'PATCH /spaces/{space_uid}/template-checklists/{template_checklist_uid}',
    body: { name: 'string', sort_order: 'number', space_uid: 'string' },
    answer: object(checklist),
  },
});

const item = words('uid text sort_order user_id created updated');

/** Items of the template checklists of a space. */
export const spaceTemplateChecklistItems = operations('spaceTemplateChecklistItems', {
  /** Adds an item. */
  createNewSpaceTemplateChecklistItem: {
    call: 'POST /spaces/{space_uid}/template-checklists/{template_checklist_uid}/items',
    body: { 'text*': 'string', sort_order: 'number' },
    answer: object(item),
  },
  /** Removes an item. */
  removeSpaceTemplateChecklistItem: {
    call: 'DELETE /spaces/{space_uid}/template-checklists/{template_checklist_uid}/items/{item_uid}',
    answer: object('uid'),
  },
  /** Changes an item. */
  updateSpaceTemplateChecklistItem: {
    call: 'PATCH /spaces/{space_uid}/template-checklists/{template_checklist_uid}/items/{item_uid}',
    body: { text: 'string', sort_order: 'number' },
    answer: object(item),
  },
});

/** The tree of spaces and documents. */
export const treeEntities = operations('treeEntities', {
  /** Entities of the tree, from the root or below a parent. */
  getListOfEntities: {
    call: 'GET /tree-entities',
    query: {
      limit: 'integer',
      offset: 'integer',
      parent_entity_uid: 'string',
      levels_count: 'integer',
    },
    answer: array(`
      id uid title external_id company_id sort_order path parent_entity_uid entity_type access
      archived for_everyone_access_role_id
    `),
    paging: 'offset',
    stage: 'beta',
    source: 'field-notes',
  },
});

/** Roles that users and groups may have in the tree. */
export const treeEntityRoles = operations('treeEntityRoles', {
  /** All roles, in one answer. */
  getListOfTreeEntityRoles: {
    call: 'GET /tree-entity-roles',
    answer: array(`
      id name permissions sort_order new_permissions_default_value updated created
    `),
    stage: 'beta',
    source: 'field-notes',
  },
});

/** Automations of a space. What triggers, conditions and actions hold is not documented. */
export const automations = operations('automations', {
  /** Creates an automation. */
  createAutomation: {
    call: 'POST /spaces/{space_id}/automations',
    body: {
      'type*': "'on_action' | 'on_date' | 'on_demand'",
      name: 'string',
      trigger: 'object',
      conditions: 'object',
      'actions*': 'object[]',
    },
    answer: object(automation),
  },
  /** Deletes an automation. */
  deleteAutomation: {
    call: 'DELETE /spaces/{space_id}/automations/{automation_uid}',
    answer: object('message'),
  },
  /** All automations of a space, in one answer. */
  getListOfAutomations: {
    call: 'GET /spaces/{space_id}/automations',
    answer: array(automation),
  },
  /** Changes an automation. */
  updateAutomation: {
    call: 'PATCH /spaces/{space_id}/automations/{automation_uid}',
    body: {
      type: "'on_action' | 'on_date' | 'on_demand'",
      name: 'string',
      trigger: 'object',
      conditions: 'object',
      actions: 'object[]',
    },
    answer: object(automation),
  },
});

/** Iterations of a space: planned, then active, then closed. */
export const iterations = operations('iterations', {
  /** Puts a card into an iteration. */
  addCardToIteration: {
    call: 'POST /spaces/{space_uid}/iterations/{iteration_id}/cards',
    pathParameters: { iteration_id: 'string' },
    body: { 'card_uid*': 'string' },
    answer: object(iterationCard),
    stage: 'beta',
  },
  /** Plans an iteration. */
  createIteration: {
    call: 'POST /spaces/{space_uid}/iterations',
    body: {
      'title*': 'string',
      goal: 'string | null',
      start_date: 'string | null',
      finish_date: 'string | null',
    },
    answer: object(iteration),
    stage: 'beta',
  },
  /** Deletes an iteration; its cards may go to another. */
  deleteIteration: {
    call: 'DELETE /spaces/{space_uid}/iterations/{id}',
    pathParameters: { id: 'string' },
    body: { new_iteration_id: 'string | null' },
    answer: object([...iteration, 'moved_cards']),
    stage: 'beta',
  },
  /** The iterations that a card was in, in one answer. */
  getCardIterationsHistory: {
    call: 'GET /cards/{card_uid}/iterations-history',
    query: { with_details: 'boolean' },
    answer: array(iterationCard),
    stage: 'beta',
  },
  /** One iteration. */
  getIteration: {
    call: 'GET /spaces/{space_uid}/iterations/{id}',
    pathParameters: { id: 'string' },
    answer: object(iteration),
    stage: 'beta',
  },
  /** Takes a card out of an iteration. */
  removeCardFromIteration: {
    call: 'DELETE /spaces/{space_uid}/iterations/{iteration_id}/cards/{uid}',
    pathParameters: { iteration_id: 'string' },
    answer: object(iterationCard),
    stage: 'beta',
  },
  /** The cards of an iteration, in one answer. */
  retrieveCardsInIteration: {
    call: 'GET /spaces/{space_uid}/iterations/{iteration_id}/cards',
    pathParameters: { iteration_id: 'string' },
    query: { status: 'string' },
    answer: array([...iterationCard, 'card_id']),
    stage: 'beta',
  },
  /** The iterations of a space. */
  retrieveListOfIterations: {
    call: 'GET /spaces/{space_uid}/iterations',
    query: {
      status: 'string',
      with_data: 'string',
      limit: 'number',
      offset: 'number',
      order: 'string',
    },
    answer: array(iteration),
    paging: 'offset',
    stage: 'beta',
  },
  /** Changes, starts or closes an iteration; cards that are not done may go to another. */
  updateIteration: {
    call: 'PATCH /spaces/{space_uid}/iterations/{id}',
    pathParameters: { id: 'string' },
    body: {
      title: 'string',
      goal: 'string | null',
      status: "'planned' | 'active' | 'closed'",
      start_date: 'string | null',
      finish_date: 'string | null',
      actual_finish_date: 'string | null',
      new_iteration_id: 'string | null',
    },
    answer: object(iteration),
    stage: 'beta',
  },
});

const sprint = words(`
  id uid board_id title goal active committed children_committed velocity velocity_details
  children_velocity children_velocity_details creator_id updater_id start_date finish_date
  actual_finish_date created updated archived
`);

/** Sprints of boards. */
export const sprints = operations('sprints', {
  /** One sprint with its cards. The documents break off within the list of its fields. */
  getSprintSummary: {
    call: 'GET /sprints/{id}',
    query: { exclude_deleted_cards: 'boolean' },
    answer: object([...sprint, 'cards', 'cardUpdates', 'customProperties']),
  },
  /** The sprints of the company. */
  getSprintsList: {
    call: 'GET /sprints',
    query: { active: 'boolean', limit: 'integer', offset: 'integer' },
    answer: array(sprint),
    paging: 'offset',
    source: 'field-notes',
  },
});
