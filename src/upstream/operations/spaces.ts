import { operations, shape } from './row.ts';
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
export const spaces = operations('spaces', '/spaces')`
  createNewSpace POST => ${space} users
    body title*:string|number external_id parent_entity_uid:string
      for_everyone_access_role_id:string work_calendar_id sort_order
  removeSpace DELETE /{space_id}
  retrieveListOfSpaces GET => [${space} boards user_id entity_uid access_mod]
    query limit offset
  retrieveSpace GET /{space_id} => ${space}
  updateSpace PATCH /{space_id} => ${space}
    body title:string|number external_id hidden_card_type_uids settings access parent_entity_uid
      sort_order
`;

/** Users of a space. */
export const spaceUsers = operations('spaceUsers', '/spaces/{space_id}/users')`
  changeUserRoleAndNotificationSettings PATCH /{id} => ${spaceAccess} id
    body role_id:string notifications_enabled space_group_id settings
  getListOfUsers GET => [${spaceUser}]
    about The users of a space. A page begins behind \`last_user_id\`.
    query include_inherited_access inactive limit last_user_id
  getUser GET /{id} => ${userShort} virtual entity_uid user_id access_mod
  inviteUserToSpace POST => user access_record message
    body email* role_id:string operator_comment:string guest send_email
  removeUserFromSpace DELETE /{id} => ${spaceAccess}
`;

const checklist = shape`SpaceTemplateChecklist: uid name sort_order space_uid created updated`;

/** Checklists that a space offers its cards as templates. */
export const spaceTemplateChecklist = operations(
  'spaceTemplateChecklist',
  '/spaces/{space_uid}/template-checklists',
)`
  createNewSpaceTemplateChecklist POST => ${checklist}
    body name sort_order
  getListOfSpaceTemplateChecklists GET => [${checklist} items]
  removeSpaceTemplateChecklist DELETE /{template_checklist_uid} => uid
  updateSpaceTemplateChecklist PATCH /{template_checklist_uid} => ${checklist}
    body name sort_order space_uid
`;

const item = shape`SpaceTemplateChecklistItem: uid text sort_order user_id created updated`;

/** Items of the template checklists of a space. */
export const spaceTemplateChecklistItems = operations(
  'spaceTemplateChecklistItems',
  '/spaces/{space_uid}/template-checklists/{template_checklist_uid}/items',
)`
  createNewSpaceTemplateChecklistItem POST => ${item}
    body text* sort_order
  removeSpaceTemplateChecklistItem DELETE /{item_uid} => uid
  updateSpaceTemplateChecklistItem PATCH /{item_uid} => ${item}
    body text sort_order
`;

/** The tree of spaces and documents. */
export const treeEntities = operations('treeEntities', '/tree-entities')`
  getListOfEntities GET
    query limit offset levels_count parent_entity_uid:string
    stage beta
    source field-notes
    answer [id uid title external_id company_id sort_order path parent_entity_uid entity_type access
      archived for_everyone_access_role_id]
`;

/** Roles that users and groups may have in the tree. */
export const treeEntityRoles = operations('treeEntityRoles', '/tree-entity-roles')`
  getListOfTreeEntityRoles GET
    stage beta
    source field-notes
    answer [id name permissions sort_order new_permissions_default_value updated created]
`;

/** Automations of a space. What triggers, conditions and actions hold is not documented. */
export const automations = operations('automations', '/spaces/{space_id}/automations')`
  createAutomation POST => ${automation}
    body type*:on_action|on_date|on_demand name trigger conditions actions*
  deleteAutomation DELETE /{automation_uid} => message
  getListOfAutomations GET => [${automation}]
  updateAutomation PATCH /{automation_uid} => ${automation}
    body type:on_action|on_date|on_demand name trigger conditions actions
`;

/** Iterations of a space: planned, then active, then closed. */
export const iterations = operations('iterations', '', {
  stage: 'beta',
  pathParameters: { iteration_id: 'string', id: 'string' },
})`
  addCardToIteration POST /spaces/{space_uid}/iterations/{iteration_id}/cards => ${iterationCard}
    body card_uid*
  createIteration POST /spaces/{space_uid}/iterations => ${iteration}
    body title* goal start_date finish_date
  deleteIteration DELETE /spaces/{space_uid}/iterations/{id} => ${iteration} moved_cards
    about Deletes an iteration; its cards may go to another.
    body new_iteration_id
  getCardIterationsHistory GET /cards/{card_uid}/iterations-history => [${iterationCard}]
    query with_details
  getIteration GET /spaces/{space_uid}/iterations/{id} => ${iteration}
  removeCardFromIteration DELETE /spaces/{space_uid}/iterations/{iteration_id}/cards/{uid}
    answer ${iterationCard}
  retrieveCardsInIteration GET /spaces/{space_uid}/iterations/{iteration_id}/cards
    query status
    answer [${iterationCard} card_id]
  retrieveListOfIterations GET /spaces/{space_uid}/iterations => [${iteration}]
    query status with_data order limit:number offset:number
  updateIteration PATCH /spaces/{space_uid}/iterations/{id} => ${iteration}
    about Changes, starts or closes an iteration; cards that are not done may go to another.
    body title goal start_date finish_date actual_finish_date new_iteration_id
      status:planned|active|closed
`;

const sprint = shape`
  Sprint: id uid board_id title goal active committed children_committed velocity velocity_details
  children_velocity children_velocity_details creator_id updater_id start_date finish_date
  actual_finish_date created updated archived
`;

/** Sprints of boards. */
export const sprints = operations('sprints', '/sprints')`
  getSprintSummary GET /{id} => ${sprint} cards cardUpdates customProperties
    about One sprint with its cards. The documents break off within the list of its fields.
    query exclude_deleted_cards
  getSprintsList GET => [${sprint}]
    query active limit offset
    source field-notes
`;
