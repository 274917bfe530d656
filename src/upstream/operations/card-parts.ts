import { type EntryShape, idList } from './operation.ts';
import { array, extend, fields, object, operations, redirect, shape } from './row.ts';
import { cardOfChecklist, userExtended, userOfBlocker } from './shared-shapes.ts';

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
const cardBlocker = shape('CardBlocker')`
  created updated id reason card_id blocker_id blocker_card_id blocker_card_title released
  released_by_id due_date due_date_time_present
`;

/** ITM: a checklist item. */
const checklistItem = shape('ChecklistItem')`
  created updated id text sort_order checked checklist_id checker_id user_id checked_at
  responsible_id deleted due_date
`;

/** CMW: a comment, written. The service spells `attacments` so. */
const commentWritten = shape('CardComment')`
  created updated id uid text type edited card_id author_id email_addresses_to deleted internal
  sd_external_recipients_cc sd_description notification_sent attacments
`;

/** CML: a comment, listed. The service has `update` here, not `updated`. */
const commentListed = shape('ListedCardComment')`
  created update id uid text edited card_id author_id email_addresses_to type deleted internal
  sd_external_recipients_cc notification_sent sent_slack_messages_data sd_description author
`;

/** TLG: a time log. */
const timeLog = shape('TimeLog')`
  created updated id card_id user_id role_id author_id updater_id time_spent for_date comment
`;

/** FIL: a stored file; its size is a number in quotes. */
const storedFile = shape('StoredFile', { types: { size: 'string' } })`
  id name size mime_type author_uid card_uid company_uid entity_type created updated card_cover
`;
const commentFile = shape('CommentFile', { base: storedFile })`comment_uid`;
const propertyFile = shape('CustomPropertyFile', { base: storedFile })`custom_property_uid`;
const servedFile = shape('ServedFile', { types: { size: 'string' } })`
  id name size mime_type entity_type created updated card_uid author_uid card_cover url
`;

/** Comments of a card. As JSON, or as a form when files come along. */
export const cardComments = operations('cardComments', {
  addComment: {
    about: 'Writes a comment.',
    call: 'POST /cards/{card_id}/comments',
    body: { 'text*': 'string', 'files[]': 'file[]' },
    deprecated: ['files[]'],
    content: 'json-or-multipart',
    answer: object(commentWritten),
  },
  removeComment: {
    about: 'Removes a comment.',
    call: 'DELETE /cards/{card_id}/comments/{comment_id}',
    answer: object('id'),
  },
  retrieveCardComments: {
    about: 'The comments of a card, in one answer.',
    call: 'GET /cards/{card_id}/comments',
    answer: array(commentListed),
  },
  updateComment: {
    about: 'Changes the text of a comment. Unsafe to repeat: files would be attached again.',
    call: 'PATCH /cards/{card_id}/comments/{comment_id}',
    body: { text: 'string', 'files[]': 'file[]' },
    deprecated: ['files[]'],
    content: 'json-or-multipart',
    answer: object(commentWritten),
    repeat: 'unsafe',
  },
});

/** Files of a card. */
export const cardFiles = operations('cardFiles', {
  attachFileToCard: {
    about: 'Attaches a file. Unsafe to repeat although it is a PUT: the file would be there twice.',
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
  detachFileFromCard: {
    about: 'Takes a file off a card.',
    call: 'DELETE /cards/{card_id}/files/{id}',
    answer: object('id'),
  },
  updateFile: {
    about:
      'Makes a file the cover of its card, or no longer. The fields of the answer are not ' +
      'documented.',
    call: 'PATCH /cards/{card_id}/files/{id}',
    body: { card_cover: 'boolean' },
    answer: object(''),
  },
});

/** Rows for files of something on a card, for users who may see the card. @param at path of its files */
function filesAt(at: `/${string}`, stored: EntryShape, served: EntryShape) {
  return {
    attach: {
      about: 'Attaches a file.',
      call: `POST ${at}`,
      body: { 'file*': 'file' },
      content: 'multipart',
      answer: object(stored),
    },
    remove: {
      about: 'Deletes a file.',
      call: `DELETE ${at}/{id}`,
      pathParameters: { id: 'string' },
      answer: object('id'),
    },
    get: {
      about:
        'Facts about a file, with its address in `url`. With `redirect: true` the answer is the ' +
        'target. Newer installations take `response_type` instead and redirect unless it is ' +
        '`json`.',
      call: `GET ${at}/{id}`,
      pathParameters: { id: 'string' },
      query: { redirect: 'boolean', download: 'boolean', response_type: 'string' },
      answer: redirect(served),
      undocumented: ['response_type'],
    },
    update: {
      about: 'Renames a file or makes it the cover.',
      call: `PATCH ${at}/{id}`,
      pathParameters: { id: 'string' },
      body: { name: 'string', card_cover: 'boolean' },
      answer: object(stored),
    },
  } as const;
}

const ofCard = filesAt('/cards/{card_uid}/files', storedFile, servedFile);

/** Files of a card for users who may see the card. */
export const restrictedAccessCardFiles = operations('restrictedAccessCardFiles', {
  attachFileToCard: ofCard.attach,
  deleteCardFile: ofCard.remove,
  getCardFile: ofCard.get,
  updateCardFile: ofCard.update,
});

const ofComment = filesAt(
  '/cards/{card_uid}/comments/{comment_uid}/files',
  commentFile,
  extend(servedFile, 'comment_uid'),
);

/** Files of a comment for users who may see the card. `comment_uid` is `new` for a comment that is not written yet. */
export const restrictedAccessCommentFiles = operations('restrictedAccessCommentFiles', {
  attachFileToComment: ofComment.attach,
  deleteCommentFile: ofComment.remove,
  getCommentFile: ofComment.get,
  updateCommentFile: ofComment.update,
});

const ofProperty = filesAt(
  '/cards/{card_uid}/custom-properties/{property_uid}/files',
  propertyFile,
  extend(servedFile, 'custom_property_uid'),
);

/** Files in a property of a card for users who may see the card. */
export const restrictedAccessCustomPropertyFiles = operations(
  'restrictedAccessCustomPropertyFiles',
  {
    attachFileToCustomProperty: ofProperty.attach,
    deleteCustomPropertyFile: ofProperty.remove,
    getCustomPropertyFile: ofProperty.get,
    updateCustomPropertyFile: ofProperty.update,
  },
);

/** Time spent on a card, in minutes. */
export const cardTimeLogs = operations('cardTimeLogs', {
  addTimeLog: {
    about: 'Logs time.',
    call: 'POST /cards/{card_id}/time-logs',
    body: fields({
      integer: 'role_id* time_spent*',
      string: 'for_date* comment',
    }),
    answer: object(timeLog),
  },
  getTimeLogs: {
    about: 'The time logged on a card, in one answer.',
    call: 'GET /cards/{card_id}/time-logs',
    query: { for_date: 'string', personal: 'boolean' },
    answer: array(extend(timeLog, 'role user author')),
  },
  removeTimeLog: {
    about: 'Removes a time log.',
    call: 'DELETE /cards/{card_id}/time-logs/{id}',
    answer: object('id'),
  },
  updateLogRecord: {
    about: 'Changes a time log.',
    call: 'PATCH /cards/{card_id}/time-logs/{id}',
    body: { role_id: 'integer', time_spent: 'integer', for_date: 'string', comment: 'string' },
    answer: object(timeLog),
  },
});

/** Time logged on all cards. */
export const timesheet = operations('timesheet', {
  getList: {
    about: 'The time logged between two days, both included.',
    call: 'GET /time-logs',
    query: fields({
      string: 'from* to* time_unit',
      [idList]: `
        tag_ids user_ids group_ids space_ids board_ids column_ids card_ids visible_column_ids
      `,
      integer: 'limit offset condition group_by',
      'string | number': 'time_precision',
      boolean: 'with_daily_distribution only_general_sum',
    }),
    answer: array(extend(timeLog, 'card user role')),
    paging: 'offset',
    source: 'field-notes',
  },
});

const link = shape('ExternalLink')`url updated created id description`;

/** Links of a card to other places. */
export const cardExternalLinks = operations('cardExternalLinks', {
  addExternalLink: {
    about: 'Adds a link.',
    call: 'POST /cards/{card_id}/external-links',
    body: { 'url*': 'string', description: 'string | null' },
    answer: object(link),
  },
  removeExternalLink: {
    about: 'Removes a link.',
    call: 'DELETE /cards/{card_id}/external-links/{id}',
    answer: object('id'),
  },
  retrieveCardExternalLinks: {
    about: 'The links of a card, in one answer.',
    call: 'GET /cards/{card_id}/external-links',
    answer: array(extend(link, 'card_id external_link_id')),
  },
  updateExternalLink: {
    about: 'Changes a link.',
    call: 'PATCH /cards/{card_id}/external-links/{id}',
    body: { url: 'string', description: 'string | null' },
    answer: object(link),
  },
});

/** Obstacles of a card: a reason or another card. */
export const cardBlockers = operations('cardBlockers', {
  blockCard: {
    about: 'Blocks a card.',
    call: 'POST /cards/{card_id}/blockers',
    body: { reason: 'string', blocker_card_id: 'integer' },
    answer: object(extend(cardBlocker, 'blocked_card blocker card')),
  },
  deleteCardBlockers: {
    about: 'Removes a blocker.',
    call: 'DELETE /cards/{card_id}/blockers/{id}',
    answer: object(extend(cardBlocker, 'blocked_card card')),
  },
  retrieveCardBlockersList: {
    about: 'The blockers of a card, in one answer.',
    call: 'GET /cards/{card_id}/blockers',
    answer: array(extend(cardBlocker, 'blocked_card blocker card')),
  },
  updateCardBlockers: {
    about: 'Changes the reason, the blocking card or the due date of a blocker.',
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
  addUserToTheCardBlocker: {
    about: 'Adds a user to a blocker.',
    call: 'POST /blockers/{blocker_id}/users',
    body: { 'user_id*': 'integer' },
    answer: object(userExtended),
  },
  removeUser: {
    about: 'Takes a user off a blocker.',
    call: 'DELETE /blockers/{blocker_id}/users/{user_id}',
    answer: object('id'),
  },
  retrieveBlockersCardsListOnCurrentUser: {
    about:
      'The cards that wait for the account of the token. Documented as an object; without any ' +
      'the service is known to answer `[]`.',
    call: 'GET /users/current/blockers',
    answer: object('blocked_cards summary'),
  },
  retrieveListOfUsers: {
    about: 'The users of a blocker, in one answer.',
    call: 'GET /blockers/{blocker_id}/users',
    answer: array(userOfBlocker),
  },
});

/** Reasons of blocked cards, as categories that can be counted. */
export const cardBlockerCategories = operations('cardBlockerCategories', {
  addBlockerCategory: {
    about: 'Puts a blocker into a category, by its name.',
    call: 'POST /blockers/{blocker_id}/categories',
    body: { 'name*': 'string' },
    answer: object('uid name color'),
  },
  removeCategory: {
    about: 'Takes a blocker out of a category.',
    call: 'DELETE /blockers/{blocker_id}/categories/{category_uuid}',
    answer: object('uid'),
  },
  retrieveListOfCategories: {
    about: 'The categories of all blockers.',
    call: 'GET /categories',
    answer: array('uid name color'),
  },
});

/** Checklists of a card. */
export const cardChecklists = operations('cardChecklists', {
  addChecklistToCard: {
    about: 'Adds a checklist, empty or with the items of another.',
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
  removeChecklistFromCard: {
    about: 'Removes a checklist from a card.',
    call: 'DELETE /cards/{card_id}/checklists/{id}',
    answer: object('id'),
  },
  retrieveCardChecklist: {
    about: 'One checklist with its items.',
    call: 'GET /cards/{card_id}/checklists/{id}',
    answer: object('created updated id uid fts_version name policy_id items'),
  },
  updateChecklist: {
    about: 'Renames a checklist, puts it elsewhere, or moves it to another card.',
    call: 'PATCH /cards/{card_id}/checklists/{id}',
    body: { name: 'string', sort_order: 'number', card_id: 'integer' },
    answer: object('created updated id name policy_id'),
  },
});

/** Items of a checklist, addressed through the card. */
export const cardChecklistItems = operations('cardChecklistItems', {
  addItemToChecklist: {
    about: 'Adds an item.',
    call: 'POST /cards/{card_id}/checklists/{checklist_id}/items',
    body: newChecklistItem,
    answer: object(checklistItem),
  },
  removeChecklistItem: {
    about: 'Removes an item.',
    call: 'DELETE /cards/{card_id}/checklists/{checklist_id}/items/{id}',
    answer: object('id'),
  },
  updateChecklistItem: {
    about: 'Changes an item, checks it, or moves it to another checklist.',
    call: 'PATCH /cards/{card_id}/checklists/{checklist_id}/items/{id}',
    body: checklistItemChanges,
    answer: object(checklistItem),
  },
});

/** Checklists by themselves. */
export const checklists = operations('checklists', {
  retrieveCardsWithChecklist: {
    about: 'The cards that have a checklist.',
    call: 'GET /checklists/{id}',
    query: { 'only_shared_cards*': 'boolean' },
    answer: array(cardOfChecklist),
  },
});

/** Items of a checklist, addressed without the card. */
export const checklistItems = operations('checklistItems', {
  addItemToChecklist: {
    about: 'Adds an item.',
    call: 'POST /checklists/{checklist_id}/items',
    body: newChecklistItem,
    answer: object(checklistItem),
  },
  removeChecklistItem: {
    about: 'Removes an item.',
    call: 'DELETE /checklists/{checklist_id}/items/{id}',
    answer: object('id'),
  },
  updateChecklistItem: {
    about: 'Changes an item, checks it, or moves it to another checklist.',
    call: 'PATCH /checklists/{checklist_id}/items/{id}',
    body: checklistItemChanges,
    answer: object(checklistItem),
  },
});
