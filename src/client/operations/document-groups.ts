// Generated from the rows in src/upstream/operations/ by `npm run docs`; do not edit.
import type { Call, PositionedListCall } from '../client-types.ts';

/** Arguments of `documentGroups.createNewDocumentGroup`. */
export interface DocumentGroupsCreateNewDocumentGroupArguments {
  readonly body: {
    readonly title: string;
    readonly parent_entity_uid?: string | null | undefined;
    readonly for_everyone_access_role_id?: string | null | undefined;
    readonly sort_order?: number | undefined;
    readonly key?: string | null | undefined;
  };
}

/** Answer of `documentGroups.createNewDocumentGroup`. */
export interface DocumentGroupsCreateNewDocumentGroupAnswer {
  /** Inferred from its name. */
  uid: string;
  /** Inferred from its name. */
  id: number | string;
  /** Inferred from `body.title`. */
  title: string | null;
  /** Inferred from its name: a time. */
  created: string;
  /** Inferred from its name: a time. */
  updated: string;
  archived: unknown;
  /** Inferred from its name. */
  company_id: number | string | null;
  /** Inferred from the parameters called `author_id`. */
  author_id: number | null;
  /** Inferred from its name. */
  parent_entity_uid: string | null;
  /** Inferred from its name. */
  parent_group_id: number | string | null;
  entity_type: unknown;
  /** Inferred from `body.sort_order`. */
  sort_order: number | null;
  /** Inferred from `body.access`. */
  access: string | null;
  /** Inferred from the parameters called `for_everyone_access_role_id`. */
  for_everyone_access_role_id: string | null;
  /** Inferred from `body.hostname`. */
  hostname: string | null;
  /** Inferred from `body.redirect_url`. */
  redirect_url: string | null;
  /** Inferred from `body.key`. */
  key: string | null;
  /** Inferred from `body.icon_type`. */
  icon_type: string | null;
  /** Inferred from `body.icon_value`. */
  icon_value: string | null;
  /** Inferred from `body.icon_color`. */
  icon_color: number | null;
  public: unknown;
  news_feed: unknown;
  /** Inferred from `body.hidden_on_public_site`. */
  hidden_on_public_site: boolean | null;
  path: unknown;
  /** Inferred from its name. */
  index_document_uid: string | null;
  access_record: unknown;
}

/** Arguments of `documentGroups.removeDocumentGroup`. */
export interface DocumentGroupsRemoveDocumentGroupArguments {
  readonly path: {
    readonly document_group_uid: string;
  };
}

/** Answer of `documentGroups.removeDocumentGroup`. */
export interface DocumentGroupsRemoveDocumentGroupAnswer {
  /** Inferred from its name. */
  uid: string;
  /** Inferred from its name. */
  id: number | string;
  /** Inferred from `body.title`. */
  title: string | null;
  /** Inferred from its name: a time. */
  created: string;
  /** Inferred from its name: a time. */
  updated: string;
  archived: unknown;
  /** Inferred from its name. */
  company_id: number | string | null;
  /** Inferred from the parameters called `author_id`. */
  author_id: number | null;
  /** Inferred from its name. */
  parent_entity_uid: string | null;
  /** Inferred from its name. */
  parent_group_id: number | string | null;
  entity_type: unknown;
  /** Inferred from `body.sort_order`. */
  sort_order: number | null;
  /** Inferred from `body.access`. */
  access: string | null;
  /** Inferred from the parameters called `for_everyone_access_role_id`. */
  for_everyone_access_role_id: string | null;
  /** Inferred from `body.hostname`. */
  hostname: string | null;
  /** Inferred from `body.redirect_url`. */
  redirect_url: string | null;
  /** Inferred from `body.key`. */
  key: string | null;
  /** Inferred from `body.icon_type`. */
  icon_type: string | null;
  /** Inferred from `body.icon_value`. */
  icon_value: string | null;
  /** Inferred from `body.icon_color`. */
  icon_color: number | null;
  public: unknown;
  news_feed: unknown;
  /** Inferred from `body.hidden_on_public_site`. */
  hidden_on_public_site: boolean | null;
  path: unknown;
  /** Inferred from its name. */
  index_document_uid: string | null;
}

/** Arguments of `documentGroups.retrieveDocumentGroup`. */
export interface DocumentGroupsRetrieveDocumentGroupArguments {
  readonly path: {
    readonly document_group_uid: string;
  };
}

/** Answer of `documentGroups.retrieveDocumentGroup`. */
export interface DocumentGroupsRetrieveDocumentGroupAnswer {
  /** Inferred from its name. */
  uid: string;
  /** Inferred from its name. */
  id: number | string;
  /** Inferred from `body.title`. */
  title: string | null;
  /** Inferred from its name: a time. */
  created: string;
  /** Inferred from its name: a time. */
  updated: string;
  archived: unknown;
  /** Inferred from its name. */
  company_id: number | string | null;
  /** Inferred from the parameters called `author_id`. */
  author_id: number | null;
  /** Inferred from its name. */
  parent_entity_uid: string | null;
  /** Inferred from its name. */
  parent_group_id: number | string | null;
  entity_type: unknown;
  /** Inferred from `body.sort_order`. */
  sort_order: number | null;
  /** Inferred from `body.access`. */
  access: string | null;
  /** Inferred from the parameters called `for_everyone_access_role_id`. */
  for_everyone_access_role_id: string | null;
  /** Inferred from `body.hostname`. */
  hostname: string | null;
  /** Inferred from `body.redirect_url`. */
  redirect_url: string | null;
  /** Inferred from `body.key`. */
  key: string | null;
  /** Inferred from `body.icon_type`. */
  icon_type: string | null;
  /** Inferred from `body.icon_value`. */
  icon_value: string | null;
  /** Inferred from `body.icon_color`. */
  icon_color: number | null;
  public: unknown;
  news_feed: unknown;
  /** Inferred from `body.hidden_on_public_site`. */
  hidden_on_public_site: boolean | null;
  path: unknown;
  /** Inferred from its name. */
  index_document_uid: string | null;
  access_record: unknown;
}

/** Arguments of `documentGroups.retrieveListOfDocumentGroups`. */
export interface DocumentGroupsRetrieveListOfDocumentGroupsArguments {
  readonly query?: {
    readonly query?: string | undefined;
    readonly offset?: number | undefined;
    readonly limit?: number | undefined;
    readonly version?: number | undefined;
    readonly condition?: number | undefined;
    readonly start_position?: string | undefined;
    readonly role?: number | undefined;
  } | undefined;
}

/** Entry of the answer of `documentGroups.retrieveListOfDocumentGroups`. */
export interface DocumentGroupsRetrieveListOfDocumentGroupsEntry {
  /** Inferred from its name. */
  uid: string;
  /** Inferred from its name. */
  id: number | string;
  /** Inferred from `body.title`. */
  title: string | null;
  /** Inferred from its name: a time. */
  created: string;
  /** Inferred from its name: a time. */
  updated: string;
  archived: unknown;
  /** Inferred from its name. */
  company_id: number | string | null;
  /** Inferred from the parameters called `author_id`. */
  author_id: number | null;
  /** Inferred from its name. */
  parent_entity_uid: string | null;
  /** Inferred from its name. */
  parent_group_id: number | string | null;
  entity_type: unknown;
  /** Inferred from `body.sort_order`. */
  sort_order: number | null;
  /** Inferred from `body.access`. */
  access: string | null;
  /** Inferred from the parameters called `for_everyone_access_role_id`. */
  for_everyone_access_role_id: string | null;
  /** Inferred from `body.hostname`. */
  hostname: string | null;
  /** Inferred from `body.redirect_url`. */
  redirect_url: string | null;
  /** Inferred from `body.key`. */
  key: string | null;
  /** Inferred from `body.icon_type`. */
  icon_type: string | null;
  /** Inferred from `body.icon_value`. */
  icon_value: string | null;
  /** Inferred from `body.icon_color`. */
  icon_color: number | null;
  public: unknown;
  news_feed: unknown;
  /** Inferred from `body.hidden_on_public_site`. */
  hidden_on_public_site: boolean | null;
  path: unknown;
  /** Inferred from its name. */
  index_document_uid: string | null;
}

/** Answer of `documentGroups.retrieveListOfDocumentGroups`. */
export type DocumentGroupsRetrieveListOfDocumentGroupsAnswer = DocumentGroupsRetrieveListOfDocumentGroupsEntry[];

/** Arguments of `documentGroups.updateDocumentGroup`. */
export interface DocumentGroupsUpdateDocumentGroupArguments {
  readonly path: {
    readonly document_group_uid: string;
  };
  readonly body?: {
    /** Not in the documents of the service. */
    readonly title?: string | undefined;
    /** Not in the documents of the service. */
    readonly parent_entity_uid?: string | null | undefined;
    /** Not in the documents of the service. */
    readonly sort_order?: number | undefined;
    /** Not in the documents of the service. */
    readonly access?: string | undefined;
    /** Not in the documents of the service. */
    readonly for_everyone_access_role_id?: string | null | undefined;
    /** Not in the documents of the service. */
    readonly hostname?: string | null | undefined;
    /** Not in the documents of the service. */
    readonly redirect_url?: string | null | undefined;
    /** Not in the documents of the service. */
    readonly key?: string | null | undefined;
    /** Not in the documents of the service. */
    readonly icon_type?: string | null | undefined;
    /** Not in the documents of the service. */
    readonly icon_value?: string | null | undefined;
    /** Not in the documents of the service. */
    readonly icon_color?: number | null | undefined;
    /** Not in the documents of the service. */
    readonly hidden_on_public_site?: boolean | undefined;
    /** Not in the documents of the service. */
    readonly news_feed?: unknown | undefined;
    /** Not in the documents of the service. */
    readonly index_document_uid?: string | null | undefined;
  } | undefined;
}

/** Answer of `documentGroups.updateDocumentGroup`. */
export interface DocumentGroupsUpdateDocumentGroupAnswer {
  /** Inferred from its name. */
  uid: string;
  /** Inferred from its name. */
  id: number | string;
  /** Inferred from `body.title`. */
  title: string | null;
  /** Inferred from its name: a time. */
  created: string;
  /** Inferred from its name: a time. */
  updated: string;
  archived: unknown;
  /** Inferred from its name. */
  company_id: number | string | null;
  /** Inferred from the parameters called `author_id`. */
  author_id: number | null;
  /** Inferred from its name. */
  parent_entity_uid: string | null;
  /** Inferred from its name. */
  parent_group_id: number | string | null;
  entity_type: unknown;
  /** Inferred from `body.sort_order`. */
  sort_order: number | null;
  /** Inferred from `body.access`. */
  access: string | null;
  /** Inferred from the parameters called `for_everyone_access_role_id`. */
  for_everyone_access_role_id: string | null;
  /** Inferred from `body.hostname`. */
  hostname: string | null;
  /** Inferred from `body.redirect_url`. */
  redirect_url: string | null;
  /** Inferred from `body.key`. */
  key: string | null;
  /** Inferred from `body.icon_type`. */
  icon_type: string | null;
  /** Inferred from `body.icon_value`. */
  icon_value: string | null;
  /** Inferred from `body.icon_color`. */
  icon_color: number | null;
  public: unknown;
  news_feed: unknown;
  /** Inferred from `body.hidden_on_public_site`. */
  hidden_on_public_site: boolean | null;
  path: unknown;
  /** Inferred from its name. */
  index_document_uid: string | null;
  access_record: unknown;
}

/** Operations of `client.documentGroups`. */
export interface DocumentGroupsOperations {
  /**
   * Creates a document group.
   *
   * `POST /document-groups`
   *
   * Not repeated after a lost answer: a second one may do more than the first.
   *
   * @param args `body`: `title` (required), `parent_entity_uid`, `for_everyone_access_role_id`,
   * `sort_order`, `key`
   */
  readonly createNewDocumentGroup: Call<DocumentGroupsCreateNewDocumentGroupArguments, DocumentGroupsCreateNewDocumentGroupAnswer>;

  /**
   * Deletes a document group. One that holds documents is known to be refused (400).
   *
   * `DELETE /document-groups/{document_group_uid}`
   *
   * @param args `path`: `document_group_uid`
   */
  readonly removeDocumentGroup: Call<DocumentGroupsRemoveDocumentGroupArguments, DocumentGroupsRemoveDocumentGroupAnswer | undefined>;

  /**
   * One document group.
   *
   * `GET /document-groups/{document_group_uid}`
   *
   * @param args `path`: `document_group_uid`
   */
  readonly retrieveDocumentGroup: Call<DocumentGroupsRetrieveDocumentGroupArguments, DocumentGroupsRetrieveDocumentGroupAnswer>;

  /**
   * Document groups. With `version: 2` the answer is `{ result, position }`, and `start_position`
   * goes on from a position.
   *
   * `GET /document-groups`
   *
   * `client.paginate` reads all of it.
   *
   * @param args `query`: `query`, `offset`, `limit`, `version`, `condition`, `start_position`,
   * `role`
   */
  readonly retrieveListOfDocumentGroups: PositionedListCall<DocumentGroupsRetrieveListOfDocumentGroupsArguments, DocumentGroupsRetrieveListOfDocumentGroupsEntry>;

  /**
   * Changes a document group. Neither body nor answer is documented; these are the ones in use. A
   * key or host name in use answers 409.
   *
   * `PATCH /document-groups/{document_group_uid}`
   *
   * @param args `path`: `document_group_uid`; `body`: `title`, `parent_entity_uid`, `sort_order`,
   * `access`, `for_everyone_access_role_id`, `hostname`, `redirect_url`, `key`, `icon_type`,
   * `icon_value`, `icon_color`, `hidden_on_public_site`, `news_feed`, `index_document_uid`
   */
  readonly updateDocumentGroup: Call<DocumentGroupsUpdateDocumentGroupArguments, DocumentGroupsUpdateDocumentGroupAnswer>;
}
