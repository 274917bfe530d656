// Generated from the rows in src/upstream/operations/ by `npm run docs`; do not edit.
import type { Call, ListCall } from '../client-types.ts';

/** Arguments of `customPropertyCatalogValues.createNewCatalogValue`. */
export interface CustomPropertyCatalogValuesCreateNewCatalogValueArguments {
  readonly path: {
    readonly property_id: number;
  };
  readonly body: {
    readonly value: object;
  };
}

/** Answer of `customPropertyCatalogValues.createNewCatalogValue`. */
export interface CustomPropertyCatalogValuesCreateNewCatalogValueAnswer {
  /** Inferred from its name: a time. */
  created: string;
  /** Inferred from its name: a time. */
  updated: string;
  /** Inferred from `path.id`. */
  id: number;
  /** Inferred from its name. */
  custom_property_id: number | string | null;
  value: unknown;
  name: unknown;
  /** Inferred from the parameters called `author_id`. */
  author_id: number | null;
  /** Inferred from its name. */
  updater_id: number | string | null;
  /** Inferred from `body.condition`. */
  condition: string | null;
}

/** Arguments of `customPropertyCatalogValues.getCatalogValue`. */
export interface CustomPropertyCatalogValuesGetCatalogValueArguments {
  readonly path: {
    readonly property_id: number;
    readonly id: number;
  };
}

/** Answer of `customPropertyCatalogValues.getCatalogValue`. */
export interface CustomPropertyCatalogValuesGetCatalogValueAnswer {
  /** Inferred from its name: a time. */
  created: string;
  /** Inferred from its name: a time. */
  updated: string;
  /** Inferred from `path.id`. */
  id: number;
  /** Inferred from its name. */
  custom_property_id: number | string | null;
  value: unknown;
  name: unknown;
  /** Inferred from the parameters called `author_id`. */
  author_id: number | null;
  /** Inferred from its name. */
  updater_id: number | string | null;
  /** Inferred from `body.condition`. */
  condition: string | null;
}

/** Arguments of `customPropertyCatalogValues.getListOfCatalogValues`. */
export interface CustomPropertyCatalogValuesGetListOfCatalogValuesArguments {
  readonly path: {
    readonly property_id: number;
  };
  readonly query?: {
    readonly query?: string | undefined;
    readonly conditions?: string | undefined;
    readonly limit?: number | undefined;
    readonly offset?: number | undefined;
  } | undefined;
}

/** Entry of the answer of `customPropertyCatalogValues.getListOfCatalogValues`. */
export interface CustomPropertyCatalogValuesGetListOfCatalogValuesEntry {
  /** Inferred from its name: a time. */
  created: string;
  /** Inferred from its name: a time. */
  updated: string;
  /** Inferred from `path.id`. */
  id: number;
  /** Inferred from its name. */
  custom_property_id: number | string | null;
  value: unknown;
  name: unknown;
  /** Inferred from the parameters called `author_id`. */
  author_id: number | null;
  /** Inferred from its name. */
  updater_id: number | string | null;
  /** Inferred from `body.condition`. */
  condition: string | null;
}

/** Answer of `customPropertyCatalogValues.getListOfCatalogValues`. */
export type CustomPropertyCatalogValuesGetListOfCatalogValuesAnswer = CustomPropertyCatalogValuesGetListOfCatalogValuesEntry[];

/** Arguments of `customPropertyCatalogValues.removeProperty`. */
export interface CustomPropertyCatalogValuesRemovePropertyArguments {
  readonly path: {
    readonly property_id: number;
    readonly id: number;
  };
}

/** Answer of `customPropertyCatalogValues.removeProperty`. */
export interface CustomPropertyCatalogValuesRemovePropertyAnswer {
  /** Inferred from its name: a time. */
  created: string;
  /** Inferred from its name: a time. */
  updated: string;
  /** Inferred from `path.id`. */
  id: number;
  /** Inferred from its name. */
  custom_property_id: number | string | null;
  value: unknown;
  name: unknown;
  /** Inferred from the parameters called `author_id`. */
  author_id: number | null;
  /** Inferred from its name. */
  updater_id: number | string | null;
  /** Inferred from `body.condition`. */
  condition: string | null;
}

/** Arguments of `customPropertyCatalogValues.updateCatalogValue`. */
export interface CustomPropertyCatalogValuesUpdateCatalogValueArguments {
  readonly path: {
    readonly property_id: number;
    readonly id: number;
  };
  readonly body?: {
    readonly condition?: 'active' | 'inactive' | undefined;
    readonly value?: object | undefined;
    readonly deleted?: boolean | undefined;
  } | undefined;
}

/** Answer of `customPropertyCatalogValues.updateCatalogValue`. */
export interface CustomPropertyCatalogValuesUpdateCatalogValueAnswer {
  /** Inferred from its name: a time. */
  created: string;
  /** Inferred from its name: a time. */
  updated: string;
  /** Inferred from `path.id`. */
  id: number;
  /** Inferred from its name. */
  custom_property_id: number | string | null;
  value: unknown;
  name: unknown;
  /** Inferred from the parameters called `author_id`. */
  author_id: number | null;
  /** Inferred from its name. */
  updater_id: number | string | null;
  /** Inferred from `body.condition`. */
  condition: string | null;
}

/** Operations of `client.customPropertyCatalogValues`. */
export interface CustomPropertyCatalogValuesOperations {
  /**
   * Adds a value.
   *
   * `POST /company/custom-properties/{property_id}/catalog-values`
   *
   * Not repeated after a lost answer: a second one may do more than the first.
   *
   * @param args `path`: `property_id`; `body`: `value` (required)
   */
  readonly createNewCatalogValue: Call<CustomPropertyCatalogValuesCreateNewCatalogValueArguments, CustomPropertyCatalogValuesCreateNewCatalogValueAnswer>;

  /**
   * One value.
   *
   * `GET /company/custom-properties/{property_id}/catalog-values/{id}`
   *
   * @param args `path`: `property_id`, `id`
   */
  readonly getCatalogValue: Call<CustomPropertyCatalogValuesGetCatalogValueArguments, CustomPropertyCatalogValuesGetCatalogValueAnswer>;

  /**
   * The values of a catalog.
   *
   * `GET /company/custom-properties/{property_id}/catalog-values`
   *
   * `client.paginate` reads all of it.
   *
   * @param args `path`: `property_id`; `query`: `query`, `conditions`, `limit`, `offset`
   */
  readonly getListOfCatalogValues: ListCall<CustomPropertyCatalogValuesGetListOfCatalogValuesArguments, CustomPropertyCatalogValuesGetListOfCatalogValuesAnswer>;

  /**
   * Removes a value; the documents name it so.
   *
   * `DELETE /company/custom-properties/{property_id}/catalog-values/{id}`
   *
   * @param args `path`: `property_id`, `id`
   */
  readonly removeProperty: Call<CustomPropertyCatalogValuesRemovePropertyArguments, CustomPropertyCatalogValuesRemovePropertyAnswer | undefined>;

  /**
   * Changes a value.
   *
   * `PATCH /company/custom-properties/{property_id}/catalog-values/{id}`
   *
   * @param args `path`: `property_id`, `id`; `body`: `condition`, `value`, `deleted`
   */
  readonly updateCatalogValue: Call<CustomPropertyCatalogValuesUpdateCatalogValueArguments, CustomPropertyCatalogValuesUpdateCatalogValueAnswer>;
}
