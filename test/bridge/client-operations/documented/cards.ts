import {
  anyWord,
  type ExpectedGroup,
  either,
  file,
  files,
  opaque,
  orNull,
  words,
} from '../notation.ts';

export const cardAllowedUsers: ExpectedGroup = {
  retrieveUsersList: {
    sends: 'GET /cards/11/allowed-users',
    path: { card_id: 11 },
    query: {
      type: anyWord('mention'),
      search: 'ada',
      orderBy: 'full_name',
      role: 2,
      limit: 10,
      offset: 20,
    },
  },
};

export const cardBlockerCategories: ExpectedGroup = {
  addBlockerCategory: {
    sends: 'POST /blockers/12/categories',
    path: { blocker_id: 12 },
    body: { 'name*': 'Waiting' },
  },
  removeCategory: {
    sends: 'DELETE /blockers/12/categories/c-1',
    path: { blocker_id: 12, category_uuid: 'c-1' },
  },
  retrieveListOfCategories: { sends: 'GET /categories' },
};

export const cardBlockerUsers: ExpectedGroup = {
  addUserToTheCardBlocker: {
    sends: 'POST /blockers/12/users',
    path: { blocker_id: 12 },
    body: { 'user_id*': 7 },
  },
  removeUser: { sends: 'DELETE /blockers/12/users/7', path: { blocker_id: 12, user_id: 7 } },
  retrieveBlockersCardsListOnCurrentUser: { sends: 'GET /users/current/blockers' },
  retrieveListOfUsers: { sends: 'GET /blockers/12/users', path: { blocker_id: 12 } },
};

export const cardBlockers: ExpectedGroup = {
  blockCard: {
    sends: 'POST /cards/11/blockers',
    path: { card_id: 11 },
    body: { reason: 'waits for parts', blocker_card_id: 13 },
  },
  deleteCardBlockers: { sends: 'DELETE /cards/11/blockers/12', path: { card_id: 11, id: 12 } },
  retrieveCardBlockersList: { sends: 'GET /cards/11/blockers', path: { card_id: 11 } },
  updateCardBlockers: {
    sends: 'PATCH /cards/11/blockers/12',
    path: { card_id: 11, id: 12 },
    body: {
      reason: 'waits',
      blocker_card_id: 13,
      due_date: orNull('2026-04-01'),
      due_date_time_present: orNull(true),
    },
  },
};

export const cardChecklistItems: ExpectedGroup = {
  addItemToChecklist: {
    sends: 'POST /cards/11/checklists/14/items',
    path: { card_id: 11, checklist_id: 14 },
    body: {
      'text*': 'Buy',
      sort_order: 1.5,
      checked: false,
      due_date: orNull('2026-04-01'),
      responsible_id: 7,
    },
  },
  removeChecklistItem: {
    sends: 'DELETE /cards/11/checklists/14/items/15',
    path: { card_id: 11, checklist_id: 14, id: 15 },
  },
  updateChecklistItem: {
    sends: 'PATCH /cards/11/checklists/14/items/15',
    path: { card_id: 11, checklist_id: 14, id: 15 },
    body: {
      text: orNull('Buy'),
      sort_order: 1.5,
      checklist_id: 16,
      checked: true,
      due_date: orNull('2026-04-01'),
      responsible_id: orNull(7.5),
    },
  },
};

export const cardChecklists: ExpectedGroup = {
  addChecklistToCard: {
    sends: 'POST /cards/11/checklists',
    path: { card_id: 11 },
    body: {
      name: 'Before flight',
      sort_order: 1.5,
      items_source_checklist_id: 17,
      exclude_item_ids: [18, 19],
      source_share_id: 20,
    },
  },
  removeChecklistFromCard: {
    sends: 'DELETE /cards/11/checklists/14',
    path: { card_id: 11, id: 14 },
  },
  retrieveCardChecklist: { sends: 'GET /cards/11/checklists/14', path: { card_id: 11, id: 14 } },
  updateChecklist: {
    sends: 'PATCH /cards/11/checklists/14',
    path: { card_id: 11, id: 14 },
    body: { name: 'After flight', sort_order: 1.5, card_id: 21 },
  },
};

export const cardChildren: ExpectedGroup = {
  addChildren: {
    sends: 'POST /cards/11/children',
    path: { card_id: 11 },
    body: { 'card_id*': 22 },
  },
  removeChildren: { sends: 'DELETE /cards/11/children/22', path: { card_id: 11, id: 22 } },
  retrieveCardChildrenList: { sends: 'GET /cards/11/children', path: { card_id: 11 } },
};

export const cardComments: ExpectedGroup = {
  addComment: {
    sends: 'POST /cards/11/comments',
    path: { card_id: 11 },
    body: { 'text*': 'Well done, "é"', 'files[]': files('first', 'second') },
    content: 'json-or-multipart',
  },
  removeComment: {
    sends: 'DELETE /cards/11/comments/23',
    path: { card_id: 11, comment_id: 23 },
  },
  retrieveCardComments: { sends: 'GET /cards/11/comments', path: { card_id: 11 } },
  updateComment: {
    sends: 'PATCH /cards/11/comments/23',
    path: { card_id: 11, comment_id: 23 },
    body: { text: 'Better', 'files[]': files('first', 'second') },
    content: 'json-or-multipart',
  },
};

export const cardExternalLinks: ExpectedGroup = {
  addExternalLink: {
    sends: 'POST /cards/11/external-links',
    path: { card_id: 11 },
    body: { 'url*': 'https://example.com/?a=b', description: orNull('docs') },
  },
  removeExternalLink: {
    sends: 'DELETE /cards/11/external-links/24',
    path: { card_id: 11, id: 24 },
  },
  retrieveCardExternalLinks: { sends: 'GET /cards/11/external-links', path: { card_id: 11 } },
  updateExternalLink: {
    sends: 'PATCH /cards/11/external-links/24',
    path: { card_id: 11, id: 24 },
    body: { url: 'https://example.com', description: orNull('docs') },
  },
};

export const cardFiles: ExpectedGroup = {
  attachFileToCard: {
    sends: 'PUT /cards/11/files',
    path: { card_id: 11 },
    body: { 'file*': file('contents') },
    content: 'multipart',
  },
  detachFileFromCard: { sends: 'DELETE /cards/11/files/25', path: { card_id: 11, id: 25 } },
  updateFile: {
    sends: 'PATCH /cards/11/files/25',
    path: { card_id: 11, id: 25 },
    body: { card_cover: true },
  },
};

export const cardMembers: ExpectedGroup = {
  addMemberToCard: {
    sends: 'POST /cards/11/members',
    path: { card_id: 11 },
    body: { 'user_id*': 7 },
  },
  removeMemberFromCard: { sends: 'DELETE /cards/11/members/7', path: { card_id: 11, id: 7 } },
  retrieveListOfCardMembers: { sends: 'GET /cards/11/members', path: { card_id: 11 } },
  updateMemberRole: {
    sends: 'PATCH /cards/11/members/7',
    path: { card_id: 11, id: 7 },
    body: { 'type*': 2 },
  },
};

export const cardServiceDeskExternalRecipients: ExpectedGroup = {
  addNewRecipient: {
    sends: 'POST /cards/11/sd-external-recipients',
    path: { card_id: 11 },
    body: { 'email*': 'ada@example.com' },
  },
  removeRecipient: {
    sends: 'DELETE /cards/11/sd-external-recipients/ada%40example.com',
    path: { card_id: 11, email: 'ada@example.com' },
  },
};

export const cardSla: ExpectedGroup = {
  retrieveCardSlaMeasurements: {
    sends: 'GET /cards/11/sla-rules-measurements',
    path: { card_id: 11 },
  },
};

export const cardTags: ExpectedGroup = {
  addTag: { sends: 'POST /cards/11/tags', path: { card_id: 11 }, body: { 'name*': 'urgent' } },
  removeTagFromCard: { sends: 'DELETE /cards/11/tags/26', path: { card_id: 11, tag_id: 26 } },
  rertrieveListOfTags: { sends: 'GET /cards/11/tags', path: { card_id: 11 } },
};

export const cardTimeLogs: ExpectedGroup = {
  addTimeLog: {
    sends: 'POST /cards/11/time-logs',
    path: { card_id: 11 },
    body: { 'role_id*': -1, 'time_spent*': 30, 'for_date*': '2026-04-01', comment: 'half an hour' },
  },
  getTimeLogs: {
    sends: 'GET /cards/11/time-logs',
    path: { card_id: 11 },
    query: { for_date: '2026-04-01', personal: true },
  },
  removeTimeLog: { sends: 'DELETE /cards/11/time-logs/27', path: { card_id: 11, id: 27 } },
  updateLogRecord: {
    sends: 'PATCH /cards/11/time-logs/27',
    path: { card_id: 11, id: 27 },
    body: { role_id: -1, time_spent: 45, for_date: '2026-04-02', comment: 'longer' },
  },
};

export const cards: ExpectedGroup = {
  batchUpdateForCards: {
    sends: 'PATCH /cards',
    everything: true,
    body: {
      board_id: 31,
      column_id: 32,
      lane_id: 33,
      owner_id: 34,
      type_id: 35,
      condition: words(1, 2),
      attributes: opaque({ owner_id: 7 }),
      order_by: opaque({ field_type: 'cp', id: 1, direction: 'asc' }),
    },
  },
  createNewCard: {
    sends: 'POST /cards',
    body: {
      'title*': either(1.5, 'Fly'),
      'board_id*': 31,
      asap: true,
      due_date: orNull('2026-04-01'),
      due_date_time_present: false,
      sort_order: 1.5,
      description: either(2.5, 'far', null),
      expires_later: true,
      size_text: either(3.5, 'L', null),
      column_id: 32,
      lane_id: 33,
      owner_id: 34,
      responsible_id: 36,
      owner_email: 'ada@example.com',
      position: words(1, 2),
      type_id: 35,
      service_id: orNull(37),
      external_id: either(4.5, 'x-1', null),
      text_format_type_id: words(1, 2, 3),
      properties: { id_1: 'red' },
    },
  },
};
