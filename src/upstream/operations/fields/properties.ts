// Response field lists, as the documents name them.

/** PRP: a custom property. */
export const customProperty = [
  'created',
  'updated',
  'id',
  'uid',
  'type',
  'name',
  'condition',
  'show_on_facade',
  'multiline',
  'author_id',
  'company_id',
  'colorful',
  'multi_select',
  'values_creatable_by_users',
  'values_type',
  'vote_variant',
  'data',
  'protected',
  'fields_settings',
  'color',
  'external_id',
] as const;

/** CAT: a catalog value. */
export const catalogValue = [
  'created',
  'updated',
  'id',
  'custom_property_id',
  'value',
  'name',
  'author_id',
  'updater_id',
  'condition',
] as const;

/** SCO: a score of one person. */
export const scoreValue = [
  'created',
  'updated',
  'id',
  'value',
  'custom_property_id',
  'author_id',
  'updater_id',
  'company_id',
  'card_id',
] as const;

/** VOT: a vote of one person. */
export const voteValue = [
  'created',
  'updated',
  'id',
  'number_vote',
  'emoji_vote',
  'custom_property_id',
  'author_id',
  'company_id',
  'card_id',
] as const;

/** SEL: a select value. */
export const selectValue = [
  'created',
  'updated',
  'id',
  'custom_property_id',
  'value',
  'color',
  'author_id',
  'company_id',
  'sort_order',
  'external_id',
  'condition',
] as const;
