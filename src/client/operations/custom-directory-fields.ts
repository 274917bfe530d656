// Generated from the rows in src/upstream/operations/ by `npm run docs`; do not edit.
import type { Call } from '../client-types.ts';

/** Arguments of `customDirectoryFields.createField`. */
export interface CustomDirectoryFieldsCreateFieldArguments {
  readonly path: {
    readonly directory_id: string;
  };
  readonly body: {
    readonly name: string;
    readonly type: 'string' | 'number' | 'date' | 'email' | 'url' | 'phone' | 'checkbox' | 'select' | 'user' | 'catalog' | 'directory_link' | 'file';
    readonly sort_order?: number | undefined;
    readonly required?: boolean | undefined;
    readonly is_display?: boolean | undefined;
    /** Not in the documents of the service. */
    readonly custom_property_uid?: string | undefined;
    /** Not in the documents of the service. */
    readonly linked_directory_id?: string | undefined;
  };
}

/** Answer of `customDirectoryFields.createField`. */
export interface CustomDirectoryFieldsCreateFieldAnswer {
  /** Inferred from `path.field_id`. */
  id: string;
  /** Inferred from its name. */
  custom_directory_id: number | string | null;
  /** Inferred from `body.name`. */
  name: string | null;
  /** Inferred from `body.type`. */
  type: string | null;
  /** Inferred from its name. */
  custom_property_uid: string | null;
  /** Inferred from the parameters called `linked_directory_id`. */
  linked_directory_id: string | null;
  /** Inferred from its name. */
  reverse_field_id: number | string | null;
  /** Inferred from `body.condition`. */
  condition: string | null;
  /** Inferred from `body.required`. */
  required: boolean | null;
  /** Inferred from `body.is_display`. */
  is_display: boolean | null;
  /** Inferred from `body.sort_order`. */
  sort_order: number | null;
  settings: unknown;
  /** Inferred from its name. */
  author_uid: string | null;
  /** Inferred from its name. */
  company_uid: string | null;
  /** Inferred from its name: a time. */
  created: string;
  /** Inferred from its name: a time. */
  updated: string;
}

/** Arguments of `customDirectoryFields.deleteField`. */
export interface CustomDirectoryFieldsDeleteFieldArguments {
  readonly path: {
    readonly directory_id: string;
    readonly field_id: string;
  };
}

/** Answer of `customDirectoryFields.deleteField`. */
export interface CustomDirectoryFieldsDeleteFieldAnswer {
  /** Inferred from `path.field_id`. */
  id: string;
  /** Inferred from its name. */
  custom_directory_id: number | string | null;
  /** Inferred from `body.name`. */
  name: string | null;
  /** Inferred from `body.type`. */
  type: string | null;
  /** Inferred from `body.condition`. */
  condition: string | null;
  /** Inferred from its name: a time. */
  updated: string;
}

/** Arguments of `customDirectoryFields.getField`. */
export interface CustomDirectoryFieldsGetFieldArguments {
  readonly path: {
    readonly directory_id: string;
    readonly field_id: string;
  };
}

/** Answer of `customDirectoryFields.getField`. */
export interface CustomDirectoryFieldsGetFieldAnswer {
  /** Inferred from `path.field_id`. */
  id: string;
  /** Inferred from its name. */
  custom_directory_id: number | string | null;
  /** Inferred from `body.name`. */
  name: string | null;
  /** Inferred from `body.type`. */
  type: string | null;
  /** Inferred from its name. */
  custom_property_uid: string | null;
  /** Inferred from the parameters called `linked_directory_id`. */
  linked_directory_id: string | null;
  /** Inferred from its name. */
  reverse_field_id: number | string | null;
  /** Inferred from `body.condition`. */
  condition: string | null;
  /** Inferred from `body.required`. */
  required: boolean | null;
  /** Inferred from `body.is_display`. */
  is_display: boolean | null;
  /** Inferred from `body.sort_order`. */
  sort_order: number | null;
  settings: unknown;
  /** Inferred from its name. */
  author_uid: string | null;
  /** Inferred from its name. */
  company_uid: string | null;
  /** Inferred from its name: a time. */
  created: string;
  /** Inferred from its name: a time. */
  updated: string;
  author: unknown;
  linkedDirectory: unknown;
  customProperty: unknown;
}

/** Arguments of `customDirectoryFields.getListOfFields`. */
export interface CustomDirectoryFieldsGetListOfFieldsArguments {
  readonly path: {
    readonly directory_id: string;
  };
  readonly query?: {
    readonly include_author?: boolean | undefined;
    readonly conditions?: readonly ('active' | 'inactive' | 'removed')[] | undefined;
  } | undefined;
}

/** Entry of the answer of `customDirectoryFields.getListOfFields`. */
export interface CustomDirectoryFieldsGetListOfFieldsEntry {
  /** Inferred from `path.field_id`. */
  id: string;
  /** Inferred from its name. */
  custom_directory_id: number | string | null;
  /** Inferred from `body.name`. */
  name: string | null;
  /** Inferred from `body.type`. */
  type: string | null;
  /** Inferred from `body.required`. */
  required: boolean | null;
  /** Inferred from `body.is_display`. */
  is_display: boolean | null;
  /** Inferred from `body.sort_order`. */
  sort_order: number | null;
  /** Inferred from `body.condition`. */
  condition: string | null;
}

/** Answer of `customDirectoryFields.getListOfFields`. */
export type CustomDirectoryFieldsGetListOfFieldsAnswer = CustomDirectoryFieldsGetListOfFieldsEntry[];

/** Arguments of `customDirectoryFields.updateField`. */
export interface CustomDirectoryFieldsUpdateFieldArguments {
  readonly path: {
    readonly directory_id: string;
    readonly field_id: string;
  };
  readonly body?: {
    readonly name?: string | undefined;
    readonly condition?: 'active' | 'inactive' | 'removed' | undefined;
    readonly sort_order?: number | undefined;
    readonly required?: boolean | undefined;
    readonly is_display?: boolean | undefined;
  } | undefined;
}

/** Answer of `customDirectoryFields.updateField`. */
export interface CustomDirectoryFieldsUpdateFieldAnswer {
  /** Inferred from `path.field_id`. */
  id: string;
  /** Inferred from its name. */
  custom_directory_id: number | string | null;
  /** Inferred from `body.name`. */
  name: string | null;
  /** Inferred from `body.type`. */
  type: string | null;
  /** Inferred from its name. */
  custom_property_uid: string | null;
  /** Inferred from the parameters called `linked_directory_id`. */
  linked_directory_id: string | null;
  /** Inferred from its name. */
  reverse_field_id: number | string | null;
  /** Inferred from `body.condition`. */
  condition: string | null;
  /** Inferred from `body.required`. */
  required: boolean | null;
  /** Inferred from `body.is_display`. */
  is_display: boolean | null;
  /** Inferred from `body.sort_order`. */
  sort_order: number | null;
  settings: unknown;
  /** Inferred from its name. */
  author_uid: string | null;
  /** Inferred from its name. */
  company_uid: string | null;
  /** Inferred from its name: a time. */
  created: string;
  /** Inferred from its name: a time. */
  updated: string;
}

/** Operations of `client.customDirectoryFields`. */
export interface CustomDirectoryFieldsOperations {
  /**
   * Adds a field. One that shows a property of the cards or another directory has to name it.
   *
   * `POST /company/custom-directories/{directory_id}/fields`
   *
   * The service flags it as beta.
   * Not repeated after a lost answer: a second one may do more than the first.
   *
   * @param args `path`: `directory_id`; `body`: `name` (required), `type` (required),
   * `sort_order`, `required`, `is_display`, `custom_property_uid`, `linked_directory_id`
   */
  readonly createField: Call<CustomDirectoryFieldsCreateFieldArguments, CustomDirectoryFieldsCreateFieldAnswer>;

  /**
   * Removes a field.
   *
   * `DELETE /company/custom-directories/{directory_id}/fields/{field_id}`
   *
   * The service flags it as beta.
   *
   * @param args `path`: `directory_id`, `field_id`
   */
  readonly deleteField: Call<CustomDirectoryFieldsDeleteFieldArguments, CustomDirectoryFieldsDeleteFieldAnswer | undefined>;

  /**
   * One field.
   *
   * `GET /company/custom-directories/{directory_id}/fields/{field_id}`
   *
   * The service flags it as beta.
   *
   * @param args `path`: `directory_id`, `field_id`
   */
  readonly getField: Call<CustomDirectoryFieldsGetFieldArguments, CustomDirectoryFieldsGetFieldAnswer>;

  /**
   * The fields of a directory, in one answer.
   *
   * `GET /company/custom-directories/{directory_id}/fields`
   *
   * The service flags it as beta.
   *
   * @param args `path`: `directory_id`; `query`: `include_author`, `conditions`
   */
  readonly getListOfFields: Call<CustomDirectoryFieldsGetListOfFieldsArguments, CustomDirectoryFieldsGetListOfFieldsAnswer>;

  /**
   * Changes a field.
   *
   * `PATCH /company/custom-directories/{directory_id}/fields/{field_id}`
   *
   * The service flags it as beta.
   *
   * @param args `path`: `directory_id`, `field_id`; `body`: `name`, `condition`, `sort_order`,
   * `required`, `is_display`
   */
  readonly updateField: Call<CustomDirectoryFieldsUpdateFieldArguments, CustomDirectoryFieldsUpdateFieldAnswer>;
}
