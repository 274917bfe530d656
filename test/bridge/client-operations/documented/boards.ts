import { anyWord, type ExpectedGroup, either, opaque, orNull, words } from '../notation.ts';

export const automations: ExpectedGroup = {
  createAutomation: {
    sends: 'POST /spaces/41/automations',
    path: { space_id: 41 },
    body: {
      'type*': words('on_action', 'on_date', 'on_demand'),
      name: 'assign',
      trigger: opaque({ type: 'card_created' }),
      conditions: opaque({ clause: 'and' }),
      'actions*': [opaque({ type: 'add_assignee' })],
    },
  },
  deleteAutomation: {
    sends: 'DELETE /spaces/41/automations/au-1',
    path: { space_id: 41, automation_uid: 'au-1' },
  },
  getListOfAutomations: { sends: 'GET /spaces/41/automations', path: { space_id: 41 } },
  updateAutomation: {
    sends: 'PATCH /spaces/41/automations/au-1',
    path: { space_id: 41, automation_uid: 'au-1' },
    body: {
      type: words('on_action', 'on_date', 'on_demand'),
      name: 'assign',
      trigger: opaque({ type: 'card_created' }),
      conditions: opaque({ clause: 'and' }),
      actions: [opaque({ type: 'add_assignee' })],
    },
  },
};

export const boards: ExpectedGroup = {
  getBoard: { sends: 'GET /boards/31', path: { id: 31 } },
};

export const columns: ExpectedGroup = {
  createNewColumn: {
    sends: 'POST /boards/31/columns',
    path: { board_id: 31 },
    body: {
      'title*': 'Doing',
      external_id: either(4.5, 'x-1', null),
      sort_order: 1.5,
      type: words(1, 2, 3),
      last_moved_warning_after_days: 1,
      last_moved_warning_after_hours: 2,
      last_moved_warning_after_minutes: 3,
      wip_limit: 4,
      wip_limit_type: words(1, 2),
      col_count: 5,
      archive_after_days: 6,
      months_to_hide_cards: orNull(7),
      card_hide_after_days: orNull(8),
      rules: 3,
    },
  },
  getListOfColumns: { sends: 'GET /boards/31/columns', path: { board_id: 31 } },
  removeColumn: {
    sends: 'DELETE /boards/31/columns/32',
    path: { board_id: 31, id: 32 },
    body: { force: true },
  },
  updateColumn: {
    sends: 'PATCH /boards/31/columns/32',
    path: { board_id: 31, id: 32 },
    body: {
      external_id: either(4.5, 'x-1', null),
      title: 'Done',
      sort_order: 1.5,
      type: words(1, 2, 3),
      wip_limit: orNull(4),
      wip_limit_type: words(1, 2),
      last_moved_warning_after_days: 1,
      last_moved_warning_after_hours: 2,
      last_moved_warning_after_minutes: 3,
      col_count: 5,
      archive_after_days: 6,
      months_to_hide_cards: orNull(7),
      card_hide_after_days: orNull(8),
      rules: 3,
      default_tags: orNull('a,b'),
      prev_column_id: orNull(33),
      next_column_id: orNull(34),
      pause_sla: true,
    },
  },
};

export const lanes: ExpectedGroup = {
  createNewLane: {
    sends: 'POST /boards/31/lanes',
    path: { board_id: 31 },
    body: {
      'title*': 'Fast',
      sort_order: 1.5,
      wip_limit: 4,
      wip_limit_type: words(1, 2),
      last_moved_warning_after_days: 1,
      last_moved_warning_after_hours: 2,
      last_moved_warning_after_minutes: 3,
      row_count: 2,
    },
  },
  getListOfLanes: {
    sends: 'GET /boards/31/lanes',
    path: { board_id: 31 },
    query: { condition: anyWord('1') },
  },
  removeLane: {
    sends: 'DELETE /boards/31/lanes/33',
    path: { board_id: 31, id: 33 },
    body: { force: true },
  },
  updateLane: {
    sends: 'PATCH /boards/31/lanes/33',
    path: { board_id: 31, id: 33 },
    body: {
      title: 'Slow',
      sort_order: 1.5,
      wip_limit: orNull(4),
      wip_limit_type: words(1, 2),
      last_moved_warning_after_days: 1,
      last_moved_warning_after_hours: 2,
      last_moved_warning_after_minutes: 3,
      row_count: 2,
      default_tags: orNull('a,b'),
      default_card_type_id: orNull(35),
      condition: words(1, 2),
    },
  },
};

export const serviceDeskServices: ExpectedGroup = {
  retrieveServicesList: { sends: 'GET /service-desk/services' },
};

export const spaceBoards: ExpectedGroup = {
  createNewBoard: {
    sends: 'POST /spaces/41/boards',
    path: { space_id: 41 },
    body: {
      'title*': either('Work', 1.5),
      columns: [{ title: 'To do' }],
      lanes: [{ title: 'All' }],
      description: orNull('what we do'),
      top: 1,
      left: 2,
      default_card_type_id: 35,
      first_image_is_cover: true,
      reset_lane_spent_time: false,
      automove_cards: true,
      backward_moves_enabled: false,
      auto_assign_enabled: true,
      sort_order: 1.5,
      external_id: either(4.5, 'x-1', null),
    },
  },
  getBoard: { sends: 'GET /spaces/41/boards/31', path: { space_id: 41, id: 31 } },
  getListOfBoards: { sends: 'GET /spaces/41/boards', path: { space_id: 41 } },
  removeBoard: {
    sends: 'DELETE /spaces/41/boards/31',
    path: { space_id: 41, id: 31 },
    body: { force: true },
  },
  updateBoard: {
    sends: 'PATCH /spaces/41/boards/31',
    path: { space_id: 41, id: 31 },
    body: {
      title: either('Work', 1.5),
      description: orNull('what we did'),
      top: 1,
      left: 2,
      type: words(1, 5),
      cell_wip_limits: [opaque({ limit: 3 })],
      default_card_type_id: 35,
      default_tags: orNull('a,b'),
      first_image_is_cover: true,
      reset_lane_spent_time: false,
      automove_cards: true,
      backward_moves_enabled: false,
      move_parents_to_done: true,
      hide_done_policies: false,
      hide_done_policies_in_done_column: true,
      sort_order: 1.5,
      external_id: either(4.5, 'x-1', null),
      move_from_space_id: 42,
      auto_assign_enabled: true,
      card_properties: orNull([{ id: 1 }]),
    },
  },
};

export const spaceTemplateChecklistItems: ExpectedGroup = {
  createNewSpaceTemplateChecklistItem: {
    sends: 'POST /spaces/s-1/template-checklists/t-1/items',
    path: { space_uid: 's-1', template_checklist_uid: 't-1' },
    body: { 'text*': 'Fuel', sort_order: 1.5 },
  },
  removeSpaceTemplateChecklistItem: {
    sends: 'DELETE /spaces/s-1/template-checklists/t-1/items/i-1',
    path: { space_uid: 's-1', template_checklist_uid: 't-1', item_uid: 'i-1' },
  },
  updateSpaceTemplateChecklistItem: {
    sends: 'PATCH /spaces/s-1/template-checklists/t-1/items/i-1',
    path: { space_uid: 's-1', template_checklist_uid: 't-1', item_uid: 'i-1' },
    body: { text: 'More fuel', sort_order: 1.5 },
  },
};

export const spaceTemplateChecklist: ExpectedGroup = {
  createNewSpaceTemplateChecklist: {
    sends: 'POST /spaces/s-1/template-checklists',
    path: { space_uid: 's-1' },
    body: { name: 'Before flight', sort_order: 1.5 },
  },
  getListOfSpaceTemplateChecklists: {
    sends: 'GET /spaces/s-1/template-checklists',
    path: { space_uid: 's-1' },
  },
  removeSpaceTemplateChecklist: {
    sends: 'DELETE /spaces/s-1/template-checklists/t-1',
    path: { space_uid: 's-1', template_checklist_uid: 't-1' },
  },
  updateSpaceTemplateChecklist: {
    sends: 'PATCH /spaces/s-1/template-checklists/t-1',
    path: { space_uid: 's-1', template_checklist_uid: 't-1' },
    body: { name: 'After flight', sort_order: 1.5, space_uid: 's-2' },
  },
};

export const spaceUsers: ExpectedGroup = {
  changeUserRoleAndNotificationSettings: {
    sends: 'PATCH /spaces/41/users/7',
    path: { space_id: 41, id: 7 },
    body: {
      role_id: 'r-1',
      notifications_enabled: true,
      space_group_id: orNull(1.5),
      settings: { a: 1 },
    },
  },
  getListOfUsers: {
    sends: 'GET /spaces/41/users',
    path: { space_id: 41 },
    query: { include_inherited_access: true, inactive: false, limit: 10, last_user_id: 7 },
  },
  getUser: { sends: 'GET /spaces/41/users/7', path: { space_id: 41, id: 7 } },
  inviteUserToSpace: {
    sends: 'POST /spaces/41/users',
    path: { space_id: 41 },
    body: {
      'email*': 'ada@example.com',
      role_id: 'r-1',
      guest: false,
      operator_comment: 'welcome',
      send_email: true,
    },
  },
  removeUserFromSpace: { sends: 'DELETE /spaces/41/users/7', path: { space_id: 41, id: 7 } },
};

export const spaces: ExpectedGroup = {
  createNewSpace: {
    sends: 'POST /spaces',
    body: {
      'title*': either('Hangar', 1.5),
      external_id: either(4.5, 'x-1', null),
      parent_entity_uid: 'p-1',
      for_everyone_access_role_id: 'r-1',
      sort_order: 1.5,
      work_calendar_id: 'w-1',
    },
  },
  removeSpace: { sends: 'DELETE /spaces/41', path: { space_id: 41 } },
  retrieveListOfSpaces: { sends: 'GET /spaces', query: { limit: 10, offset: 20 } },
  retrieveSpace: { sends: 'GET /spaces/41', path: { space_id: 41 } },
  updateSpace: {
    sends: 'PATCH /spaces/41',
    path: { space_id: 41 },
    body: {
      title: either('Hangar', 1.5),
      external_id: either(4.5, 'x-1', null),
      hidden_card_type_uids: ['c-1', 'c-2'],
      settings: { a: 1 },
      access: words('for_everyone', 'by_invite'),
      parent_entity_uid: orNull('p-1'),
      sort_order: 1.5,
    },
  },
};

export const sprints: ExpectedGroup = {
  getSprintSummary: {
    sends: 'GET /sprints/51',
    path: { id: 51 },
    query: { exclude_deleted_cards: true },
  },
};
