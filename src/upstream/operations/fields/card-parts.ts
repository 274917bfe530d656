// Response field lists, as the documents name them.

/** BLK: a card blocker, base. */
export const cardBlocker = [
  'created',
  'updated',
  'id',
  'reason',
  'card_id',
  'blocker_id',
  'blocker_card_id',
  'blocker_card_title',
  'released',
  'released_by_id',
  'due_date',
  'due_date_time_present',
] as const;

/** ITM: a checklist item. */
export const checklistItem = [
  'created',
  'updated',
  'id',
  'text',
  'sort_order',
  'checked',
  'checklist_id',
  'checker_id',
  'user_id',
  'checked_at',
  'responsible_id',
  'deleted',
  'due_date',
] as const;

/** CMW: a comment, written. The service spells `attacments` so. */
export const commentWritten = [
  'created',
  'updated',
  'id',
  'uid',
  'text',
  'type',
  'edited',
  'card_id',
  'author_id',
  'email_addresses_to',
  'deleted',
  'internal',
  'sd_external_recipients_cc',
  'sd_description',
  'notification_sent',
  'attacments',
] as const;

/** CML: a comment, listed. The service has `update` here, not `updated`. */
export const commentListed = [
  'created',
  'update',
  'id',
  'uid',
  'text',
  'edited',
  'card_id',
  'author_id',
  'email_addresses_to',
  'type',
  'deleted',
  'internal',
  'sd_external_recipients_cc',
  'notification_sent',
  'sent_slack_messages_data',
  'sd_description',
  'author',
] as const;

/** TLG: a time log. */
export const timeLog = [
  'created',
  'updated',
  'id',
  'card_id',
  'user_id',
  'role_id',
  'author_id',
  'updater_id',
  'time_spent',
  'for_date',
  'comment',
] as const;

/** CTY: a card type. */
export const cardType = [
  'company_id',
  'letter',
  'name',
  'color',
  'updated',
  'created',
  'id',
  'description_template',
  'archived',
  'properties',
  'card_properties',
  'suggest_fields',
] as const;

/** FIL: a stored file. */
export const storedFile = [
  'id',
  'name',
  'size',
  'mime_type',
  'author_uid',
  'card_uid',
  'company_uid',
  'entity_type',
  'created',
  'updated',
  'card_cover',
] as const;

/** Types of FIL: the size is a number in quotes. */
export const storedFileTypes = { size: 'string' } as const;
