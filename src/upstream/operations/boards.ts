import { array, extend, fields, object, operations, operationsWith, shape } from './row.ts';

/** Rule for marking a card that does not move. */
const lastMovedWarnings = {
  last_moved_warning_after_days: 'integer',
  last_moved_warning_after_hours: 'integer',
  last_moved_warning_after_minutes: 'integer',
} as const;

/** BRB: a board, base. */
const board = shape('Board')`
  created updated id title cell_wip_limits external_id default_card_type_id description email_key
  move_parents_to_done default_tags first_image_is_cover reset_lane_spent_time
  backward_moves_enabled hide_done_policies hide_done_policies_in_done_column automove_cards
  auto_assign_enabled card_properties columns lanes
`;

/** COL: a column. */
const column = shape('Column')`
  created updated id title sort_order col_count wip_limit type rules board_id column_id
  archive_after_days wip_limit_type external_id default_tags last_moved_warning_after_minutes
  last_moved_warning_after_days last_moved_warning_after_hours months_to_hide_cards
  card_hide_after_days
`;

/** LAN: a lane. */
const lane = shape('Lane')`
  created updated id title sort_order row_count wip_limit wip_limit_type
  last_moved_warning_after_minutes last_moved_warning_after_days last_moved_warning_after_hours
  board_id default_card_type_id default_tags external_id condition
`;

/** Boards without their space; the operations of a board in a space are `spaceBoards`. */
export const boards = operations('boards', '/boards/{id}', {
  getBoard: { call: 'GET', answer: object(extend(board, 'cards')) },
});

/** Boards of a space. */
export const spaceBoards = operations('spaceBoards', '/spaces/{space_id}/boards', {
  createNewBoard: {
    call: 'POST',
    body: fields({
      'string | number': 'title*',
      'object[]': 'columns lanes',
      'string | null': 'description',
      integer: 'top left default_card_type_id',
      boolean: `
        first_image_is_cover reset_lane_spent_time automove_cards backward_moves_enabled
        auto_assign_enabled
      `,
      number: 'sort_order',
      'number | string | null': 'external_id',
    }),
    answer: object(extend(board, 'top left sort_order')),
  },
  getBoard: {
    about: 'One board with its columns, lanes and cards, and its place in the space.',
    call: 'GET /{id}',
    answer: object(extend(board, 'cards space_id board_id top left sort_order')),
  },
  getListOfBoards: {
    call: 'GET',
    answer: array(extend(board, 'space_id board_id top left sort_order type')),
  },
  removeBoard: {
    about:
      'Deletes a board; one that holds something only with `force`, which some installations ' +
      'take from the query.',
    call: 'DELETE /{id}',
    query: { force: 'boolean' },
    body: { force: 'boolean' },
    undocumented: ['query.force'],
  },
  updateBoard: {
    call: 'PATCH /{id}',
    body: fields({
      'string | number': 'title',
      'string | null': 'description default_tags',
      integer: 'top left default_card_type_id move_from_space_id',
      '1 | 5': 'type',
      'unknown[]': 'cell_wip_limits',
      boolean: `
        first_image_is_cover reset_lane_spent_time automove_cards backward_moves_enabled
        move_parents_to_done hide_done_policies hide_done_policies_in_done_column
        auto_assign_enabled
      `,
      number: 'sort_order',
      'number | string | null': 'external_id',
      'object[] | null': 'card_properties',
    }),
    answer: object(extend(board, 'top left sort_order')),
  },
});

/** Columns of a board. */
export const columns = operations('columns', '/boards/{board_id}/columns', {
  createNewColumn: {
    call: 'POST',
    body: {
      ...lastMovedWarnings,
      ...fields({
        string: 'title*',
        'number | string | null': 'external_id',
        number: 'sort_order',
        '1 | 2 | 3': 'type',
        integer: 'wip_limit col_count archive_after_days rules',
        '1 | 2': 'wip_limit_type',
        'integer | null': 'months_to_hide_cards card_hide_after_days',
      }),
    },
    answer: object(column),
  },
  getListOfColumns: { call: 'GET', answer: array(extend(column, 'pause_sla subcolumns')) },
  removeColumn: {
    about:
      'Deletes a column; one that holds something only with `force`, which some installations ' +
      'take from the query.',
    call: 'DELETE /{id}',
    query: { force: 'boolean' },
    body: { force: 'boolean' },
    undocumented: ['query.force'],
  },
  updateColumn: {
    call: 'PATCH /{id}',
    body: {
      ...lastMovedWarnings,
      ...fields({
        'number | string | null': 'external_id',
        string: 'title',
        number: 'sort_order',
        '1 | 2 | 3': 'type',
        'integer | null': `
        wip_limit months_to_hide_cards card_hide_after_days prev_column_id next_column_id
      `,
        '1 | 2': 'wip_limit_type',
        integer: 'col_count archive_after_days rules',
        'string | null': 'default_tags',
        boolean: 'pause_sla',
      }),
    },
    answer: object(column),
  },
});

/** Columns within a column. */
export const subcolumn = operationsWith({ source: 'field-notes' })(
  'subcolumn',
  '/columns/{column_id}/subcolumns',
  {
    createNewSubcolumn: {
      call: 'POST',
      body: {
        ...lastMovedWarnings,
        ...fields({
          string: 'title*',
          'number | string | null': 'external_id',
          number: 'sort_order',
          integer: 'type archive_after_days col_count rules wip_limit',
          'integer | null': 'months_to_hide_cards card_hide_after_days',
        }),
      },
      answer: object(column),
    },
    getListOfSubcolumns: { call: 'GET', answer: array(column) },
    removeSubcolumn: {
      about:
        'Deletes a subcolumn; one that holds something only with `force`, which some ' +
        'installations take from the query.',
      call: 'DELETE /{id}',
      query: { force: 'boolean' },
      body: { force: 'boolean' },
    },
    updateSubcolumn: {
      call: 'PATCH /{id}',
      body: {
        ...lastMovedWarnings,
        ...fields({
          string: 'title',
          'number | string | null': 'external_id',
          number: 'sort_order',
          integer: 'type archive_after_days col_count rules',
          'integer | null':
            'months_to_hide_cards card_hide_after_days prev_column_id next_column_id',
          'string | null': 'default_tags',
          boolean: 'pause_sla',
        }),
      },
      answer: object(column),
    },
  },
);

/** Lanes of a board. */
export const lanes = operations('lanes', '/boards/{board_id}/lanes', {
  createNewLane: {
    call: 'POST',
    body: {
      'title*': 'string',
      sort_order: 'number',
      wip_limit: 'integer',
      wip_limit_type: '1 | 2',
      ...lastMovedWarnings,
      row_count: 'integer',
    },
    answer: object(lane),
  },
  getListOfLanes: {
    about:
      'The lanes of a board, in one answer. The values of `condition` are not documented; 1, 2 ' +
      'and 3 are in use.',
    call: 'GET',
    query: { condition: 'string | number' },
    answer: array(lane),
  },
  removeLane: {
    about:
      'Deletes a lane; one that holds something only with `force`, which some installations ' +
      'take from the query.',
    call: 'DELETE /{id}',
    query: { force: 'boolean' },
    body: { force: 'boolean' },
    undocumented: ['query.force'],
  },
  updateLane: {
    call: 'PATCH /{id}',
    body: {
      title: 'string',
      sort_order: 'number',
      wip_limit: 'integer | null',
      wip_limit_type: '1 | 2',
      ...lastMovedWarnings,
      row_count: 'integer',
      default_tags: 'string | null',
      default_card_type_id: 'integer | null',
      condition: '1 | 2',
    },
    answer: object(lane),
  },
});
