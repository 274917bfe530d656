import { shape } from './row.ts';

/** UA: a user, short. */
export const userShort = shape`
  UserSummary: id full_name email username avatar_initials_url avatar_uploaded_url initials
  avatar_type lng timezone theme created updated activated ui_version
`;

/** UB: a user, extended. */
export const userExtended = shape`
  User: ${userShort} uid virtual email_blocked email_blocked_reason delete_requested_at
`;

/** UC: a user of a group. */
export const userOfGroup = shape`
  GroupUser: ${userExtended} sd_telegram_id news_subscription delete_confirmation_sent_at
`;

/** UBL: a user of a card blocker. */
export const userOfBlocker = shape`
  BlockerUser: ${userOfGroup} show_tour chat_enabled eula_accepted_at terms_of_service_accepted_at
  privacy_policy_accepted_at block_uid user_uid
`;

/** What every operation tells of a card. */
export const card = shape`
  Card: created updated archived id title asap due_date due_date_time_present expires_later
  sort_order state condition blocking_card blocked size size_unit size_text board_id column_id
  lane_id owner_id type_id version updater_id completed_on_time completed_at last_moved_at
  lane_changed_at column_changed_at first_moved_to_in_progress_at last_moved_to_done_at
  planned_start planned_end ignore_planned_dates_recalculation sprint_id external_id service_id
  properties public share_id share_settings external_user_emails comments_total
  comment_last_added_at parents_count children_count children_done goals_total goals_done
  time_spent_sum time_blocked_sum children_number_properties_sum description_filled
  parent_checklist_ids fifo_order sd_new_comment
`;

/** A card with its relatives. */
export const relatedCard = shape`
  RelatedCard: ${card} children_ids parents_ids has_blocked_children calculated_planned_start
  calculated_planned_end
`;

/** CRD3: a card, as a checklist names it. */
export const cardOfChecklist = shape`
  ChecklistCard: ${relatedCard} description parent_link_ids project_id milestone_id
  counters_recalculated_at sd_external_recipients import_id tag_ids has_access_to_space path_data
  space_id
`;

/** TRE: an entity of the tree of spaces and documents. */
export const treeEntity = shape`
  TreeEntity: uid title company_id sort_order path parent_entity_uid entity_type access archived
  for_everyone_access_role_id protected
`;
