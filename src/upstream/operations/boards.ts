import { operations, operationsWith, shape } from './row.ts';

/** Deletion of what may hold something. */
function removal(what: string) {
  const about = `Deletes a ${what}; one that holds something only with \`force\`, which some installations take from the query.`;
  return { about, call: 'DELETE /{id}', query: 'force~', body: 'force' } as const;
}

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
export const boards = operations('boards', '/boards/{id}', {
  getBoard: { call: 'GET', answer: shape`${board} cards` },
});

/** Boards of a space. */
export const spaceBoards = operations('spaceBoards', '/spaces/{space_id}/boards', {
  createNewBoard: {
    call: 'POST',
    body: `
      title*:string|number columns lanes description top left default_card_type_id
      first_image_is_cover reset_lane_spent_time automove_cards backward_moves_enabled
      auto_assign_enabled sort_order external_id
    `,
    answer: shape`${board} top left sort_order`,
  },
  getBoard: {
    about: 'One board with its columns, lanes and cards, and its place in the space.',
    call: 'GET /{id}',
    answer: shape`${board} cards space_id board_id top left sort_order`,
  },
  getListOfBoards: {
    call: 'GET',
    answer: [shape`${board} space_id board_id top left sort_order type`],
  },
  removeBoard: removal('board'),
  updateBoard: {
    call: 'PATCH /{id}',
    body: `
      title:string|number description default_tags top left default_card_type_id move_from_space_id
      type:1|5 cell_wip_limits first_image_is_cover reset_lane_spent_time automove_cards
      backward_moves_enabled move_parents_to_done hide_done_policies
      hide_done_policies_in_done_column auto_assign_enabled sort_order external_id
      card_properties:object[]|null
    `,
    answer: shape`${board} top left sort_order`,
  },
});

/** Columns of a board. */
export const columns = operations('columns', '/boards/{board_id}/columns', {
  createNewColumn: {
    call: 'POST',
    body: `
      last_moved_warning_after_days last_moved_warning_after_hours last_moved_warning_after_minutes
      title* external_id sort_order type:1|2|3 wip_limit col_count archive_after_days rules
      wip_limit_type months_to_hide_cards card_hide_after_days
    `,
    answer: column,
  },
  getListOfColumns: { call: 'GET', answer: [shape`${column} pause_sla subcolumns`] },
  removeColumn: removal('column'),
  updateColumn: {
    call: 'PATCH /{id}',
    body: `
      last_moved_warning_after_days last_moved_warning_after_hours last_moved_warning_after_minutes
      external_id title sort_order type:1|2|3 wip_limit:integer|null months_to_hide_cards
      card_hide_after_days prev_column_id next_column_id wip_limit_type col_count archive_after_days
      rules default_tags pause_sla
    `,
    answer: column,
  },
});

/** Columns within a column. */
export const subcolumn = operationsWith({ source: 'field-notes' })(
  'subcolumn',
  '/columns/{column_id}/subcolumns',
  {
    createNewSubcolumn: {
      call: 'POST',
      body: `
        last_moved_warning_after_days last_moved_warning_after_hours
        last_moved_warning_after_minutes title* external_id sort_order type archive_after_days
        col_count rules wip_limit months_to_hide_cards card_hide_after_days
      `,
      answer: column,
    },
    getListOfSubcolumns: { call: 'GET', answer: [column] },
    removeSubcolumn: { ...removal('subcolumn'), query: 'force' },
    updateSubcolumn: {
      call: 'PATCH /{id}',
      body: `
        last_moved_warning_after_days last_moved_warning_after_hours
        last_moved_warning_after_minutes title external_id sort_order type archive_after_days
        col_count rules months_to_hide_cards card_hide_after_days prev_column_id next_column_id
        default_tags pause_sla
      `,
      answer: column,
    },
  },
);

/** Lanes of a board. */
export const lanes = operations('lanes', '/boards/{board_id}/lanes', {
  createNewLane: {
    call: 'POST',
    body: `
      title* sort_order wip_limit wip_limit_type last_moved_warning_after_days
      last_moved_warning_after_hours last_moved_warning_after_minutes row_count
    `,
    answer: lane,
  },
  getListOfLanes: {
    about:
      'The lanes of a board, in one answer. The values of `condition` are not documented; 1, 2 ' +
      'and 3 are in use.',
    call: 'GET',
    query: 'condition:string|number',
    answer: [lane],
  },
  removeLane: removal('lane'),
  updateLane: {
    call: 'PATCH /{id}',
    body: `
      title sort_order wip_limit:integer|null wip_limit_type last_moved_warning_after_days
      last_moved_warning_after_hours last_moved_warning_after_minutes row_count default_tags
      default_card_type_id:integer|null condition:1|2
    `,
    answer: lane,
  },
});
