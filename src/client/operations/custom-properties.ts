// Generated from the rows in src/upstream/operations/ by `npm run docs`; do not edit.
import type { Call, ListCall } from '../client-types.ts';

/** Arguments of `customProperties.createNewProperty`. */
export interface CustomPropertiesCreateNewPropertyArguments {
  readonly body?: {
    readonly name?: string | undefined;
    readonly show_on_facade?: boolean | undefined;
    readonly multiline?: boolean | undefined;
    readonly vote_variant?: null | 'rating' | 'scale' | 'emoji_set' | undefined;
    readonly type?: 'string' | 'number' | 'date' | 'email' | 'phone' | 'checkbox' | 'select' | 'formula' | 'url' | 'collective_score' | 'vote' | 'collective_vote' | 'catalog' | 'user' | 'attachment' | undefined;
    readonly values_type?: null | 'number' | 'text' | undefined;
    readonly colorful?: boolean | null | undefined;
    readonly multi_select?: boolean | null | undefined;
    readonly values_creatable_by_users?: boolean | null | undefined;
    readonly data?: unknown | undefined;
    readonly formula?: string | undefined;
    readonly formula_source_card?: object | undefined;
    readonly color?: number | null | undefined;
    readonly fields_settings?: object | undefined;
  } | undefined;
}

/** Answer of `customProperties.createNewProperty`. */
export interface CustomPropertiesCreateNewPropertyAnswer {
  /** Inferred from `body.name`. */
  name: string | null;
  /** Inferred from `body.type`. */
  type: string | null;
  /** Inferred from `body.show_on_facade`. */
  show_on_facade: boolean | null;
  /** Inferred from `body.multiline`. */
  multiline: boolean | null;
  fields_settings: unknown;
  /** Inferred from the parameters called `author_id`. */
  author_id: number | null;
  /** Inferred from its name. */
  company_id: number | string | null;
  /** Inferred from its name: a time. */
  updated: string;
  /** Inferred from its name: a time. */
  created: string;
  /** Inferred from `path.id`. */
  id: number;
  /** Inferred from `body.condition`. */
  condition: string | null;
  /** Inferred from `body.colorful`. */
  colorful: boolean | null;
  /** Inferred from `body.multi_select`. */
  multi_select: boolean | null;
  /** Inferred from `body.values_creatable_by_users`. */
  values_creatable_by_users: boolean | null;
  data: unknown;
  /** Inferred from `body.values_type`. */
  values_type: string | null;
  /** Inferred from `body.vote_variant`. */
  vote_variant: string | null;
  protected: unknown;
  /** Inferred from `body.color`. */
  color: number | null;
  /** Inferred from the parameters called `external_id`. */
  external_id: number | string | null;
}

/** Arguments of `customProperties.getListOfProperties`. */
export interface CustomPropertiesGetListOfPropertiesArguments {
  readonly query?: {
    readonly include_values?: boolean | undefined;
    readonly include_author?: boolean | undefined;
    readonly compact?: boolean | undefined;
    readonly load_by_ids?: boolean | undefined;
    readonly ids?: readonly (string | number)[] | undefined;
    readonly offset?: number | undefined;
    readonly limit?: number | undefined;
    readonly order_by?: string | undefined;
    readonly order_direction?: string | undefined;
    readonly query?: string | undefined;
  } | undefined;
}

/** Entry of the answer of `customProperties.getListOfProperties`. */
export interface CustomPropertiesGetListOfPropertiesEntry {
  /** Inferred from its name: a time. */
  created: string;
  /** Inferred from its name: a time. */
  updated: string;
  /** Inferred from `path.id`. */
  id: number;
  /** Inferred from its name. */
  uid: string;
  /** Inferred from `body.type`. */
  type: string | null;
  /** Inferred from `body.name`. */
  name: string | null;
  /** Inferred from `body.condition`. */
  condition: string | null;
  /** Inferred from `body.show_on_facade`. */
  show_on_facade: boolean | null;
  /** Inferred from `body.multiline`. */
  multiline: boolean | null;
  /** Inferred from the parameters called `author_id`. */
  author_id: number | null;
  /** Inferred from its name. */
  company_id: number | string | null;
  /** Inferred from `body.colorful`. */
  colorful: boolean | null;
  /** Inferred from `body.multi_select`. */
  multi_select: boolean | null;
  /** Inferred from `body.values_creatable_by_users`. */
  values_creatable_by_users: boolean | null;
  /** Inferred from `body.values_type`. */
  values_type: string | null;
  /** Inferred from `body.vote_variant`. */
  vote_variant: string | null;
  data: unknown;
  protected: unknown;
  fields_settings: unknown;
  /** Inferred from `body.color`. */
  color: number | null;
  /** Inferred from the parameters called `external_id`. */
  external_id: number | string | null;
}

/** Answer of `customProperties.getListOfProperties`. */
export type CustomPropertiesGetListOfPropertiesAnswer = CustomPropertiesGetListOfPropertiesEntry[];

/** Arguments of `customProperties.getProperty`. */
export interface CustomPropertiesGetPropertyArguments {
  readonly path: {
    readonly id: number;
  };
}

/** Answer of `customProperties.getProperty`. */
export interface CustomPropertiesGetPropertyAnswer {
  /** Inferred from its name: a time. */
  created: string;
  /** Inferred from its name: a time. */
  updated: string;
  /** Inferred from `path.id`. */
  id: number;
  /** Inferred from its name. */
  uid: string;
  /** Inferred from `body.type`. */
  type: string | null;
  /** Inferred from `body.name`. */
  name: string | null;
  /** Inferred from `body.condition`. */
  condition: string | null;
  /** Inferred from `body.show_on_facade`. */
  show_on_facade: boolean | null;
  /** Inferred from `body.multiline`. */
  multiline: boolean | null;
  /** Inferred from the parameters called `author_id`. */
  author_id: number | null;
  /** Inferred from its name. */
  company_id: number | string | null;
  /** Inferred from `body.colorful`. */
  colorful: boolean | null;
  /** Inferred from `body.multi_select`. */
  multi_select: boolean | null;
  /** Inferred from `body.values_creatable_by_users`. */
  values_creatable_by_users: boolean | null;
  /** Inferred from `body.values_type`. */
  values_type: string | null;
  /** Inferred from `body.vote_variant`. */
  vote_variant: string | null;
  data: unknown;
  protected: unknown;
  fields_settings: unknown;
  /** Inferred from `body.color`. */
  color: number | null;
  /** Inferred from the parameters called `external_id`. */
  external_id: number | string | null;
}

/** Arguments of `customProperties.removeProperty`. */
export interface CustomPropertiesRemovePropertyArguments {
  readonly path: {
    readonly id: number;
  };
}

/** Answer of `customProperties.removeProperty`. */
export interface CustomPropertiesRemovePropertyAnswer {
  /** Inferred from its name: a time. */
  created: string;
  /** Inferred from its name: a time. */
  updated: string;
  /** Inferred from `path.id`. */
  id: number;
  /** Inferred from `body.type`. */
  type: string | null;
  /** Inferred from `body.name`. */
  name: string | null;
  /** Inferred from `body.show_on_facade`. */
  show_on_facade: boolean | null;
  /** Inferred from the parameters called `author_id`. */
  author_id: number | null;
  /** Inferred from its name. */
  company_id: number | string | null;
  /** Inferred from `body.condition`. */
  condition: string | null;
  /** Inferred from `body.colorful`. */
  colorful: boolean | null;
  /** Inferred from `body.multi_select`. */
  multi_select: boolean | null;
  /** Inferred from `body.values_creatable_by_users`. */
  values_creatable_by_users: boolean | null;
  data: unknown;
  /** Inferred from `body.multiline`. */
  multiline: boolean | null;
  /** Inferred from `body.values_type`. */
  values_type: string | null;
  /** Inferred from `body.vote_variant`. */
  vote_variant: string | null;
  protected: unknown;
  fields_settings: unknown;
  /** Inferred from `body.color`. */
  color: number | null;
}

/** Arguments of `customProperties.updateProperty`. */
export interface CustomPropertiesUpdatePropertyArguments {
  readonly path: {
    readonly id: number;
  };
  readonly body?: {
    readonly name?: string | undefined;
    readonly show_on_facade?: boolean | undefined;
    readonly multiline?: boolean | undefined;
    readonly condition?: 'active' | 'inactive' | undefined;
    readonly colorful?: boolean | null | undefined;
    readonly multi_select?: boolean | null | undefined;
    readonly values_creatable_by_users?: boolean | null | undefined;
    readonly data?: unknown | undefined;
    readonly color?: number | null | undefined;
    readonly fields_settings?: object | null | undefined;
    readonly is_used_as_progress?: boolean | undefined;
  } | undefined;
}

/** Answer of `customProperties.updateProperty`. */
export interface CustomPropertiesUpdatePropertyAnswer {
  /** Inferred from its name: a time. */
  created: string;
  /** Inferred from its name: a time. */
  updated: string;
  /** Inferred from `path.id`. */
  id: number;
  /** Inferred from its name. */
  uid: string;
  /** Inferred from `body.type`. */
  type: string | null;
  /** Inferred from `body.name`. */
  name: string | null;
  /** Inferred from `body.condition`. */
  condition: string | null;
  /** Inferred from `body.show_on_facade`. */
  show_on_facade: boolean | null;
  /** Inferred from `body.multiline`. */
  multiline: boolean | null;
  /** Inferred from the parameters called `author_id`. */
  author_id: number | null;
  /** Inferred from its name. */
  company_id: number | string | null;
  /** Inferred from `body.colorful`. */
  colorful: boolean | null;
  /** Inferred from `body.multi_select`. */
  multi_select: boolean | null;
  /** Inferred from `body.values_creatable_by_users`. */
  values_creatable_by_users: boolean | null;
  /** Inferred from `body.values_type`. */
  values_type: string | null;
  /** Inferred from `body.vote_variant`. */
  vote_variant: string | null;
  data: unknown;
  protected: unknown;
  fields_settings: unknown;
  /** Inferred from `body.color`. */
  color: number | null;
  /** Inferred from the parameters called `external_id`. */
  external_id: number | string | null;
}

/** Operations of `client.customProperties`. */
export interface CustomPropertiesOperations {
  /**
   * Creates a property.
   *
   * `POST /company/custom-properties`
   *
   * Not repeated after a lost answer: a second one may do more than the first.
   *
   * @param args `body`: `name`, `show_on_facade`, `multiline`, `vote_variant`, `type`,
   * `values_type`, `colorful`, `multi_select`, `values_creatable_by_users`, `data`, `formula`,
   * `formula_source_card`, `color`, `fields_settings`
   */
  readonly createNewProperty: Call<CustomPropertiesCreateNewPropertyArguments, CustomPropertiesCreateNewPropertyAnswer>;

  /**
   * The properties of the company.
   *
   * `GET /company/custom-properties`
   *
   * `client.paginate` reads all of it.
   *
   * @param args `query`: `include_values`, `include_author`, `compact`, `load_by_ids`, `ids`,
   * `offset`, `limit`, `order_by`, `order_direction`, `query`
   */
  readonly getListOfProperties: ListCall<CustomPropertiesGetListOfPropertiesArguments, CustomPropertiesGetListOfPropertiesAnswer>;

  /**
   * One property.
   *
   * `GET /company/custom-properties/{id}`
   *
   * @param args `path`: `id`
   */
  readonly getProperty: Call<CustomPropertiesGetPropertyArguments, CustomPropertiesGetPropertyAnswer>;

  /**
   * Deletes a property.
   *
   * `DELETE /company/custom-properties/{id}`
   *
   * @param args `path`: `id`
   */
  readonly removeProperty: Call<CustomPropertiesRemovePropertyArguments, CustomPropertiesRemovePropertyAnswer | undefined>;

  /**
   * Changes a property.
   *
   * `PATCH /company/custom-properties/{id}`
   *
   * @param args `path`: `id`; `body`: `name`, `show_on_facade`, `multiline`, `condition`,
   * `colorful`, `multi_select`, `values_creatable_by_users`, `data`, `color`, `fields_settings`,
   * `is_used_as_progress`
   */
  readonly updateProperty: Call<CustomPropertiesUpdatePropertyArguments, CustomPropertiesUpdatePropertyAnswer>;
}
