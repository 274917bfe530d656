import type { Fields } from './operation.ts';

/**
 * Names of parameters and of fields of bodies by their type. A name means the same to most operations of the service;
 * a row says where its own has another type.
 */
const NAMES: Fields = {
  "'for_everyone' | 'by_invite'": 'access',
  '(string | number)[]': 'group_ids ids',
  '1 | 2': 'position wip_limit_type',
  '1 | 2 | 3': 'text_format_type_id',
  boolean: `
    active add_to_cards_and_spaces_enabled allow_editing archived asap auto_assign_enabled
    automove_cards backward_moves_enabled blocked broken_api card_cover checked compact deleted
    done_on_time download due_date_time_present exclude_deleted_cards expires_later
    first_image_is_cover for_members_section force guest hidden_on_public_site hide_done_policies
    hide_done_policies_in_done_column ignore_planned_dates_recalculation inactive include_author
    include_fields include_inactive include_inherited_access include_records_count
    include_search_preview include_values invitesOnly is_display is_request is_used_as_progress
    load_by_ids move_parents_to_done multi_select multiline notifications_enabled only_general_sum
    only_paid only_records_count only_shared_cards only_virtual overdue owner_only pause_sla
    personal public redirect required reset_lane_spent_time sd_new_comment send_email show_on_facade
    suggest_fields temporarily_inactive v2_select_search withTransferAccessStatus
    with_daily_distribution with_details with_due_date with_sync_group_attribute with_tree_entities
    with_users_count
  `,
  'boolean | null': 'colorful values_creatable_by_users',
  file: 'file',
  'file[]': 'files[]',
  integer: `
    apps_permissions archive_after_days author_id avatar_type blocker_card_id board_id card_id
    checklist_id col_count column_id condition default_card_type_id display_field_index
    email_frequency group_by items_source_checklist_id lane_id last_moved_warning_after_days
    last_moved_warning_after_hours last_moved_warning_after_minutes last_user_id left levels_count
    limit move_from_space_id number_vote offset order_space_id owner_id permissions prev_card_id
    replace_role_id responsible_id role role_id row_count rules source_share_id space_id subject_by
    time_spent top type type_id ui_version user_id version wip_limit
  `,
  'integer | null': `
    card_hide_after_days color default_space_id icon_color months_to_hide_cards next_column_id
    prev_column_id service_id
  `,
  'integer[]': 'exclude_item_ids',
  "null | 'number' | 'text'": 'values_type',
  "null | 'rating' | 'scale' | 'emoji_set'": 'vote_variant',
  number: 'backup_version count estimate_workload replace_type_id sort_order startIndex',
  'number | null': 'clone_version space_group_id',
  "number | null | 'current'": 'published_version',
  'number | string | null': 'external_id size_text',
  object: `
    conditions email_settings fields_settings filters formula_source_card notification_settings
    properties settings slack_settings telegram_settings trigger values
  `,
  'object[]': 'Operations actions columns fields lanes',
  string: `
    access_type_permissions author_uid card_uid categories comment created_after created_before
    custom_property_uid displayName due_date_after due_date_before email emoji_vote entity_uid
    exclude_directly_added_members_by_entity_uid filter filter_operator
    first_moved_in_progress_after first_moved_in_progress_before for_date format formula from
    full_name id initials last_moved_to_done_at_after last_moved_to_done_at_before letter
    linked_directory_id lng name old_password order orderBy order_by order_direction owner_email
    password profile query reason request_id response_profile response_type sd_access_type search
    space_uid start_position status tag take_licence temporarily_inactive_status text theme
    time_unit timezone title to tree_entity_uid updated_after updated_before url userName username
    value with_data work_calendar_id
  `,
  'string | integer | integer[] | string[]': `
    board_ids card_ids column_ids exclude_board_ids exclude_card_ids exclude_column_ids
    exclude_lane_ids exclude_owner_ids member_ids organizations_ids owner_ids responsible_ids
    space_ids states tag_ids type_ids user_ids visible_column_ids
  `,
  'string | null': `
    actual_finish_date clone_uid default_tags description due_date finish_date
    for_everyone_access_role_id goal hostname icon_type icon_value index_document_uid key
    new_iteration_id notification_period_end notification_period_start operator_comment
    parent_entity_uid planned_end planned_start publish_date redirect_url slug start_date
  `,
  'string | number': 'time_precision',
  'string | string[]': 'additional_card_fields search_fields',
  'string[]': 'hidden_card_type_uids notification_enabled_channels role_ids',
  unknown: 'attributes data news_feed',
  'unknown[]': 'card_properties cell_wip_limits emails',
};

/** Types of parameters by their names. */
export const parameterTypes: ReadonlyMap<string, string> = new Map(
  Object.entries(NAMES).flatMap(([type, names]) =>
    names
      .trim()
      .split(/\s+/)
      .map((name) => [name, type] as const),
  ),
);
