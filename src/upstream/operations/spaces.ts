import { operations, operationsWith, shape } from './row.ts';
import { userShort } from './shared-shapes.ts';

/** AUT: an automation. */
const automation = shape`
  Automation: created updated id company_id space_uid updater_id name status trigger actions
  conditions type sort_order
`;

/** SPC: a space, base. */
const space = shape`
  Space: created updated archived uid access for_everyone_access_role_id entity_type path sort_order
  parent_entity_uid company_id id title allowed_card_type_ids hidden_card_type_uids external_id
  settings
`;

/** ACC: the access of one person to a space. */
const spaceAccess = shape`SpaceAccess: entity_uid access_mod own_role_ids own_access_mod own_role user_id`;

/** A user of a space. */
const spaceUser = shape`
  SpaceUser: ${userShort} virtual apps_permissions temporarily_inactive access_mod own_role_ids
  own_access_mod own_role current
`;

/** ITR: an iteration. */
const iteration = shape`
  Iteration: id space_uid title goal status creator_uid updater_uid start_date finish_date
  actual_finish_date sort_order data created updated
`;

/** ITC: a card in an iteration. */
const iterationCard = shape`
  IterationCard: iteration_id card_uid added_by_uid removed_at removed_by_uid sort_order created
  updated
`;

/** Spaces. */
export const spaces = operations('spaces', '/spaces', {
  createNewSpace: {
    call: 'POST',
    body: `
      title*:string|number external_id parent_entity_uid:string for_everyone_access_role_id:string
      work_calendar_id sort_order
    `,
    answer: shape`${space} users`,
  },
  removeSpace: { call: 'DELETE /{space_id}' },
  retrieveListOfSpaces: {
    call: 'GET',
    query: 'limit offset',
    answer: [shape`${space} boards user_id entity_uid access_mod`],
    paging: 'offset',
  },
  retrieveSpace: { call: 'GET /{space_id}', answer: space },
  updateSpace: {
    call: 'PATCH /{space_id}',
    body: `
      title:string|number external_id hidden_card_type_uids settings access parent_entity_uid
      sort_order
    `,
    answer: space,
  },
});

/** Users of a space. */
export const spaceUsers = operations('spaceUsers', '/spaces/{space_id}/users', {
  changeUserRoleAndNotificationSettings: {
    call: 'PATCH /{id}',
    body: 'role_id:string notifications_enabled space_group_id settings',
    answer: shape`${spaceAccess} id`,
  },
  getListOfUsers: {
    about: 'The users of a space. A page begins behind `last_user_id`.',
    call: 'GET',
    query: 'include_inherited_access inactive limit last_user_id',
    answer: [spaceUser],
    paging: 'last-user-id',
  },
  getUser: { call: 'GET /{id}', answer: shape`${userShort} virtual entity_uid user_id access_mod` },
  inviteUserToSpace: {
    call: 'POST',
    body: 'email* role_id:string operator_comment:string guest send_email',
    answer: 'user access_record message',
  },
  removeUserFromSpace: { call: 'DELETE /{id}', answer: spaceAccess },
});

const checklist = shape`SpaceTemplateChecklist: uid name sort_order space_uid created updated`;

/** Checklists that a space offers its cards as templates. */
export const spaceTemplateChecklist = operations(
  'spaceTemplateChecklist',
  '/spaces/{space_uid}/template-checklists',
  {
    createNewSpaceTemplateChecklist: { call: 'POST', body: 'name sort_order', answer: checklist },
    getListOfSpaceTemplateChecklists: { call: 'GET', answer: [shape`${checklist} items`] },
    removeSpaceTemplateChecklist: { call: 'DELETE /{template_checklist_uid}', answer: 'uid' },
    updateSpaceTemplateChecklist: {
      call: 'PATCH /{template_checklist_uid}',
      body: 'name sort_order space_uid',
      answer: checklist,
    },
  },
);

const item = shape`SpaceTemplateChecklistItem: uid text sort_order user_id created updated`;

/** Items of the template checklists of a space. */
export const spaceTemplateChecklistItems = operations(
  'spaceTemplateChecklistItems',
  '/spaces/{space_uid}/template-checklists/{template_checklist_uid}/items',
  {
    createNewSpaceTemplateChecklistItem: { call: 'POST', body: 'text* sort_order', answer: item },
    removeSpaceTemplateChecklistItem: { call: 'DELETE /{item_uid}', answer: 'uid' },
    updateSpaceTemplateChecklistItem: {
      call: 'PATCH /{item_uid}',
      body: 'text sort_order',
      answer: item,
    },
  },
);

/** The tree of spaces and documents. */
export const treeEntities = operations('treeEntities', '/tree-entities', {
  getListOfEntities: {
    call: 'GET',
    query: 'limit offset levels_count parent_entity_uid:string',
    answer: [
      `
      id uid title external_id company_id sort_order path parent_entity_uid entity_type access
      archived for_everyone_access_role_id
    `,
    ],
    paging: 'offset',
    stage: 'beta',
    source: 'field-notes',
  },
});

/** Roles that users and groups may have in the tree. */
export const treeEntityRoles = operations('treeEntityRoles', '/tree-entity-roles', {
  getListOfTreeEntityRoles: {
    call: 'GET',
    answer: ['id name permissions sort_order new_permissions_default_value updated created'],
    stage: 'beta',
    source: 'field-notes',
  },
});

/** Automations of a space. What triggers, conditions and actions hold is not documented. */
export const automations = operations('automations', '/spaces/{space_id}/automations', {
  createAutomation: {
    call: 'POST',
    body: 'type*:on_action|on_date|on_demand name trigger conditions actions*',
    answer: automation,
  },
  deleteAutomation: { call: 'DELETE /{automation_uid}', answer: 'message' },
  getListOfAutomations: { call: 'GET', answer: [automation] },
  updateAutomation: {
    call: 'PATCH /{automation_uid}',
    body: 'type:on_action|on_date|on_demand name trigger conditions actions',
    answer: automation,
  },
});

/** Iterations of a space: planned, then active, then closed. */
export const iterations = operationsWith({
  stage: 'beta',
  pathParameters: { iteration_id: 'string', id: 'string' },
})('iterations', '', {
  addCardToIteration: {
    call: 'POST /spaces/{space_uid}/iterations/{iteration_id}/cards',
    body: 'card_uid*',
    answer: iterationCard,
  },
  createIteration: {
    call: 'POST /spaces/{space_uid}/iterations',
    body: 'title* goal start_date finish_date',
    answer: iteration,
  },
  deleteIteration: {
    about: 'Deletes an iteration; its cards may go to another.',
    call: 'DELETE /spaces/{space_uid}/iterations/{id}',
    body: 'new_iteration_id',
    answer: shape`${iteration} moved_cards`,
  },
  getCardIterationsHistory: {
    call: 'GET /cards/{card_uid}/iterations-history',
    query: 'with_details',
    answer: [iterationCard],
  },
  getIteration: { call: 'GET /spaces/{space_uid}/iterations/{id}', answer: iteration },
  removeCardFromIteration: {
    call: 'DELETE /spaces/{space_uid}/iterations/{iteration_id}/cards/{uid}',
    answer: iterationCard,
  },
  retrieveCardsInIteration: {
    call: 'GET /spaces/{space_uid}/iterations/{iteration_id}/cards',
    query: 'status',
    answer: [shape`${iterationCard} card_id`],
  },
  retrieveListOfIterations: {
    call: 'GET /spaces/{space_uid}/iterations',
    query: 'status with_data order limit:number offset:number',
    answer: [iteration],
    paging: 'offset',
  },
  updateIteration: {
    about: 'Changes, starts or closes an iteration; cards that are not done may go to another.',
    call: 'PATCH /spaces/{space_uid}/iterations/{id}',
    body: `
      title goal start_date finish_date actual_finish_date new_iteration_id
      status:planned|active|closed
    `,
    answer: iteration,
  },
});

const sprint = shape`
  Sprint: id uid board_id title goal active committed children_committed velocity velocity_details
  children_velocity children_velocity_details creator_id updater_id start_date finish_date
  actual_finish_date created updated archived
`;

/** Sprints of boards. */
export const sprints = operations('sprints', '/sprints', {
  getSprintSummary: {
    about: 'One sprint with its cards. The documents break off within the list of its fields.',
    call: 'GET /{id}',
    query: 'exclude_deleted_cards',
    answer: shape`${sprint} cards cardUpdates customProperties`,
  },
  getSprintsList: {
    call: 'GET',
    query: 'active limit offset',
    answer: [sprint],
    paging: 'offset',
    source: 'field-notes',
  },
});
