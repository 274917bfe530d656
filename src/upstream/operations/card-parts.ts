import type { EntryShape } from './operation.ts';
import { operations, redirect, shape } from './row.ts';
import { cardOfChecklist, userExtended, userOfBlocker } from './shared-shapes.ts';

/** A checklist item, to be made. */
const newChecklistItem = 'text* sort_order checked due_date responsible_id';

/** The changeable fields of a checklist item; another `checklist_id` moves it. */
const checklistItemChanges =
  'text:string|null sort_order checklist_id checked due_date responsible_id:number|null';

/** BLK: a card blocker, base. */
const cardBlocker = shape`
  CardBlocker: created updated id reason card_id blocker_id blocker_card_id blocker_card_title
  released released_by_id due_date due_date_time_present
`;

/** ITM: a checklist item. */
const checklistItem = shape`
  ChecklistItem: created updated id text sort_order checked checklist_id checker_id user_id
  checked_at responsible_id deleted due_date
`;

/** CMW: a comment, written. The service spells `attacments` so. */
const commentWritten = shape`
  CardComment: created updated id uid text type edited card_id author_id email_addresses_to deleted
  internal sd_external_recipients_cc sd_description notification_sent attacments
`;

/** CML: a comment, listed. The service has `update` here, not `updated`. */
const commentListed = shape`
  ListedCardComment: created update id uid text edited card_id author_id email_addresses_to type
  deleted internal sd_external_recipients_cc notification_sent sent_slack_messages_data
  sd_description author
`;

/** TLG: a time log. */
const timeLog = shape`
  TimeLog: created updated id card_id user_id role_id author_id updater_id time_spent for_date
  comment
`;

/** FIL: a stored file; its size is a number in quotes. */
const storedFile = shape`
  StoredFile: id name size:string mime_type author_uid card_uid company_uid entity_type created
  updated card_cover
`;
const commentFile = shape`CommentFile: ${storedFile} comment_uid`;
const propertyFile = shape`CustomPropertyFile: ${storedFile} custom_property_uid`;
const servedFile = shape`
  ServedFile: id name size:string mime_type entity_type created updated card_uid author_uid
  card_cover url
`;

/** Comments of a card. As JSON, or as a form when files come along. */
export const cardComments = operations('cardComments', '/cards/{card_id}/comments', {
  addComment: {
    call: 'POST',
    body: 'text* files[]',
    deprecated: 'files[]',
    content: 'json-or-multipart',
    answer: commentWritten,
  },
  removeComment: { call: 'DELETE /{comment_id}' },
  retrieveCardComments: { call: 'GET', answer: [commentListed] },
  updateComment: {
    about: 'Changes the text of a comment. Unsafe to repeat: files would be attached again.',
    call: 'PATCH /{comment_id}',
    body: 'text files[]',
    deprecated: 'files[]',
    content: 'json-or-multipart',
    answer: commentWritten,
    repeat: 'unsafe',
  },
});

/** Files of a card. */
export const cardFiles = operations('cardFiles', '/cards/{card_id}/files', {
  attachFileToCard: {
    about: 'Attaches a file. Unsafe to repeat although it is a PUT: the file would be there twice.',
    call: 'PUT',
    body: 'file*',
    content: 'multipart',
    answer: `
      author_id card_cover card_id comment_id created deleted external id mh_markup_id mh_secret
      name size sort_order type updated url
    `,
    repeat: 'unsafe',
    stage: 'deprecated',
  },
  detachFileFromCard: { call: 'DELETE /{id}' },
  updateFile: {
    about:
      'Makes a file the cover of its card, or no longer. The fields of the answer are not ' +
      'documented.',
    call: 'PATCH /{id}',
    body: 'card_cover',
    answer: '',
  },
});

/** Rows for files of something on a card, for users who may see the card. */
function filesOf(stored: EntryShape, served: EntryShape) {
  const pathParameters = { id: 'string' };
  return {
    attach: { call: 'POST', body: 'file*', content: 'multipart', answer: stored },
    remove: { call: 'DELETE /{id}', pathParameters },
    get: {
      about:
        'Facts about a file, with its address in `url`. With `redirect: true` the answer is the ' +
        'target. Newer installations take `response_type` instead and redirect unless it is ' +
        '`json`.',
      call: 'GET /{id}',
      pathParameters,
      query: 'redirect download response_type~',
      answer: redirect(served),
    },
    update: {
      about: 'Renames a file or makes it the cover.',
      call: 'PATCH /{id}',
      pathParameters,
      body: 'name card_cover',
      answer: stored,
    },
  } as const;
}

const ofCard = filesOf(storedFile, servedFile);

/** Files of a card for users who may see the card. */
export const restrictedAccessCardFiles = operations(
  'restrictedAccessCardFiles',
  '/cards/{card_uid}/files',
  {
    attachFileToCard: ofCard.attach,
    deleteCardFile: ofCard.remove,
    getCardFile: ofCard.get,
    updateCardFile: ofCard.update,
  },
);

const ofComment = filesOf(commentFile, shape`${servedFile} comment_uid`);

/** Files of a comment for users who may see the card. `comment_uid` is `new` for a comment that is not written yet. */
export const restrictedAccessCommentFiles = operations(
  'restrictedAccessCommentFiles',
  '/cards/{card_uid}/comments/{comment_uid}/files',
  {
    attachFileToComment: ofComment.attach,
    deleteCommentFile: ofComment.remove,
    getCommentFile: ofComment.get,
    updateCommentFile: ofComment.update,
  },
);

const ofProperty = filesOf(propertyFile, shape`${servedFile} custom_property_uid`);

/** Files in a property of a card for users who may see the card. */
export const restrictedAccessCustomPropertyFiles = operations(
  'restrictedAccessCustomPropertyFiles',
  '/cards/{card_uid}/custom-properties/{property_uid}/files',
  {
    attachFileToCustomProperty: ofProperty.attach,
    deleteCustomPropertyFile: ofProperty.remove,
    getCustomPropertyFile: ofProperty.get,
    updateCustomPropertyFile: ofProperty.update,
  },
);

/** Time spent on a card, in minutes. */
export const cardTimeLogs = operations('cardTimeLogs', '/cards/{card_id}/time-logs', {
  addTimeLog: { call: 'POST', body: 'role_id* time_spent* for_date* comment', answer: timeLog },
  getTimeLogs: {
    call: 'GET',
    query: 'for_date personal',
    answer: [shape`${timeLog} role user author`],
  },
  removeTimeLog: { call: 'DELETE /{id}' },
  updateLogRecord: {
    call: 'PATCH /{id}',
    body: 'role_id time_spent for_date comment',
    answer: timeLog,
  },
});

/** Time logged on all cards. */
export const timesheet = operations('timesheet', '/time-logs', {
  getList: {
    about: 'The time logged between two days, both included.',
    call: 'GET',
    query: `
      from* to* time_unit tag_ids user_ids group_ids:string|integer|integer[]|string[] space_ids
      board_ids column_ids card_ids visible_column_ids limit offset condition group_by
      time_precision with_daily_distribution only_general_sum
    `,
    answer: [shape`${timeLog} card user role`],
    paging: 'offset',
    source: 'field-notes',
  },
});

const link = shape`ExternalLink: url updated created id description`;

/** Links of a card to other places. */
export const cardExternalLinks = operations(
  'cardExternalLinks',
  '/cards/{card_id}/external-links',
  {
    addExternalLink: { call: 'POST', body: 'url* description', answer: link },
    removeExternalLink: { call: 'DELETE /{id}' },
    retrieveCardExternalLinks: { call: 'GET', answer: [shape`${link} card_id external_link_id`] },
    updateExternalLink: { call: 'PATCH /{id}', body: 'url description', answer: link },
  },
);

/** Obstacles of a card: a reason or another card. */
export const cardBlockers = operations('cardBlockers', '/cards/{card_id}/blockers', {
  blockCard: {
    call: 'POST',
    body: 'reason blocker_card_id',
    answer: shape`${cardBlocker} blocked_card blocker card`,
  },
  deleteCardBlockers: { call: 'DELETE /{id}', answer: shape`${cardBlocker} blocked_card card` },
  retrieveCardBlockersList: {
    call: 'GET',
    answer: [shape`${cardBlocker} blocked_card blocker card`],
  },
  updateCardBlockers: {
    call: 'PATCH /{id}',
    body: 'reason blocker_card_id due_date due_date_time_present:boolean|null',
    answer: cardBlocker,
  },
});

/** Users whom a blocker waits for. */
export const cardBlockerUsers = operations('cardBlockerUsers', '', {
  addUserToTheCardBlocker: {
    call: 'POST /blockers/{blocker_id}/users',
    body: 'user_id*',
    answer: userExtended,
  },
  removeUser: { call: 'DELETE /blockers/{blocker_id}/users/{user_id}' },
  retrieveBlockersCardsListOnCurrentUser: {
    about:
      'The cards that wait for the account of the token. Documented as an object; without any ' +
      'the service is known to answer `[]`.',
    call: 'GET /users/current/blockers',
    answer: 'blocked_cards summary',
  },
  retrieveListOfUsers: { call: 'GET /blockers/{blocker_id}/users', answer: [userOfBlocker] },
});

/** Reasons of blocked cards, as categories that can be counted. */
export const cardBlockerCategories = operations('cardBlockerCategories', '', {
  addBlockerCategory: {
    call: 'POST /blockers/{blocker_id}/categories',
    body: 'name*',
    answer: 'uid name color',
  },
  removeCategory: {
    call: 'DELETE /blockers/{blocker_id}/categories/{category_uuid}',
    answer: 'uid',
  },
  retrieveListOfCategories: { call: 'GET /categories', answer: ['uid name color'] },
});

/** Checklists of a card. */
export const cardChecklists = operations('cardChecklists', '/cards/{card_id}/checklists', {
  addChecklistToCard: {
    call: 'POST',
    body: 'name sort_order items_source_checklist_id exclude_item_ids source_share_id',
    answer: 'created updated id name policy_id card_id checklist_id sort_order deleted items',
  },
  removeChecklistFromCard: { call: 'DELETE /{id}' },
  retrieveCardChecklist: {
    call: 'GET /{id}',
    answer: 'created updated id uid fts_version name policy_id items',
  },
  updateChecklist: {
    call: 'PATCH /{id}',
    body: 'name sort_order card_id',
    answer: 'created updated id name policy_id',
  },
});

/** Items of a checklist, addressed through the card. */
export const cardChecklistItems = operations(
  'cardChecklistItems',
  '/cards/{card_id}/checklists/{checklist_id}/items',
  {
    addItemToChecklist: { call: 'POST', body: newChecklistItem, answer: checklistItem },
    removeChecklistItem: { call: 'DELETE /{id}' },
    updateChecklistItem: { call: 'PATCH /{id}', body: checklistItemChanges, answer: checklistItem },
  },
);

/** Checklists by themselves. */
export const checklists = operations('checklists', '/checklists/{id}', {
  retrieveCardsWithChecklist: {
    call: 'GET',
    query: 'only_shared_cards*',
    answer: [cardOfChecklist],
  },
});

/** Items of a checklist, addressed without the card. */
export const checklistItems = operations('checklistItems', '/checklists/{checklist_id}/items', {
  addItemToChecklist: { call: 'POST', body: newChecklistItem, answer: checklistItem },
  removeChecklistItem: { call: 'DELETE /{id}' },
  updateChecklistItem: { call: 'PATCH /{id}', body: checklistItemChanges, answer: checklistItem },
});
