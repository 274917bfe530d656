import { cardOfChecklist } from './cards.ts';
import { idList } from './operation.ts';
import { userExtended, userOfBlocker } from './people.ts';
import { array, object, operations, redirect, words } from './row.ts';

/** A checklist item, to be made. */
const newChecklistItem = {
  'text*': 'string',
  sort_order: 'number',
  checked: 'boolean',
  due_date: 'string | null',
  responsible_id: 'integer',
} as const;

/** The changeable fields of a checklist item; another `checklist_id` moves it. */
const checklistItemChanges = {
  text: 'string | null',
  sort_order: 'number',
  checklist_id: 'integer',
  checked: 'boolean',
  due_date: 'string | null',
  responsible_id: 'number | null',
} as const;

/** BLK: a card blocker, base. */
const cardBlocker = words(`
  created updated id reason card_id blocker_id blocker_card_id blocker_card_title released
  released_by_id due_date due_date_time_present
`);

/** ITM: a checklist item. */
const checklistItem = words(`
  created updated id text sort_order checked checklist_id checker_id user_id checked_at
  responsible_id deleted due_date
`);

/** CMW: a comment, written. The service spells `attacments` so. */
const commentWritten = words(`
  created updated id uid text type edited card_id author_id email_addresses_to deleted internal
  sd_external_recipients_cc sd_description notification_sent attacments
`);

/** CML: a comment, listed. The service has `update` here, not `updated`. */
const commentListed = words(`
  created update id uid text edited card_id author_id email_addresses_to type deleted internal
  sd_external_recipients_cc notification_sent sent_slack_messages_data sd_description author
`);

/** TLG: a time log. */
const timeLog = words(`
  created updated id card_id user_id role_id author_id updater_id time_spent for_date comment
`);

/** FIL: a stored file. */
const storedFile = words(`
  id name size mime_type author_uid card_uid company_uid entity_type created updated card_cover
`);

/** Types of FIL: the size is a number in quotes. */
const storedFileTypes = { size: 'string' } as const;

/** Comments of a card. As JSON, or as a form when files come along; `files[]` is deprecated. */
export const cardComments = operations('cardComments', {
  /** Writes a comment. */
  addComment: {
    call: 'POST /cards/{card_id}/comments',
    body: { 'text*': 'string', 'files[]': 'file[]' },
    content: 'json-or-multipart',
    answer: object(commentWritten),
  },
  /** Removes a comment. */
  removeComment: {
    call: 'DELETE /cards/{card_id}/comments/{comment_id}',
    answer: object('id'),
  },
  /** The comments of a card, in one answer. */
  retrieveCardComments: {
    call: 'GET /cards/{card_id}/comments',
    answer: array(commentListed),
  },
  /** Changes the text of a comment. Unsafe to repeat: files would be attached again. */
  updateComment: {
    call: 'PATCH /cards/{card_id}/comments/{comment_id}',
    body: { text: 'string', 'files[]': 'file[]' },
    content: 'json-or-multipart',
    answer: object(commentWritten),
    repeat: 'unsafe',
  },
});

/** Files of a card. */
export const cardFiles = operations('cardFiles', {
  /** Attaches a file. Unsafe to repeat although it is a PUT: the file would be there twice. */
  attachFileToCard: {
    call: 'PUT /cards/{card_id}/files',
    body: { 'file*': 'file' },
    content: 'multipart',
    answer: object(`
      author_id card_cover card_id comment_id created deleted external id mh_markup_id mh_secret
      name size sort_order type updated url
    `),
    repeat: 'unsafe',
    stage: 'deprecated',
  },
  /** Takes a file off a card. */
  detachFileFromCard: {
    call: 'DELETE /cards/{card_id}/files/{id}',
    answer: object('id'),
  },
  /** Makes a file the cover of its card, or no longer. The fields of the answer are not documented. */
  updateFile: {
    call: 'PATCH /cards/{card_id}/files/{id}',
    body: { card_cover: 'boolean' },
    answer: object([]),
  },
});

/** Files of a card for users who may see the card. */
export const restrictedAccessCardFiles = operations('restrictedAccessCardFiles', {
  /** Attaches a file. */
  attachFileToCard: {
    call: 'POST /cards/{card_uid}/files',
    body: { 'file*': 'file' },
    content: 'multipart',
    answer: object(storedFile, storedFileTypes),
  },
  /** Deletes a file. */
  deleteCardFile: {
    call: 'DELETE /cards/{card_uid}/files/{id}',
    pathParameters: { id: 'string' },
    answer: object('id'),
  },
  /**
   * Facts about a file, with its address in `url`. With `redirect: true` the answer is the target. Newer
   * installations take `response_type` instead and redirect unless it is `json`.
   */
  getCardFile: {
    call: 'GET /cards/{card_uid}/files/{id}',
    pathParameters: { id: 'string' },
    query: { redirect: 'boolean', download: 'boolean', response_type: 'string' },
    answer: redirect(
      `
      id name size mime_type entity_type created updated card_uid author_uid card_cover url
    `,
      storedFileTypes,
    ),
    undocumented: ['response_type'],
  },
  /** Renames a file or makes it the cover. */
  updateCardFile: {
    call: 'PATCH /cards/{card_uid}/files/{id}',
    pathParameters: { id: 'string' },
    body: { name: 'string', card_cover: 'boolean' },
    answer: object(storedFile, storedFileTypes),
  },
});

/** Files of a comment for users who may see the card. `comment_uid` is `new` for a comment that is not written yet. */
export const restrictedAccessCommentFiles = operations('restrictedAccessCommentFiles', {
  /** Attaches a file. */
  attachFileToComment: {
    call: 'POST /cards/{card_uid}/comments/{comment_uid}/files',
    body: { 'file*': 'file' },
    content: 'multipart',
    answer: object([...storedFile, 'comment_uid'], storedFileTypes),
  },
  /** Deletes a file. */
  deleteCommentFile: {
    call: 'DELETE /cards/{card_uid}/comments/{comment_uid}/files/{id}',
    pathParameters: { id: 'string' },
    answer: object('id'),
  },
  /**
   * Facts about a file, with its address in `url`. With `redirect: true` the answer is the target. Newer
   * installations take `response_type` instead and redirect unless it is `json`.
   */
  getCommentFile: {
    call: 'GET /cards/{card_uid}/comments/{comment_uid}/files/{id}',
    pathParameters: { id: 'string' },
    query: { redirect: 'boolean', download: 'boolean', response_type: 'string' },
    answer: redirect(
      `
      id name size mime_type entity_type created updated card_uid comment_uid author_uid
      card_cover url
    `,
      storedFileTypes,
    ),
    undocumented: ['response_type'],
  },
  /** Renames a file or makes it the cover. */
  updateCommentFile: {
    call: 'PATCH /cards/{card_uid}/comments/{comment_uid}/files/{id}',
    pathParameters: { id: 'string' },
    body: { name: 'string', card_cover: 'boolean' },
    answer: object([...storedFile, 'comment_uid'], storedFileTypes),
  },
});

/** Files in a property of a card for users who may see the card. */
export const restrictedAccessCustomPropertyFiles = operations(
  'restrictedAccessCustomPropertyFiles',
  {
    /** Attaches a file. */
    attachFileToCustomProperty: {
      call: 'POST /cards/{card_uid}/custom-properties/{property_uid}/files',
      body: { 'file*': 'file' },
      content: 'multipart',
      answer: object([...storedFile, 'custom_property_uid'], storedFileTypes),
    },
    /** Deletes a file. */
    deleteCustomPropertyFile: {
      call: 'DELETE /cards/{card_uid}/custom-properties/{property_uid}/files/{id}',
      pathParameters: { id: 'string' },
      answer: object('id'),
    },
    /**
     * Facts about a file, with its address in `url`. With `redirect: true` the answer is the target. Newer
     * installations take `response_type` instead and redirect unless it is `json`.
     */
    getCustomPropertyFile: {
      call: 'GET /cards/{card_uid}/custom-properties/{property_uid}/files/{id}',
      pathParameters: { id: 'string' },
      query: { redirect: 'boolean', download: 'boolean', response_type: 'string' },
      answer: redirect(
        `
      id name size mime_type entity_type created updated card_uid custom_property_uid author_uid
      card_cover url
    `,
        storedFileTypes,
      ),
      undocumented: ['response_type'],
    },
    /** Renames a file or makes it the cover. */
    updateCustomPropertyFile: {
      call: 'PATCH /cards/{card_uid}/custom-properties/{property_uid}/files/{id}',
      pathParameters: { id: 'string' },
      body: { name: 'string', card_cover: 'boolean' },
      answer: object([...storedFile, 'custom_property_uid'], storedFileTypes),
    },
  },
);

/** Time spent on a card, in minutes. */
export const cardTimeLogs = operations('cardTimeLogs', {
  /** Logs time. */
  addTimeLog: {
    call: 'POST /cards/{card_id}/time-logs',
    body: {
      'role_id*': 'integer',
      'time_spent*': 'integer',
      'for_date*': 'string',
      comment: 'string',
    },
    answer: object(timeLog),
  },
  /** The time logged on a card, in one answer. */
  getTimeLogs: {
    call: 'GET /cards/{card_id}/time-logs',
    query: { for_date: 'string', personal: 'boolean' },
    answer: array([...timeLog, 'role', 'user', 'author']),
  },
  /** Removes a time log. */
  removeTimeLog: {
    call: 'DELETE /cards/{card_id}/time-logs/{id}',
    answer: object('id'),
  },
  /** Changes a time log. */
  updateLogRecord: {
    call: 'PATCH /cards/{card_id}/time-logs/{id}',
    body: { role_id: 'integer', time_spent: 'integer', for_date: 'string', comment: 'string' },
    answer: object(timeLog),
  },
});

/** Time logged on all cards. */
export const timesheet = operations('timesheet', {
  /** The time logged between two days, both included. */
  getList: {
    call: 'GET /time-logs',
    query: {
      'from*': 'string',
      'to*': 'string',
      tag_ids: idList,
      user_ids: idList,
      group_ids: idList,
      space_ids: idList,
      board_ids: idList,
      column_ids: idList,
      card_ids: idList,
      visible_column_ids: idList,
      limit: 'integer',
      offset: 'integer',
      condition: 'integer',
      group_by: 'integer',
      time_precision: 'string | number',
      time_unit: 'string',
      with_daily_distribution: 'boolean',
      only_general_sum: 'boolean',
    },
    answer: array([...timeLog, 'card', 'user', 'role']),
    paging: 'offset',
    source: 'field-notes',
  },
});

const link = words('url updated created id description');

/** Links of a card to other places. */
export const cardExternalLinks = operations('cardExternalLinks', {
  /** Adds a link. */
  addExternalLink: {
    call: 'POST /cards/{card_id}/external-links',
    body: { 'url*': 'string', description: 'string | null' },
    answer: object(link),
  },
  /** Removes a link. */
  removeExternalLink: {
    call: 'DELETE /cards/{card_id}/external-links/{id}',
    answer: object('id'),
  },
  /** The links of a card, in one answer. */
  retrieveCardExternalLinks: {
    call: 'GET /cards/{card_id}/external-links',
    answer: array([...link, 'card_id', 'external_link_id']),
  },
  /** Changes a link. */
  updateExternalLink: {
    call: 'PATCH /cards/{card_id}/external-links/{id}',
    body: { url: 'string', description: 'string | null' },
    answer: object(link),
  },
});

/** Obstacles of a card: a reason or another card. */
export const cardBlockers = operations('cardBlockers', {
  /** Blocks a card. */
  blockCard: {
    call: 'POST /cards/{card_id}/blockers',
    body: { reason: 'string', blocker_card_id: 'integer' },
    answer: object([...cardBlocker, 'blocked_card', 'blocker', 'card']),
  },
  /** Removes a blocker. */
  deleteCardBlockers: {
    call: 'DELETE /cards/{card_id}/blockers/{id}',
    answer: object([...cardBlocker, 'blocked_card', 'card']),
  },
  /** The blockers of a card, in one answer. */
  retrieveCardBlockersList: {
    call: 'GET /cards/{card_id}/blockers',
    answer: array([...cardBlocker, 'blocked_card', 'blocker', 'card']),
  },
  /** Changes the reason, the blocking card or the due date of a blocker. */
  updateCardBlockers: {
    call: 'PATCH /cards/{card_id}/blockers/{id}',
    body: {
      reason: 'string',
      blocker_card_id: 'integer',
      due_date: 'string | null',
      due_date_time_present: 'boolean | null',
    },
    answer: object(cardBlocker),
  },
});

/** Users whom a blocker waits for. */
export const cardBlockerUsers = operations('cardBlockerUsers', {
  /** Adds a user to a blocker. */
  addUserToTheCardBlocker: {
    call: 'POST /blockers/{blocker_id}/users',
    body: { 'user_id*': 'integer' },
    answer: object(userExtended),
  },
  /** Takes a user off a blocker. */
  removeUser: {
    call: 'DELETE /blockers/{blocker_id}/users/{user_id}',
    answer: object('id'),
  },
  /**
   * The cards that wait for the account of the token. Documented as an object; without any the service is known to answer
   * `[]`.
   */
  retrieveBlockersCardsListOnCurrentUser: {
    call: 'GET /users/current/blockers',
    answer: object('blocked_cards summary'),
  },
  /** The users of a blocker, in one answer. */
  retrieveListOfUsers: {
    call: 'GET /blockers/{blocker_id}/users',
    answer: array(userOfBlocker),
  },
});

/** Reasons of blocked cards, as categories that can be counted. */
export const cardBlockerCategories = operations('cardBlockerCategories', {
  /** Puts a blocker into a category, by its name. */
  addBlockerCategory: {
    call: 'POST /blockers/{blocker_id}/categories',
    body: { 'name*': 'string' },
    answer: object('uid name color'),
  },
  /** Takes a blocker out of a category. */
  removeCategory: {
    call: 'DELETE /blockers/{blocker_id}/categories/{category_uuid}',
    answer: object('uid'),
  },
  /** The categories of all blockers. */
  retrieveListOfCategories: {
    call: 'GET /categories',
    answer: array('uid name color'),
  },
});

/** Checklists of a card. */
export const cardChecklists = operations('cardChecklists', {
  /** Adds a checklist, empty or with the items of another. */
  addChecklistToCard: {
    call: 'POST /cards/{card_id}/checklists',
    body: {
      name: 'string',
      sort_order: 'number',
      items_source_checklist_id: 'integer',
      exclude_item_ids: 'integer[]',
      source_share_id: 'integer',
    },
    answer: object(`
      created updated id name policy_id card_id checklist_id sort_order deleted items
    `),
  },
  /** Removes a checklist from a card. */
  removeChecklistFromCard: {
    call: 'DELETE /cards/{card_id}/checklists/{id}',
    answer: object('id'),
  },
  /** One checklist with its items. */
  retrieveCardChecklist: {
    call: 'GET /cards/{card_id}/checklists/{id}',
    answer: object('created updated id uid fts_version name policy_id items'),
  },
  /** Renames a checklist, puts it elsewhere, or moves it to another card. */
  updateChecklist: {
    call: 'PATCH /cards/{card_id}/checklists/{id}',
    body: { name: 'string', sort_order: 'number', card_id: 'integer' },
    answer: object('created updated id name policy_id'),
  },
});

/** Items of a checklist, addressed through the card. */
export const cardChecklistItems = operations('cardChecklistItems', {
  /** Adds an item. */
  addItemToChecklist: {
    call: 'POST /cards/{card_id}/checklists/{checklist_id}/items',
    body: newChecklistItem,
    answer: object(checklistItem),
  },
  /** Removes an item. */
  removeChecklistItem: {
    call: 'DELETE /cards/{card_id}/checklists/{checklist_id}/items/{id}',
    answer: object('id'),
  },
  /** Changes an item, checks it, or moves it to another checklist. */
  updateChecklistItem: {
    call: 'PATCH /cards/{card_id}/checklists/{checklist_id}/items/{id}',
    body: checklistItemChanges,
    answer: object(checklistItem),
  },
});

/** Checklists by themselves. */
export const checklists = operations('checklists', {
  /** The cards that have a checklist. */
  retrieveCardsWithChecklist: {
    call: 'GET /checklists/{id}',
    query: { 'only_shared_cards*': 'boolean' },
    answer: array(cardOfChecklist),
  },
});

/** Items of a checklist, addressed without the card. */
export const checklistItems = operations('checklistItems', {
  /** Adds an item. */
  addItemToChecklist: {
    call: 'POST /checklists/{checklist_id}/items',
    body: newChecklistItem,
    answer: object(checklistItem),
  },
  /** Removes an item. */
  removeChecklistItem: {
    call: 'DELETE /checklists/{checklist_id}/items/{id}',
    answer: object('id'),
  },
  /** Changes an item, checks it, or moves it to another checklist. */
  updateChecklistItem: {
    call: 'PATCH /checklists/{checklist_id}/items/{id}',
    body: checklistItemChanges,
    answer: object(checklistItem),
  },
});
