import { operations, shape } from './row.ts';

/** A deletion of what may hold something. */
const FORCE =
  'one that holds something only with `force`, which some installations take from the query.';

/** BRB: a board, base. */
const board = shape`
  Board: created updated id title cell_wip_limits external_id default_card_type_id description
  email_key move_parents_to_done default_tags first_image_is_cover reset_lane_spent_time
  backward_moves_enabled hide_done_policies hide_done_policies_in_done_column automove_cards
  auto_assign_enabled card_properties columns lanes
`;

/** COL: a column. */
const column = shape`
  Column: created updated id title sort_order col_count wip_limit type rules board_id column_id
  archive_after_days wip_limit_type external_id default_tags last_moved_warning_after_minutes
  last_moved_warning_after_days last_moved_warning_after_hours months_to_hide_cards
  card_hide_after_days
`;

/** LAN: a lane. */
const lane = shape`
  Lane: created updated id title sort_order row_count wip_limit wip_limit_type
  last_moved_warning_after_minutes last_moved_warning_after_days last_moved_warning_after_hours
  board_id default_card_type_id default_tags external_id condition
`;

/** Boards without their space; the operations of a board in a space are `spaceBoards`. */
export const boards = operations('boards', '/boards/{id}')`
  getBoard GET => ${board} cards
`;

/** Boards of a space. */
export const spaceBoards = operations('spaceBoards', '/spaces/{space_id}/boards')`
  createNewBoard POST => ${board} top left sort_order
    body title*:string|number columns lanes description top left default_card_type_id
      first_image_is_cover reset_lane_spent_time automove_cards backward_moves_enabled
      auto_assign_enabled sort_order external_id
  getBoard GET /{id} => ${board} cards space_id board_id top left sort_order
    about One board with its columns, lanes and cards, and its place in the space.
  getListOfBoards GET => [${board} space_id board_id top left sort_order type]
  removeBoard DELETE /{id}
    about Deletes a board; ${FORCE}
    query force~
    body force
  updateBoard PATCH /{id} => ${board} top left sort_order
    body title:string|number description default_tags top left default_card_type_id
      move_from_space_id type:1|5 cell_wip_limits first_image_is_cover reset_lane_spent_time
      automove_cards backward_moves_enabled move_parents_to_done hide_done_policies
      hide_done_policies_in_done_column auto_assign_enabled sort_order external_id
      card_properties:object[]|null
`;

/** Columns of a board. */
export const columns = operations('columns', '/boards/{board_id}/columns')`
  createNewColumn POST => ${column}
    body last_moved_warning_after_days last_moved_warning_after_hours
      last_moved_warning_after_minutes title* external_id sort_order type:1|2|3 wip_limit col_count
      archive_after_days rules wip_limit_type months_to_hide_cards card_hide_after_days
  getListOfColumns GET => [${column} pause_sla subcolumns]
  removeColumn DELETE /{id}
    about Deletes a column; ${FORCE}
    query force~
    body force
  updateColumn PATCH /{id} => ${column}
    body last_moved_warning_after_days last_moved_warning_after_hours
      last_moved_warning_after_minutes external_id title sort_order type:1|2|3
      wip_limit:integer|null months_to_hide_cards card_hide_after_days prev_column_id next_column_id
      wip_limit_type col_count archive_after_days rules default_tags pause_sla
`;

/** Columns within a column. */
export const subcolumn = operations('subcolumn', '/columns/{column_id}/subcolumns', {
  source: 'field-notes',
})`
  createNewSubcolumn POST => ${column}
    body last_moved_warning_after_days last_moved_warning_after_hours
      last_moved_warning_after_minutes title* external_id sort_order type archive_after_days
      col_count rules wip_limit months_to_hide_cards card_hide_after_days
  getListOfSubcolumns GET => [${column}]
  removeSubcolumn DELETE /{id}
    about Deletes a subcolumn; ${FORCE}
    query force
    body force
  updateSubcolumn PATCH /{id} => ${column}
    body last_moved_warning_after_days last_moved_warning_after_hours
      last_moved_warning_after_minutes title external_id sort_order type archive_after_days
      col_count rules months_to_hide_cards card_hide_after_days prev_column_id next_column_id
      default_tags pause_sla
`;

/** Lanes of a board. */
export const lanes = operations('lanes', '/boards/{board_id}/lanes')`
  createNewLane POST => ${lane}
    body title* sort_order wip_limit wip_limit_type last_moved_warning_after_days
      last_moved_warning_after_hours last_moved_warning_after_minutes row_count
  getListOfLanes GET => [${lane}]
    about The lanes of a board, in one answer. The values of \`condition\` are not documented; 1, 2
      and 3 are in use.
    query condition:string|number
  removeLane DELETE /{id}
    about Deletes a lane; ${FORCE}
    query force~
    body force
  updateLane PATCH /{id} => ${lane}
    body title sort_order wip_limit:integer|null wip_limit_type last_moved_warning_after_days
      last_moved_warning_after_hours last_moved_warning_after_minutes row_count default_tags
      default_card_type_id:integer|null condition:1|2
`;
