// Generated from the rows in src/upstream/operations/ by `npm run docs`; do not edit.
import type { Call, ListCall } from '../client-types.ts';

/** Arguments of `customPropertySelectValues.createNewSelectValue`. */
export interface CustomPropertySelectValuesCreateNewSelectValueArguments {
  readonly path: {
    readonly property_id: number;
  };
  readonly body: {
    readonly value: string;
    readonly color?: number | null | undefined;
  };
}

/** Answer of `customPropertySelectValues.createNewSelectValue`. */
export interface CustomPropertySelectValuesCreateNewSelectValueAnswer {
  /** Inferred from its name: a time. */
  created: string;
  /** Inferred from its name: a time. */
  updated: string;
  /** Inferred from `path.id`. */
  id: number;
  /** Inferred from its name. */
  custom_property_id: number | string | null;
  /** Inferred from `body.value`. */
  value: string | null;
  /** Inferred from `body.color`. */
  color: number | null;
  /** Inferred from the parameters called `author_id`. */
  author_id: number | null;
  /** Inferred from its name. */
  company_id: number | string | null;
  /** Inferred from `body.sort_order`. */
  sort_order: number | null;
  /** Inferred from the parameters called `external_id`. */
  external_id: number | string | null;
  /** Inferred from `body.condition`. */
  condition: string | null;
}

/** Arguments of `customPropertySelectValues.getListOfSelectValues`. */
export interface CustomPropertySelectValuesGetListOfSelectValuesArguments {
  readonly path: {
    readonly property_id: number;
  };
  readonly query?: {
    readonly v2_select_search?: boolean | undefined;
    readonly query?: string | undefined;
    readonly order_by?: string | undefined;
    readonly ids?: readonly (string | number)[] | undefined;
    readonly conditions?: readonly (string | number)[] | undefined;
    readonly offset?: number | undefined;
    readonly limit?: number | undefined;
  } | undefined;
}

/** Entry of the answer of `customPropertySelectValues.getListOfSelectValues`. */
export interface CustomPropertySelectValuesGetListOfSelectValuesEntry {
  /** Inferred from `path.id`. */
  id: number;
  /** Inferred from its name. */
  custom_property_id: number | string | null;
  /** Inferred from `body.value`. */
  value: string | null;
  /** Inferred from `body.color`. */
  color: number | null;
  /** Inferred from `body.sort_order`. */
  sort_order: number | null;
  /** Inferred from the parameters called `external_id`. */
  external_id: number | string | null;
  /** Inferred from its name: a time. */
  updated: string;
  /** Inferred from `body.condition`. */
  condition: string | null;
}

/** Answer of `customPropertySelectValues.getListOfSelectValues`. */
export type CustomPropertySelectValuesGetListOfSelectValuesAnswer = CustomPropertySelectValuesGetListOfSelectValuesEntry[];

/** Arguments of `customPropertySelectValues.getSelectValue`. */
export interface CustomPropertySelectValuesGetSelectValueArguments {
  readonly path: {
    readonly property_id: number;
    readonly id: number;
  };
}

/** Answer of `customPropertySelectValues.getSelectValue`. */
export interface CustomPropertySelectValuesGetSelectValueAnswer {
  /** Inferred from its name: a time. */
  created: string;
  /** Inferred from its name: a time. */
  updated: string;
  /** Inferred from `path.id`. */
  id: number;
  /** Inferred from its name. */
  custom_property_id: number | string | null;
  /** Inferred from `body.value`. */
  value: string | null;
  /** Inferred from `body.color`. */
  color: number | null;
  /** Inferred from the parameters called `author_id`. */
  author_id: number | null;
  /** Inferred from its name. */
  company_id: number | string | null;
  /** Inferred from `body.sort_order`. */
  sort_order: number | null;
  /** Inferred from the parameters called `external_id`. */
  external_id: number | string | null;
  /** Inferred from `body.condition`. */
  condition: string | null;
}

/** Arguments of `customPropertySelectValues.removeProperty`. */
export interface CustomPropertySelectValuesRemovePropertyArguments {
  readonly path: {
    readonly property_id: number;
    readonly id: number;
  };
}

/** Answer of `customPropertySelectValues.removeProperty`. */
export interface CustomPropertySelectValuesRemovePropertyAnswer {
  /** Inferred from its name: a time. */
  created: string;
  /** Inferred from its name: a time. */
  updated: string;
  /** Inferred from `path.id`. */
  id: number;
  /** Inferred from its name. */
  custom_property_id: number | string | null;
  /** Inferred from `body.value`. */
  value: string | null;
  /** Inferred from `body.color`. */
  color: number | null;
  /** Inferred from the parameters called `author_id`. */
  author_id: number | null;
  /** Inferred from its name. */
  company_id: number | string | null;
  /** Inferred from `body.sort_order`. */
  sort_order: number | null;
  /** Inferred from the parameters called `external_id`. */
  external_id: number | string | null;
  /** Inferred from `body.condition`. */
  condition: string | null;
}

/** Arguments of `customPropertySelectValues.updateSelectValue`. */
export interface CustomPropertySelectValuesUpdateSelectValueArguments {
  readonly path: {
    readonly property_id: number;
    readonly id: number;
  };
  readonly body?: {
    readonly value?: string | undefined;
    readonly color?: number | null | undefined;
    readonly condition?: 'active' | 'inactive' | undefined;
    readonly sort_order?: number | undefined;
    readonly deleted?: boolean | undefined;
  } | undefined;
}

/** Answer of `customPropertySelectValues.updateSelectValue`. */
export interface CustomPropertySelectValuesUpdateSelectValueAnswer {
  /** Inferred from its name: a time. */
  created: string;
  /** Inferred from its name: a time. */
  updated: string;
  /** Inferred from `path.id`. */
  id: number;
  /** Inferred from its name. */
  custom_property_id: number | string | null;
  /** Inferred from `body.value`. */
  value: string | null;
  /** Inferred from `body.color`. */
  color: number | null;
  /** Inferred from the parameters called `author_id`. */
  author_id: number | null;
  /** Inferred from its name. */
  company_id: number | string | null;
  /** Inferred from `body.sort_order`. */
  sort_order: number | null;
  /** Inferred from the parameters called `external_id`. */
  external_id: number | string | null;
  /** Inferred from `body.condition`. */
  condition: string | null;
}

/** Operations of `client.customPropertySelectValues`. */
export interface CustomPropertySelectValuesOperations {
  /**
   * Adds a value.
   *
   * `POST /company/custom-properties/{property_id}/select-values`
   *
   * Not repeated after a lost answer: a second one may do more than the first.
   *
   * @param args `path`: `property_id`; `body`: `value` (required), `color`
   */
  readonly createNewSelectValue: Call<CustomPropertySelectValuesCreateNewSelectValueArguments, CustomPropertySelectValuesCreateNewSelectValueAnswer>;

  /**
   * The values of a choice. The service is known to page only with `v2_select_search`.
   *
   * `GET /company/custom-properties/{property_id}/select-values`
   *
   * `client.paginate` reads all of it.
   *
   * @param args `path`: `property_id`; `query`: `v2_select_search`, `query`, `order_by`, `ids`,
   * `conditions`, `offset`, `limit`
   */
  readonly getListOfSelectValues: ListCall<CustomPropertySelectValuesGetListOfSelectValuesArguments, CustomPropertySelectValuesGetListOfSelectValuesAnswer>;

  /**
   * One value.
   *
   * `GET /company/custom-properties/{property_id}/select-values/{id}`
   *
   * @param args `path`: `property_id`, `id`
   */
  readonly getSelectValue: Call<CustomPropertySelectValuesGetSelectValueArguments, CustomPropertySelectValuesGetSelectValueAnswer>;

  /**
   * Removes a value; the documents name it so.
   *
   * `DELETE /company/custom-properties/{property_id}/select-values/{id}`
   *
   * @param args `path`: `property_id`, `id`
   */
  readonly removeProperty: Call<CustomPropertySelectValuesRemovePropertyArguments, CustomPropertySelectValuesRemovePropertyAnswer | undefined>;

  /**
   * Changes a value.
   *
   * `PATCH /company/custom-properties/{property_id}/select-values/{id}`
   *
   * @param args `path`: `property_id`, `id`; `body`: `value`, `color`, `condition`, `sort_order`,
   * `deleted`
   */
  readonly updateSelectValue: Call<CustomPropertySelectValuesUpdateSelectValueArguments, CustomPropertySelectValuesUpdateSelectValueAnswer>;
}
