// Response field lists, as the documents name them.

/** AUT: an automation. */
export const automation = [
  'created',
  'updated',
  'id',
  'company_id',
  'space_uid',
  'updater_id',
  'name',
  'status',
  'trigger',
  'actions',
  'conditions',
  'type',
  'sort_order',
] as const;

/** SPC: a space, base. */
export const space = [
  'created',
  'updated',
  'archived',
  'uid',
  'access',
  'for_everyone_access_role_id',
  'entity_type',
  'path',
  'sort_order',
  'parent_entity_uid',
  'company_id',
  'id',
  'title',
  'allowed_card_type_ids',
  'hidden_card_type_uids',
  'external_id',
  'settings',
] as const;

/** ACC: the access of one person to a space. */
export const spaceAccess = [
  'entity_uid',
  'access_mod',
  'own_role_ids',
  'own_access_mod',
  'own_role',
  'user_id',
] as const;

/** ITR: an iteration. */
export const iteration = [
  'id',
  'space_uid',
  'title',
  'goal',
  'status',
  'creator_uid',
  'updater_uid',
  'start_date',
  'finish_date',
  'actual_finish_date',
  'sort_order',
  'data',
  'created',
  'updated',
] as const;

/** ITC: a card in an iteration. */
export const iterationCard = [
  'iteration_id',
  'card_uid',
  'added_by_uid',
  'removed_at',
  'removed_by_uid',
  'sort_order',
  'created',
  'updated',
] as const;

/** TRE: an entity of the tree of spaces and documents. */
export const treeEntity = [
  'uid',
  'title',
  'company_id',
  'sort_order',
  'path',
  'parent_entity_uid',
  'entity_type',
  'access',
  'archived',
  'for_everyone_access_role_id',
  'protected',
] as const;
