// Response field lists, as the documents name them.

/** DIR: a custom directory, base. */
export const customDirectory = [
  'id',
  'name',
  'description',
  'condition',
  'settings',
  'author_uid',
  'company_uid',
  'created',
  'updated',
] as const;

/** FLD: a field of a custom directory. */
export const directoryField = [
  'id',
  'custom_directory_id',
  'name',
  'type',
  'custom_property_uid',
  'linked_directory_id',
  'reverse_field_id',
  'condition',
  'required',
  'is_display',
  'sort_order',
  'settings',
  'author_uid',
  'company_uid',
  'created',
  'updated',
] as const;

/** REC: a record of a custom directory. */
export const directoryRecord = [
  'id',
  'custom_directory_id',
  'display_value',
  'condition',
  'author_uid',
  'updater_uid',
  'company_uid',
  'created',
  'updated',
  'author',
  'updater',
  'values',
] as const;
