import type { EntryShape } from './operation.ts';
import { operations, shape } from './row.ts';
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
export const cardComments = operations('cardComments', '/cards/{card_id}/comments')`
  addComment POST => ${commentWritten}
    body text* files[]
    deprecated files[]
    content json-or-multipart
  removeComment DELETE /{comment_id}
  retrieveCardComments GET => [${commentListed}]
  updateComment PATCH /{comment_id} => ${commentWritten}
    about Changes the text of a comment. Unsafe to repeat: files would be attached again.
    body text files[]
    deprecated files[]
    content json-or-multipart
    repeat unsafe
`;

/** Files of a card. */
export const cardFiles = operations('cardFiles', '/cards/{card_id}/files')`
  attachFileToCard PUT
    about Attaches a file. Unsafe to repeat although it is a PUT: the file would be there twice.
    body file*
    content multipart
    repeat unsafe
    stage deprecated
    answer author_id card_cover card_id comment_id created deleted external id mh_markup_id
      mh_secret name size sort_order type updated url
  detachFileFromCard DELETE /{id}
  updateFile PATCH /{id} => ?
    about Makes a file the cover of its card, or no longer. The fields of the answer are not
      documented.
    body card_cover
`;

/** Operations of files, which have text for ids here. @param what the files belong to, as the documents name it. */
function fileOperations<const G extends string>(
  group: G,
  at: `/${string}`,
  { what, file, more = '' }: { what: string; file: EntryShape; more?: string },
) {
  return operations(group, at, { pathParameters: { id: 'string' } })`
  attachFileTo${what} POST => ${file}
    body file*
    content multipart
  delete${what}File DELETE /{id}
  get${what}File GET /{id} => redirect ${servedFile} ${more}
    about Facts about a file, with its address in \`url\`. With \`redirect: true\` the answer is the
      target. Newer installations take \`response_type\` instead and redirect unless it is \`json\`.
    query redirect download response_type~
  update${what}File PATCH /{id} => ${file}
    about Renames a file or makes it the cover.
    body name card_cover
`;
}

/** Files of a card for users who may see the card. */
export const restrictedAccessCardFiles = fileOperations(
  'restrictedAccessCardFiles',
  '/cards/{card_uid}/files',
  { what: 'Card', file: storedFile },
);

/** Files of a comment for users who may see the card. `comment_uid` is `new` for a comment that is not written yet. */
export const restrictedAccessCommentFiles = fileOperations(
  'restrictedAccessCommentFiles',
  '/cards/{card_uid}/comments/{comment_uid}/files',
  { what: 'Comment', file: commentFile, more: 'comment_uid' },
);

/** Files in a property of a card for users who may see the card. */
export const restrictedAccessCustomPropertyFiles = fileOperations(
  'restrictedAccessCustomPropertyFiles',
  '/cards/{card_uid}/custom-properties/{property_uid}/files',
  { what: 'CustomProperty', file: propertyFile, more: 'custom_property_uid' },
);

/** Time spent on a card, in minutes. */
export const cardTimeLogs = operations('cardTimeLogs', '/cards/{card_id}/time-logs')`
  addTimeLog POST => ${timeLog}
    body role_id* time_spent* for_date* comment
  getTimeLogs GET => [${timeLog} role user author]
    query for_date personal
  removeTimeLog DELETE /{id}
  updateLogRecord PATCH /{id} => ${timeLog}
    body role_id time_spent for_date comment
`;

/** Time logged on all cards. */
export const timesheet = operations('timesheet', '/time-logs')`
  getList GET => [${timeLog} card user role]
    about The time logged between two days, both included.
    query from* to* time_unit tag_ids user_ids group_ids:string|integer|integer[]|string[] space_ids
      board_ids column_ids card_ids visible_column_ids limit offset condition group_by
      time_precision with_daily_distribution only_general_sum
    source field-notes
`;

const link = shape`ExternalLink: url updated created id description`;

/** Links of a card to other places. */
export const cardExternalLinks = operations('cardExternalLinks', '/cards/{card_id}/external-links')`
  addExternalLink POST => ${link}
    body url* description
  removeExternalLink DELETE /{id}
  retrieveCardExternalLinks GET => [${link} card_id external_link_id]
  updateExternalLink PATCH /{id} => ${link}
    body url description
`;

/** Obstacles of a card: a reason or another card. */
export const cardBlockers = operations('cardBlockers', '/cards/{card_id}/blockers')`
  blockCard POST => ${cardBlocker} blocked_card blocker card
    body reason blocker_card_id
  deleteCardBlockers DELETE /{id} => ${cardBlocker} blocked_card card
  retrieveCardBlockersList GET => [${cardBlocker} blocked_card blocker card]
  updateCardBlockers PATCH /{id} => ${cardBlocker}
    body reason blocker_card_id due_date due_date_time_present:boolean|null
`;

/** Users whom a blocker waits for. */
export const cardBlockerUsers = operations('cardBlockerUsers', '')`
  addUserToTheCardBlocker POST /blockers/{blocker_id}/users => ${userExtended}
    body user_id*
  removeUser DELETE /blockers/{blocker_id}/users/{user_id}
  retrieveBlockersCardsListOnCurrentUser GET /users/current/blockers => blocked_cards summary
    about The cards that wait for the account of the token. Documented as an object; without any the
      service is known to answer \`[]\`.
  retrieveListOfUsers GET /blockers/{blocker_id}/users => [${userOfBlocker}]
`;

/** Reasons of blocked cards, as categories that can be counted. */
export const cardBlockerCategories = operations('cardBlockerCategories', '')`
  addBlockerCategory POST /blockers/{blocker_id}/categories => uid name color
    body name*
  removeCategory DELETE /blockers/{blocker_id}/categories/{category_uuid} => uid
  retrieveListOfCategories GET /categories => [uid name color]
`;

/** Checklists of a card. */
export const cardChecklists = operations('cardChecklists', '/cards/{card_id}/checklists')`
  addChecklistToCard POST
    body name sort_order items_source_checklist_id exclude_item_ids source_share_id
    answer created updated id name policy_id card_id checklist_id sort_order deleted items
  removeChecklistFromCard DELETE /{id}
  retrieveCardChecklist GET /{id} => created updated id uid fts_version name policy_id items
  updateChecklist PATCH /{id} => created updated id name policy_id
    body name sort_order card_id
`;

/** Items of a checklist, addressed through the card. */
export const cardChecklistItems = operations(
  'cardChecklistItems',
  '/cards/{card_id}/checklists/{checklist_id}/items',
)`
  addItemToChecklist POST => ${checklistItem}
    body ${newChecklistItem}
  removeChecklistItem DELETE /{id}
  updateChecklistItem PATCH /{id} => ${checklistItem}
    body ${checklistItemChanges}
`;

/** Checklists by themselves. */
export const checklists = operations('checklists', '/checklists/{id}')`
  retrieveCardsWithChecklist GET => [${cardOfChecklist}]
    query only_shared_cards*
`;

/** Items of a checklist, addressed without the card. */
export const checklistItems = operations('checklistItems', '/checklists/{checklist_id}/items')`
  addItemToChecklist POST => ${checklistItem}
    body ${newChecklistItem}
  removeChecklistItem DELETE /{id}
  updateChecklistItem PATCH /{id} => ${checklistItem}
    body ${checklistItemChanges}
`;
