import { array, extend, fields, object, operations, operationsWith, shape } from './row.ts';
import { userShort } from './shared-shapes.ts';

/** AUT: an automation. */
const automation = shape('Automation')`
  created updated id company_id space_uid updater_id name status trigger actions conditions type
  sort_order
`;

/** SPC: a space, base. */
const space = shape('Space')`
  created updated archived uid access for_everyone_access_role_id entity_type path sort_order
  parent_entity_uid company_id id title allowed_card_type_ids hidden_card_type_uids external_id
  settings
`;

/** ACC: the access of one person to a space. */
const spaceAccess = shape('SpaceAccess')`
  entity_uid access_mod own_role_ids own_access_mod own_role user_id
`;

/** A user of a space. */
const spaceUser = shape('SpaceUser', { base: userShort })`
  virtual apps_permissions temporarily_inactive access_mod own_role_ids own_access_mod own_role
  current
`;

/** ITR: an iteration. */
const iteration = shape('Iteration')`
  id space_uid title goal status creator_uid updater_uid start_date finish_date actual_finish_date
  sort_order data created updated
`;

/** ITC: a card in an iteration. */
const iterationCard = shape('IterationCard')`
  iteration_id card_uid added_by_uid removed_at removed_by_uid sort_order created updated
`;

/** Spaces. */
export const spaces = operations('spaces', {
  createNewSpace: {
    about: 'Creates a space.',
    call: 'POST /spaces',
    body: fields({
      'string | number': 'title*',
      'number | string | null': 'external_id',
      string: 'parent_entity_uid for_everyone_access_role_id work_calendar_id',
      number: 'sort_order',
    }),
    answer: object(extend(space, 'users')),
  },
  removeSpace: {
    about: 'Deletes a space.',
    call: 'DELETE /spaces/{space_id}',
    answer: object('id'),
  },
  retrieveListOfSpaces: {
    about: 'The spaces that the account of the token may see.',
    call: 'GET /spaces',
    query: { limit: 'integer', offset: 'integer' },
    answer: array(extend(space, 'boards user_id entity_uid access_mod')),
    paging: 'offset',
  },
  retrieveSpace: {
    about: 'One space.',
    call: 'GET /spaces/{space_id}',
    answer: object(space),
  },
  updateSpace: {
    about: 'Changes a space, or moves it in the tree.',
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
  changeUserRoleAndNotificationSettings: {
    about: 'Sets the role of a person in a space, and what the person hears of it.',
    call: 'PATCH /spaces/{space_id}/users/{id}',
    body: {
      role_id: 'string',
      notifications_enabled: 'boolean',
      space_group_id: 'number | null',
      settings: 'object',
    },
    answer: object(extend(spaceAccess, 'id')),
  },
  getListOfUsers: {
    about: 'The users of a space. A page begins behind `last_user_id`.',
    call: 'GET /spaces/{space_id}/users',
    query: fields({
      boolean: 'include_inherited_access inactive',
      integer: 'limit last_user_id',
    }),
    answer: array(spaceUser),
    paging: 'last-user-id',
  },
  getUser: {
    about: 'One person of a space.',
    call: 'GET /spaces/{space_id}/users/{id}',
    answer: object(extend(userShort, 'virtual entity_uid user_id access_mod')),
  },
  inviteUserToSpace: {
    about: 'Invites a person to a space by e-mail address.',
    call: 'POST /spaces/{space_id}/users',
    body: fields({
      string: 'email* role_id operator_comment',
      boolean: 'guest send_email',
    }),
    answer: object('user access_record message'),
  },
  removeUserFromSpace: {
    about: 'Takes a person out of a space.',
    call: 'DELETE /spaces/{space_id}/users/{id}',
    answer: object(spaceAccess),
  },
});

const checklist = shape('SpaceTemplateChecklist')`uid name sort_order space_uid created updated`;

/** Checklists that a space offers its cards as templates. */
export const spaceTemplateChecklist = operations('spaceTemplateChecklist', {
  createNewSpaceTemplateChecklist: {
    about: 'Creates a template.',
    call: 'POST /spaces/{space_uid}/template-checklists',
    body: { name: 'string', sort_order: 'number' },
    answer: object(checklist),
  },
  getListOfSpaceTemplateChecklists: {
    about: 'The templates of a space with their items, in one answer.',
    call: 'GET /spaces/{space_uid}/template-checklists',
    answer: array(extend(checklist, 'items')),
  },
  removeSpaceTemplateChecklist: {
    about: 'Deletes a template.',
    call: 'DELETE /spaces/{space_uid}/template-checklists/{template_checklist_uid}',
    answer: object('uid'),
  },
  updateSpaceTemplateChecklist: {
    about: 'Changes a template, or moves it to another space.',
    call: 'PATCH /spaces/{space_uid}/template-checklists/{template_checklist_uid}',
    body: { name: 'string', sort_order: 'number', space_uid: 'string' },
    answer: object(checklist),
  },
});

const item = shape('SpaceTemplateChecklistItem')`uid text sort_order user_id created updated`;

/** Items of the template checklists of a space. */
export const spaceTemplateChecklistItems = operations('spaceTemplateChecklistItems', {
  createNewSpaceTemplateChecklistItem: {
    about: 'Adds an item.',
    call: 'POST /spaces/{space_uid}/template-checklists/{template_checklist_uid}/items',
    body: { 'text*': 'string', sort_order: 'number' },
    answer: object(item),
  },
  removeSpaceTemplateChecklistItem: {
    about: 'Removes an item.',
    call: 'DELETE /spaces/{space_uid}/template-checklists/{template_checklist_uid}/items/{item_uid}',
    answer: object('uid'),
  },
  updateSpaceTemplateChecklistItem: {
    about: 'Changes an item.',
    call: 'PATCH /spaces/{space_uid}/template-checklists/{template_checklist_uid}/items/{item_uid}',
    body: { text: 'string', sort_order: 'number' },
    answer: object(item),
  },
});

/** The tree of spaces and documents. */
export const treeEntities = operations('treeEntities', {
  getListOfEntities: {
    about: 'Entities of the tree, from the root or below a parent.',
    call: 'GET /tree-entities',
    query: fields({
      integer: 'limit offset levels_count',
      string: 'parent_entity_uid',
    }),
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
  getListOfTreeEntityRoles: {
    about: 'All roles, in one answer.',
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
  createAutomation: {
    about: 'Creates an automation.',
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
  deleteAutomation: {
    about: 'Deletes an automation.',
    call: 'DELETE /spaces/{space_id}/automations/{automation_uid}',
    answer: object('message'),
  },
  getListOfAutomations: {
    about: 'All automations of a space, in one answer.',
    call: 'GET /spaces/{space_id}/automations',
    answer: array(automation),
  },
  updateAutomation: {
    about: 'Changes an automation.',
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
export const iterations = operationsWith({ stage: 'beta' })('iterations', {
  addCardToIteration: {
    about: 'Puts a card into an iteration.',
    call: 'POST /spaces/{space_uid}/iterations/{iteration_id}/cards',
    pathParameters: { iteration_id: 'string' },
    body: { 'card_uid*': 'string' },
    answer: object(iterationCard),
  },
  createIteration: {
    about: 'Plans an iteration.',
    call: 'POST /spaces/{space_uid}/iterations',
    body: fields({
      string: 'title*',
      'string | null': 'goal start_date finish_date',
    }),
    answer: object(iteration),
  },
  deleteIteration: {
    about: 'Deletes an iteration; its cards may go to another.',
    call: 'DELETE /spaces/{space_uid}/iterations/{id}',
    pathParameters: { id: 'string' },
    body: { new_iteration_id: 'string | null' },
    answer: object(extend(iteration, 'moved_cards')),
  },
  getCardIterationsHistory: {
    about: 'The iterations that a card was in, in one answer.',
    call: 'GET /cards/{card_uid}/iterations-history',
    query: { with_details: 'boolean' },
    answer: array(iterationCard),
  },
  getIteration: {
    about: 'One iteration.',
    call: 'GET /spaces/{space_uid}/iterations/{id}',
    pathParameters: { id: 'string' },
    answer: object(iteration),
  },
  removeCardFromIteration: {
    about: 'Takes a card out of an iteration.',
    call: 'DELETE /spaces/{space_uid}/iterations/{iteration_id}/cards/{uid}',
    pathParameters: { iteration_id: 'string' },
    answer: object(iterationCard),
  },
  retrieveCardsInIteration: {
    about: 'The cards of an iteration, in one answer.',
    call: 'GET /spaces/{space_uid}/iterations/{iteration_id}/cards',
    pathParameters: { iteration_id: 'string' },
    query: { status: 'string' },
    answer: array(extend(iterationCard, 'card_id')),
  },
  retrieveListOfIterations: {
    about: 'The iterations of a space.',
    call: 'GET /spaces/{space_uid}/iterations',
    query: fields({
      string: 'status with_data order',
      number: 'limit offset',
    }),
    answer: array(iteration),
    paging: 'offset',
  },
  updateIteration: {
    about: 'Changes, starts or closes an iteration; cards that are not done may go to another.',
    call: 'PATCH /spaces/{space_uid}/iterations/{id}',
    pathParameters: { id: 'string' },
    body: fields({
      string: 'title',
      'string | null': 'goal start_date finish_date actual_finish_date new_iteration_id',
      "'planned' | 'active' | 'closed'": 'status',
    }),
    answer: object(iteration),
  },
});

const sprint = shape('Sprint')`
  id uid board_id title goal active committed children_committed velocity velocity_details
  children_velocity children_velocity_details creator_id updater_id start_date finish_date
  actual_finish_date created updated archived
`;

/** Sprints of boards. */
export const sprints = operations('sprints', {
  getSprintSummary: {
    about: 'One sprint with its cards. The documents break off within the list of its fields.',
    call: 'GET /sprints/{id}',
    query: { exclude_deleted_cards: 'boolean' },
    answer: object(extend(sprint, 'cards cardUpdates customProperties')),
  },
  getSprintsList: {
    about: 'The sprints of the company.',
    call: 'GET /sprints',
    query: { active: 'boolean', limit: 'integer', offset: 'integer' },
    answer: array(sprint),
    paging: 'offset',
    source: 'field-notes',
  },
});
